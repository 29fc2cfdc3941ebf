/**
 * Following the payment. The script learns of versions by a stream of events (`listen`) or by asking
 * (`poll`), never both. It asks when the stream is refused, breaks three times in a row, or is silent for
 * longer than its heartbeats allow (a proxy holds it back, or the connection is dead), and tries the stream
 * again after a pause that doubles each time. A hidden page does neither, because browsers keep six
 * connections for a host; when it is shown again it catches up, because it sends the version that it shows.
 * When the countdown ends the script fetches the page whatever the version is: versions do not change by
 * time alone.
 */
const POLL_MS = 3000;
const MAX_POLL_MS = 60_000;
const FIRST_EVENT_MS = 10_000;
/** The server sends a heartbeat every 20 s. */
const MAX_SILENCE_MS = 45_000;
const MAX_BREAKS = 3;
const STREAM_PAUSE_MS = 60_000;

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

/** @type {EventSource | null} */
let source = null;
/** @type {number | undefined} */
let silenceTimer;
let breaks = 0;
let streamPauseMs = STREAM_PAUSE_MS;
/** On the clock of `performance.now()`: the script does not try the stream before. */
let listenAt = 0;

/** The components that the page shows: the stream sends those that differ. */
function have() {
  const parts = [...document.querySelectorAll('[data-part]')];
  return parts.map((part) => `${part.id}.${part.getAttribute('data-part')}`).join();
}

function listen() {
  const query = new URLSearchParams({
    version: shown.version ?? '',
    lang: locale,
    chosen: String(pagePath.includes('?')),
    have: have(),
  });
  const stream = new EventSource(`${eventsPath}?${query}`);
  source = stream;
  const resetFaults = () => {
    expectEventWithin(MAX_SILENCE_MS);
    breaks = 0;
    streamPauseMs = STREAM_PAUSE_MS;
  };
  stream.addEventListener('message', ({ lastEventId, data }) => {
    resetFaults();
    const { page } = /** @type {{ page?: string }} */ (JSON.parse(String(data)));
    updates = updates
      .then(async () => {
        if (source !== stream) return;
        if (lastEventId !== shown.version && !(page && show(page))) await reload();
        if (shown.live !== 'true') pause();
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
  pause();
  listenAt = performance.now() + streamPauseMs;
  streamPauseMs *= 2;
  void poll();
}

function pause() {
  clearTimeout(pollTimer);
  clearTimeout(silenceTimer);
  source?.close();
  source = null;
}

function follow() {
  pause();
  if (document.hidden || shown.live !== 'true') return;
  if ('EventSource' in window && performance.now() >= listenAt) listen();
  else void poll();
}

/** Says that the page cannot follow its payment, and follows again as soon as it can. */
function onConnection() {
  const notice = byId('offline');
  const isOffline = !navigator.onLine;
  if (notice && notice.hidden === isOffline) {
    notice.hidden = !isOffline;
    announce(isOffline ? notice.textContent : (byId('said')?.textContent ?? ''));
  }
  if (isOffline) return pause();
  pollMs = POLL_MS;
  listenAt = 0;
  void keepSent();
  follow();
}

document.addEventListener('visibilitychange', follow);
addEventListener('offline', onConnection);
addEventListener('online', onConnection);
enhance();
void sayWhatIsSent();
dispatchEvent(new Event('eip6963:requestProvider'));
setInterval(countDown, 1000);
follow();
