/** A duration as people write it: a number and s, m, h or d. Bounded to about three years, so that no sum of them leaves the calendar. */
export const DURATION_PATTERN = '^([0-9]{1,8}s|[0-9]{1,6}m|[0-9]{1,4}h|[0-9]{1,3}d)$';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration that matches DURATION_PATTERN. Throws RangeError for other text. */
export function secondsOf(duration: string): number {
  const unit = duration.slice(-1);
  if (!new RegExp(DURATION_PATTERN).test(duration) || !isUnit(unit))
    throw new RangeError(`not a duration: ${duration}`);
  return Number(duration.slice(0, -1)) * SECONDS[unit];
}

function isUnit(unit: string): unit is keyof typeof SECONDS {
  return Object.hasOwn(SECONDS, unit);
}
