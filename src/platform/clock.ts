/** The time as the caller should see it. Domain code asks nothing else, so that tests and simulations can move it. */
export type Clock = () => Date;

/** The wall clock: the only place that reads it for the domain. */
export const wallClock: Clock = () => new Date();

/** `date` moved by `seconds`, which may be a fraction or negative. */
export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
