// The countdown, and times in the customer's own zone.

/** The server acts on a deadline shortly after it. */
const AFTER_DEADLINE_MS = 1500;
/** Announced once each, in seconds before the deadline. */
const WARN_AT = [300, 60];
const SAME_DAY_MS = 12 * 3600 * 1000;

/** On the clock of `performance.now()`. */
let endsAt = 0;
/** Seconds that were left at the last look. */
let leftBefore = 0;
/** @type {number | undefined} */
let deadlineTimer;

/**
 * @param {'hour' | 'minute'} unit
 * @param {number} value
 */
function inUnit(unit, value) {
  const format = /** @type {const} */ ({ style: 'unit', unit, unitDisplay: 'long' });
  return new Intl.NumberFormat(numbers, format).format(value);
}

/** @param {number} seconds */
function timeLeft(seconds) {
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 300) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return minutes > 90 ? inUnit('hour', Math.round(minutes / 60)) : inUnit('minute', minutes);
}

const secondsLeft = () => Math.max(0, Math.round((endsAt - performance.now()) / 1000));

function countDown() {
  const left = byId('left');
  if (!left) return;
  const seconds = secondsLeft();
  const warning = WARN_AT.find((at) => leftBefore > at && seconds <= at && seconds > 0);
  leftBefore = seconds;
  const text = timeLeft(seconds);
  if (warning !== undefined)
    announce(
      (left.closest('p')?.textContent ?? '').replace(left.textContent, inUnit('minute', warning / 60)),
    );
  if (left.textContent !== text) left.textContent = text;
}

/** The server's clock counts: the customer's may be wrong.
 * @param {() => Promise<void>} whenOver */
function startCountdown(whenOver) {
  clearTimeout(deadlineTimer);
  const left = byId('left');
  if (!left) return;
  const leftMs = Number(left.dataset.seconds) * 1000;
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
