/**
 * Bounds of how long payments took from their creation to SETTLED, in seconds. Of each there is one number,
 * and a last one for what took longer: numbers of several quarters of an hour can be added, medians cannot.
 * They are stored by their position: a change needs all counts again.
 */
export const SETTLE_BOUNDS = [
  10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 600, 900, 1_200, 1_800, 2_700, 3_600, 5_400, 7_200,
  10_800, 14_400, 21_600, 28_800, 43_200, 86_400, 172_800,
] as const;

/** How many numbers there are. */
export const SETTLE_TIMES = SETTLE_BOUNDS.length + 1;

/** The first position of the numbers is 1, as in SQL. */
export const POSITIONS: readonly number[] = Array.from({ length: SETTLE_TIMES }, (_, i) => i + 1);

/** Within how many seconds half of the payments settled. */
export interface HalfSettled {
  /** One of the bounds; null: it took longer than the last. */
  readonly withinSeconds: number | null;
}

/** Returns within what time half of the payments settled; null: there was none. */
export function halfSettled(times: readonly number[]): HalfSettled | null {
  const count = times.reduce((sum, one) => sum + one, 0);
  if (count === 0) return null;
  let settled = 0;
  const at = times.findIndex((one) => (settled += one) * 2 >= count);
  return { withinSeconds: SETTLE_BOUNDS[at] ?? null };
}
