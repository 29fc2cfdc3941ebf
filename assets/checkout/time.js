// The countdown, and times in the customer's own zone.

/** The server acts on a deadline shortly after it. */
const AFTER_DEADLINE_MS = 1500;
/** Announced once each, in seconds before the clock's end; from then on it is amber, and red. */
const WARN_AT = [300, 60];
const SAME_DAY_MS = 12 * 3600 * 1000;

/** On the clock of `performance.now()`. */
let endsAt = 0;
/** Seconds that were left at the last look. */
let leftBefore = 0;
/** @type {number | undefined} */
let deadlineTimer;

/** As a clock: 4:09, or 1:04:09.
 * @param {number} seconds */
function timeLeft(seconds) {
  /** @param {number} value */
  const two = (value) => String(value % 60).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}`;
}

/** @param {number} value */
const inMinutes = (value) =>
  new Intl.NumberFormat(numbers, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(value);

const secondsLeft = () => Math.max(0, Math.round((endsAt - performance.now()) / 1000));

function countDown() {
  const left = byId('left');
  if (!left) return;
  const seconds = secondsLeft();
  const warning = WARN_AT.find((at) => leftBefore > at && seconds <= at && seconds > 0);
  leftBefore = seconds;
  const text = timeLeft(seconds);
  if (warning !== undefined && !isPutAway(left))
    announce((left.closest('p')?.textContent ?? '').replace(left.textContent, inMinutes(warning / 60)));
  if (left.textContent !== text) left.textContent = text;
  const [soon = 0, last = 0] = WARN_AT;
  left.className = seconds <= last ? 'last' : seconds <= soon ? 'soon' : '';
}

/** The server's clock counts: the customer's may be wrong.
 * @param {() => Promise<void>} whenOver */
function startCountdown(whenOver) {
  const left = byId('left');
  // What the server did not set again goes on: an update of other components sets no clock back.
  if (left && !left.dataset.seconds) return;
  clearTimeout(deadlineTimer);
  if (!left) return;
  const leftMs = Number(left.dataset.seconds) * 1000;
  left.dataset.seconds = '';
  endsAt = performance.now() + leftMs;
  leftBefore = secondsLeft();
  deadlineTimer = setTimeout(() => void whenOver(), leftMs + AFTER_DEADLINE_MS);
  countDown();
}

function writeLocalTimes() {
  const short = new Intl.DateTimeFormat(numbers, { timeStyle: 'short' });
  const long = new Intl.DateTimeFormat(numbers, { dateStyle: 'medium', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    // What the server wrote without a date is near for it too, whatever the customer's clock says.
    const isNear = time.dataset.near !== undefined && secondsLeft() * 1000 < SAME_DAY_MS;
    time.textContent = (isNear ? short : long).format(at);
  }
}
