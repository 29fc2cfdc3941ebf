/**
 * The one script of the page, inline; everything works without it. It learns that something has changed and then takes the new parts
 * out of the page as the server writes it, so that there is one way to draw a state. What did not change stays in place, focus included.
 *
 * It learns it by a stream of events (`listen`) or by asking (`look`), never both: asking begins where the stream is refused, breaks
 * three times in a row, or is silent for longer than its beats allow (a proxy swallows it, or the connection is dead), and after a
 * while, twice as long each time, the stream is tried again. A hidden page does neither, because browsers keep six connections for
 * a host; shown again it catches up, since what it shows goes along as `version`. When the time that is counted down is over, the page
 * is taken anew whatever was told: versions know nothing of a time that passes.
 */
export const SCRIPT = `(() => {
const root = document.documentElement, lang = root.lang;
const $ = (selector) => document.querySelector(selector);
const EVERY = 3000, LONGEST = 60000, GO_BACK = 10000;
const FIRST_SIGN = 10000, SILENCE = 45000, BREAKS = 3;
let pause = EVERY, timer, going, ends;
let source, silence, over, breaks = 0, again = 60000, listenAt = 0, news = Promise.resolve();

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
  clearTimeout(over);
  if (left) {
    ends = performance.now() + left.dataset.seconds * 1000;
    over = setTimeout(() => { news = news.then(renew).catch(() => {}); }, left.dataset.seconds * 1000 + 1500);
  }
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
  const left = $('#left'), fresh = next.querySelector('#left');
  if (left && fresh) left.dataset.seconds = fresh.dataset.seconds;
  $('#status').className = next.querySelector('#status').className;
  document.title = next.title;
  document.body.dataset.version = next.body.dataset.version;
  document.body.dataset.live = next.body.dataset.live;
  dress();
  if (focused && document.activeElement?.id !== focused) (document.getElementById(focused) ?? $('#status')).focus();
};

const shown = document.body.dataset;
const renew = async () => {
  const page = await fetch(location.href);
  if (!page.ok) throw page.status;
  show(await page.text());
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

const look = async () => {
  clearTimeout(timer);
  if (document.hidden || shown.live !== 'true') return;
  try {
    const answer = await fetch(shown.status);
    if (!answer.ok) throw answer.status;
    const { version, is_live } = await answer.json();
    if (version !== shown.version) await renew();
    else shown.live = is_live;
    pause = EVERY;
  } catch { pause = Math.min(pause * 2, LONGEST); }
  clearTimeout(timer);
  if (!source) timer = setTimeout(follow, pause);
};

const giveUp = () => {
  stop();
  listenAt = performance.now() + again;
  again *= 2;
  look();
};
const alive = (within) => {
  clearTimeout(silence);
  silence = setTimeout(giveUp, within);
};
const listen = () => {
  const stream = source = new EventSource(shown.events + '?version=' + shown.version);
  const heard = () => { alive(SILENCE); breaks = 0; again = 60000; };
  stream.onmessage = ({ lastEventId }) => {
    heard();
    news = news.then(async () => {
      if (lastEventId !== shown.version) await renew();
      if (shown.live !== 'true') stop();
    }).catch(giveUp);
  };
  stream.addEventListener('beat', heard);
  stream.onerror = () => {
    breaks += 1;
    if (stream.readyState === EventSource.CLOSED || breaks >= BREAKS) giveUp();
  };
  alive(FIRST_SIGN);
};

const stop = () => {
  clearTimeout(timer);
  clearTimeout(silence);
  source?.close();
  source = null;
};
const follow = () => {
  stop();
  if (document.hidden || shown.live !== 'true') return;
  if (window.EventSource && performance.now() >= listenAt) listen(); else look();
};
document.addEventListener('visibilitychange', follow);
dress();
setInterval(clock, 1000);
follow();
})();
`;
