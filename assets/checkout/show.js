// Rendering: the page as the server renders it, component by component.

const GO_BACK_SECONDS = 20;

const later = document.createElement('style');
later.textContent = 'LATER_STYLE';
document.head.append(later);

/** Updates run one after another: each compares with what the one before has shown. */
let updates = Promise.resolve();
/** Only who saw the payment settle on this visit is taken back to the shop. */
let sawItOpen = shown.live === 'true';
/** @type {number | undefined} */
let goBackTimer;

/** Adds what only a script can do: buttons, times, the countdown, the way back to the shop. */
function enhance() {
  for (const component of document.querySelectorAll('[data-script]')) component.removeAttribute('hidden');
  startCountdown(async () => {
    updates = updates.then(reload).catch(() => {});
    await updates;
  });
  writeLocalTimes();
  offerWallets();
  followInFrame();
  const stay = byId('stay');
  if (!sawItOpen || !canLeave || !stay?.hidden) return;
  stay.hidden = false;
  announce(stay.dataset.going ?? '');
  clearTimeout(goBackTimer);
  countBack(GO_BACK_SECONDS);
}

/** Counts down in the link back, which is followed at the end, unless the customer stays. It waits while they
 * write where their receipt goes.
 * @param {number} seconds */
function countBack(seconds) {
  const [success, count] = [byId('success'), byId('count')];
  if (!(success instanceof HTMLAnchorElement) || !count || byId('stay')?.hidden !== false) return;
  count.textContent = String(seconds);
  const isWriting = byId('help')?.contains(document.activeElement);
  if (seconds === 0 && !isWriting) leaveTo(success.href);
  else goBackTimer = setTimeout(countBack, 1000, isWriting ? seconds : seconds - 1);
}

/** What is saved has the payment's id as its name.
 * @param {string} name */
function printAs(name) {
  const { title } = document;
  addEventListener('afterprint', () => (document.title = title), { once: true });
  document.title = name;
  print();
}

/**
 * Opened details stay open in what replaces them, and options that the customer has changed stay so: an id
 * says for which payment method.
 * @param {HTMLElement} old
 * @param {Element} component
 */
function replaceContent(old, component) {
  const kept = [...old.querySelectorAll('details[open][id], input[type=radio]:checked:not([checked])')].map(
    ({ id }) => id,
  );
  old.innerHTML = component.innerHTML;
  for (const element of kept.map(byId)) {
    if (element instanceof HTMLDetailsElement) element.open = true;
    if (element instanceof HTMLInputElement) element.checked = true;
  }
}

/** A customer fills the form in, which an update of it would empty.
 * @param {Element} old
 * @param {Element} component */
const isFilledIn = (old, component) =>
  ['refund', 'help'].includes(old.id) &&
  old.contains(document.activeElement) &&
  component.querySelector('form') !== null;

/**
 * @param {Document} next
 * @param {string} answered the component that a form's answer is for
 */
function replaceComponents(next, answered) {
  for (const component of next.querySelectorAll('[data-part]')) {
    const old = byId(component.id);
    const digest = component.getAttribute('data-part') ?? '';
    if (!old || old.dataset.part === digest) continue;
    if (old.id !== answered && isFilledIn(old, component)) continue;
    old.dataset.part = digest;
    old.className = component.className;
    replaceContent(old, component);
  }
  const seconds = next.getElementById('left')?.dataset.seconds;
  const left = byId('left');
  if (left && seconds) left.dataset.seconds = seconds;
}

/** What the page says of a price that has changed. */
const priceNews = () => {
  const news = byId('repriced');
  return news && !isPutAway(news) ? news.textContent : '';
};

/** Shows what the server answered with; a page without a payment (an error) changes nothing.
 * @param {string} text
 * @param {string} [focusOn] where the focus goes if what had it is gone */
function show(text, focusOn = 'status') {
  const next = parsed(text);
  const { version, live, state, code, tone } = next.body.dataset;
  if (!version) return false;
  const focused = document.activeElement?.id;
  const before = shown.state;
  const priceBefore = priceNews();
  replaceComponents(next, focusOn);
  document.title = next.title;
  Object.assign(shown, { version, live, state, code });
  const status = byId('status');
  if (status) status.className = `status ${tone}`;
  if (live === 'true') sawItOpen = true;
  // A new state is announced once, and so is a new price; a block more is none.
  const news = [
    state === before ? '' : byId('said')?.textContent,
    priceNews() === priceBefore ? '' : priceNews(),
  ];
  if (news.some(Boolean)) announce(news.join(' '));
  enhance();
  if (focused && document.activeElement?.id !== focused)
    for (const id of [focused, focusOn, 'status'])
      if (document.activeElement === document.body) byId(id)?.focus();
  return true;
}

async function reload() {
  const answer = await fetch(pagePath);
  if (!answer.ok) throw new Error(`page: ${answer.status}`);
  show(await answer.text());
}

document.addEventListener('click', ({ target }) => {
  // A tap on the code is one on the button below it.
  if (target instanceof Element && target.closest('.qr')) byId('copy-code')?.click();
  const button = target instanceof Element ? target.closest('button, a') : null;
  if (!(button instanceof HTMLElement)) return;
  if (button.id === 'wallet') watchForWallet();
  if (!(button instanceof HTMLButtonElement)) return;
  if (button.dataset.copy) void copyFor(button);
  if (button.id === 'print') printAs(button.dataset.name ?? '');
  if (button.id === 'stay') {
    byId('count')?.replaceChildren();
    button.remove();
    byId('success')?.focus();
  }
});
