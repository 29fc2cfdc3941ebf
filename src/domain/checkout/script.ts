/**
 * The one script of the page, inline; everything works without it. It looks whether anything has changed and then takes the new parts
 * out of the page as the server writes it, so that there is one way to draw a state. What did not change stays in place, focus included.
 */
export const SCRIPT = `(() => {
const root = document.documentElement, lang = root.lang;
const $ = (selector) => document.querySelector(selector);
const EVERY = 3000, LONGEST = 60000, GO_BACK = 10000;
let pause = EVERY, timer, going, ends;

const copy = async (text) => {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
};
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button');
  if (!button) return;
  if (button.dataset.copy) {
    await copy(document.getElementById(button.dataset.copy).textContent);
    button.focus();
    const label = button.textContent;
    $('#heard').textContent = '';
    if (label !== button.dataset.done) {
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = label; }, 2000);
    }
    $('#heard').textContent = button.dataset.done;
  }
  if (button.id === 'stay') {
    clearTimeout(going);
    $('#going').remove();
    $('#success').focus();
  }
});

const clock = () => {
  const left = $('#left');
  if (!left) return;
  const seconds = Math.max(0, Math.round((ends - performance.now()) / 1000));
  const unit = (unit, value) => new Intl.NumberFormat(lang + '-u-nu-latn', { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  const minutes = Math.ceil(seconds / 60);
  const said = seconds < 300 ? Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
    : minutes > 90 ? unit('hour', Math.round(minutes / 60)) : unit('minute', minutes);
  if (left.textContent !== said) left.textContent = said;
};

const dress = () => {
  document.querySelectorAll('[data-script]').forEach((part) => { part.hidden = false; });
  const left = $('#left'), success = $('#success');
  if (left) ends = performance.now() + left.dataset.seconds * 1000;
  for (const time of document.querySelectorAll('time'))
    time.textContent = new Intl.DateTimeFormat(lang + '-u-nu-latn', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time.dateTime));
  clock();
  clearTimeout(going);
  if (success && $('#going')) going = setTimeout(() => { location.assign(success.href); }, GO_BACK);
};

const show = (text) => {
  const next = new DOMParser().parseFromString(text, 'text/html');
  if (!next.body.dataset.version) return;
  const focused = document.activeElement?.id;
  for (const part of next.querySelectorAll('[data-part]')) {
    const old = document.getElementById(part.id);
    if (!old || old.dataset.part === part.dataset.part) continue;
    old.dataset.part = part.dataset.part;
    old.className = part.className;
    old.innerHTML = part.innerHTML;
  }
  $('#status').className = next.querySelector('#status').className;
  document.title = next.title;
  document.body.dataset.version = next.body.dataset.version;
  document.body.dataset.live = next.body.dataset.live;
  dress();
  if (focused && document.activeElement?.id !== focused) (document.getElementById(focused) ?? $('#status')).focus();
};

const look = async () => {
  clearTimeout(timer);
  if (document.body.dataset.live !== 'true') return;
  if (!document.hidden) try {
    const answer = await fetch(document.body.dataset.status);
    if (!answer.ok) throw answer.status;
    const { version } = await answer.json();
    if (version !== document.body.dataset.version) {
      const page = await fetch(location.href);
      if (!page.ok) throw page.status;
      show(await page.text());
    }
    pause = EVERY;
  } catch { pause = Math.min(pause * 2, LONGEST); }
  timer = setTimeout(look, pause);
};

let isPlaying = false;
document.addEventListener('submit', async (event) => {
  const form = event.target, button = event.submitter;
  if (form.id !== 'play' || !button) return;
  event.preventDefault();
  if (isPlaying) return;
  isPlaying = true;
  let said = form.dataset.failed, ok = false;
  try {
    const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams({ do: button.value }) });
    const text = await answer.text();
    ok = answer.ok;
    said = ok ? button.dataset.done : new DOMParser().parseFromString(text, 'text/html').querySelector('h1+p').textContent;
    show(ok ? text : await (await fetch(location.href)).text());
  } catch {}
  isPlaying = false;
  const outcome = $('#outcome');
  if (outcome) {
    outcome.textContent = said;
    outcome.className = ok ? 'small' : 'warning';
  }
  $('#heard').textContent = '';
  $('#heard').textContent = said;
});

document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
dress();
setInterval(clock, 1000);
timer = setTimeout(look, pause);
})();
`;
