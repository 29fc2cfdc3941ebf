/**
 * The checkout page's one script. The page works without it: forms post, and the page reloads itself.
 *
 * The script learns that the payment has another version, fetches the page again, and replaces the components
 * that differ. The server stays the only one that renders a state, and what did not change keeps its place
 * and the focus.
 *
 * It learns of versions by a stream of events (`listen`) or by asking (`poll`), never both. It asks when the
 * stream is refused, breaks three times in a row, or is silent for longer than its heartbeats allow (a proxy
 * holds it back, or the connection is dead), and tries the stream again after a pause that doubles each time.
 * A hidden page does neither, because browsers keep six connections for a host; when it is shown again it
 * catches up, because it sends the version that it shows. When the countdown ends the script fetches the page
 * whatever the version is: versions do not change by time alone.
 */
(() => {
  const POLL_MS = 3000;
  const MAX_POLL_MS = 60_000;
  const GO_BACK_MS = 10_000;
  const COPIED_MS = 2000;
  /** The server acts on a deadline shortly after it. */
  const AFTER_DEADLINE_MS = 1500;
  const FIRST_EVENT_MS = 10_000;
  /** The server sends a heartbeat every 20 s. */
  const MAX_SILENCE_MS = 45_000;
  const MAX_BREAKS = 3;
  const STREAM_PAUSE_MS = 60_000;

  const lang = document.documentElement.lang;
  /** What the page shows: `version` and `live` change with it. */
  const shown = document.body.dataset;
  const { events: eventsPath = '', status: statusPath = '' } = shown;
  /** @param {string} id */
  const byId = (id) => document.getElementById(id);
  /** @param {string} text */
  const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

  // Copying, and staying on a settled page.

  /** @param {string} text */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers without the clipboard API, or pages that may not use it.
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      // oxlint-disable-next-line typescript/no-deprecated
      document.execCommand('copy');
      area.remove();
    }
  }

  /** Screen readers announce the text, also when it is the one before.
   * @param {string} text */
  function announce(text) {
    const region = byId('heard');
    if (!region) return;
    region.textContent = '';
    region.textContent = text;
  }

  /** @param {HTMLButtonElement} button */
  async function copyFor(button) {
    const { copy: source = '', done = '' } = button.dataset;
    await copy(byId(source)?.textContent ?? '');
    button.focus();
    const label = button.textContent;
    if (label !== done) {
      button.textContent = done;
      setTimeout(() => {
        button.textContent = label;
      }, COPIED_MS);
    }
    announce(done);
  }

  /** @type {number | undefined} */
  let goBackTimer;

  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    if (button.dataset.copy) void copyFor(button);
    if (button.id === 'stay') {
      clearTimeout(goBackTimer);
      byId('going')?.remove();
      byId('success')?.focus();
    }
  });

  // The countdown, and times in the customer's own zone.

  /** On the clock of `performance.now()`. */
  let endsAt = 0;
  /** @type {number | undefined} */
  let deadlineTimer;

  /**
   * @param {'hour' | 'minute'} unit
   * @param {number} value
   */
  function inUnit(unit, value) {
    const format = /** @type {const} */ ({ style: 'unit', unit, unitDisplay: 'long' });
    return new Intl.NumberFormat(`${lang}-u-nu-latn`, format).format(value);
  }

  /** @param {number} seconds */
  function timeLeft(seconds) {
    const minutes = Math.ceil(seconds / 60);
    if (seconds < 300) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return minutes > 90 ? inUnit('hour', Math.round(minutes / 60)) : inUnit('minute', minutes);
  }

  function countDown() {
    const left = byId('left');
    if (!left) return;
    const text = timeLeft(Math.max(0, Math.round((endsAt - performance.now()) / 1000)));
    if (left.textContent !== text) left.textContent = text;
  }

  function writeLocalTimes() {
    const format = new Intl.DateTimeFormat(`${lang}-u-nu-latn`, { dateStyle: 'medium', timeStyle: 'short' });
    for (const time of document.querySelectorAll('time'))
      time.textContent = format.format(new Date(time.dateTime));
  }

  // Rendering: the page as the server renders it, component by component.

  /** Updates run one after another: each compares with what the one before has shown. */
  let updates = Promise.resolve();

  /** Adds what only a script can do: buttons, times, the countdown, the way back to the shop. */
  function enhance() {
    for (const component of document.querySelectorAll('[data-script]')) component.removeAttribute('hidden');
    clearTimeout(deadlineTimer);
    const left = byId('left');
    if (left) {
      const leftMs = Number(left.dataset.seconds) * 1000;
      endsAt = performance.now() + leftMs;
      deadlineTimer = setTimeout(() => {
        updates = updates.then(reload).catch(() => {});
      }, leftMs + AFTER_DEADLINE_MS);
    }
    writeLocalTimes();
    countDown();
    clearTimeout(goBackTimer);
    const success = byId('success');
    if (success instanceof HTMLAnchorElement && byId('going'))
      goBackTimer = setTimeout(() => {
        location.assign(success.href);
      }, GO_BACK_MS);
  }

  /** @param {Document} next */
  function replaceComponents(next) {
    for (const component of next.querySelectorAll('[data-part]')) {
      const old = byId(component.id);
      const digest = component.getAttribute('data-part') ?? '';
      if (!old || old.dataset.part === digest) continue;
      old.dataset.part = digest;
      old.className = component.className;
      old.innerHTML = component.innerHTML;
    }
    const seconds = next.getElementById('left')?.dataset.seconds;
    const left = byId('left');
    if (left && seconds) left.dataset.seconds = seconds;
    const [status, nextStatus] = [byId('status'), next.getElementById('status')];
    if (status && nextStatus) status.className = nextStatus.className;
  }

  /** Shows the page that the server answered with; a page without a payment (an error) changes nothing.
   * @param {string} text */
  function show(text) {
    const next = parse(text);
    const { version, live } = next.body.dataset;
    if (!version) return;
    const focused = document.activeElement?.id;
    replaceComponents(next);
    document.title = next.title;
    shown.version = version;
    shown.live = live;
    enhance();
    if (focused && document.activeElement?.id !== focused) (byId(focused) ?? byId('status'))?.focus();
  }

  async function reload() {
    const answer = await fetch(location.href);
    if (!answer.ok) throw new Error(`page: ${answer.status}`);
    show(await answer.text());
  }

  // The simulator's panel on the page of a test payment.

  let isPlaying = false;

  document.addEventListener('submit', (event) => {
    const { target: form, submitter: button } = event;
    if (!(form instanceof HTMLFormElement) || form.id !== 'play') return;
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    if (!isPlaying) void simulate(form, button);
  });

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLButtonElement} button
   */
  async function simulate(form, button) {
    isPlaying = true;
    let result = form.dataset.failed ?? '';
    let ok = false;
    try {
      const body = new URLSearchParams({ do: button.value });
      const answer = await fetch(form.action, { method: 'POST', body });
      const text = await answer.text();
      ok = answer.ok;
      result = ok ? (button.dataset.done ?? '') : refusalIn(text);
      show(ok ? text : await (await fetch(location.href)).text());
    } catch {
      // `result` says that it did not work.
    }
    isPlaying = false;
    const outcome = byId('outcome');
    if (outcome) {
      outcome.textContent = result;
      outcome.className = ok ? 'small' : 'warning';
    }
    announce(result);
  }

  /** @param {string} text */
  function refusalIn(text) {
    const paragraph = parse(text).querySelector('h1+p');
    if (!paragraph) throw new Error('no message page');
    return paragraph.textContent;
  }

  // Asking for the version.

  let pollMs = POLL_MS;
  /** @type {number | undefined} */
  let pollTimer;

  async function poll() {
    clearTimeout(pollTimer);
    if (document.hidden || shown.live !== 'true') return;
    try {
      const answer = await fetch(statusPath);
      if (!answer.ok) throw new Error(`status: ${answer.status}`);
      const status = /** @type {{ version: string, is_live: boolean }} */ (await answer.json());
      if (status.version !== shown.version) await reload();
      else shown.live = String(status.is_live);
      pollMs = POLL_MS;
    } catch {
      pollMs = Math.min(pollMs * 2, MAX_POLL_MS);
    }
    clearTimeout(pollTimer);
    if (!source) pollTimer = setTimeout(follow, pollMs);
  }

  // Listening to the stream of versions.

  /** @type {EventSource | null} */
  let source = null;
  /** @type {number | undefined} */
  let silenceTimer;
  let breaks = 0;
  let streamPauseMs = STREAM_PAUSE_MS;
  /** On the clock of `performance.now()`: the script does not try the stream before. */
  let listenAt = 0;

  function listen() {
    const stream = new EventSource(`${eventsPath}?version=${shown.version}`);
    source = stream;
    const resetFaults = () => {
      expectEventWithin(MAX_SILENCE_MS);
      breaks = 0;
      streamPauseMs = STREAM_PAUSE_MS;
    };
    stream.addEventListener('message', ({ lastEventId }) => {
      resetFaults();
      updates = updates
        .then(async () => {
          if (lastEventId !== shown.version) await reload();
          if (shown.live !== 'true') stop();
        })
        .catch(fallBack);
    });
    stream.addEventListener('beat', resetFaults);
    stream.addEventListener('error', () => {
      breaks += 1;
      if (stream.readyState === EventSource.CLOSED || breaks >= MAX_BREAKS) fallBack();
    });
    expectEventWithin(FIRST_EVENT_MS);
  }

  /** @param {number} withinMs */
  function expectEventWithin(withinMs) {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(fallBack, withinMs);
  }

  /** Asks instead of listening, for a while. */
  function fallBack() {
    stop();
    listenAt = performance.now() + streamPauseMs;
    streamPauseMs *= 2;
    void poll();
  }

  function stop() {
    clearTimeout(pollTimer);
    clearTimeout(silenceTimer);
    source?.close();
    source = null;
  }

  function follow() {
    stop();
    if (document.hidden || shown.live !== 'true') return;
    if ('EventSource' in window && performance.now() >= listenAt) listen();
    else void poll();
  }

  document.addEventListener('visibilitychange', follow);
  enhance();
  setInterval(countDown, 1000);
  follow();
})();
