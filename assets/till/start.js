/** What a page begins with, loaded or shown in the place of another. */
function enter() {
  for (const shown of document.querySelectorAll('[data-script]'))
    if (shown instanceof HTMLElement) shown.hidden = false;
  parts.clear();
  for (const part of document.querySelectorAll('[data-part]')) parts.set(part.id, part.outerHTML);
  localise();
  hearPaid();
  // Going back shows a form again that was sent: what is typed now is another sale. One that the server asks to
  // send again keeps its own.
  const sell = byId('sell');
  if (sell instanceof HTMLFormElement && !byId('fault')) renew(sell);
  // The keypad is the page's own: a keyboard on the screen would cover it.
  const amount = byId('amount');
  if (amount instanceof HTMLInputElement) amount.inputMode = 'none';
  clearTimeout(followTimer);
  const everyMs = Number(document.body.dataset.follow);
  if (everyMs) followTimer = setTimeout(follow, everyMs);
}

/** Of this till, and in this window. @param {HTMLAnchorElement} link */
const isOwn = (link) => link.origin === location.origin && link.pathname.startsWith('/till') && !link.target;

document.addEventListener('click', (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (!(target instanceof Element) || button || ctrlKey || metaKey || shiftKey || altKey) return;
  const key = target.closest('[data-key]');
  if (key instanceof HTMLElement) return press(key);
  if (target.closest('#print')) return print();
  const link = target.closest('a');
  if (!link || !isOwn(link)) return;
  event.preventDefault();
  void go(link.href);
});

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  if (form.id === 'sell') void sendSale(form);
  else void post(form, submitter);
});

addEventListener('popstate', () => void go(location.href));
addEventListener('offline', () => setDown(true));
addEventListener('online', () => void follow());
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void go(location.href);
});
if (location.pathname === '/till') counterPage = document.documentElement.outerHTML;
enter();
