/** The time as the caller should see it. Domain code asks nothing else, so that tests and simulations can move it. */
export type Clock = () => Date;

/** The wall clock: the only place that reads it for the domain. */
export const systemClock: Clock = () => new Date();

/** `date` moved by `seconds`, which may be a fraction or negative. */
export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

/** The clock of a world of its own, in which a test payment lives once its time was wound. */
export interface TestClock {
  readonly id: string;
  /** How far the world's time is ahead of the real one. */
  readonly offsetMs: number;
  /** Somebody winds the clock, and does the world's work himself, until then (real time); null: nobody does. */
  readonly frozenUntil: Date | null;
}

/** When, in real time, work that is due at `runAt` in its world may be handed over. */
export function visibleAt(runAt: Date, clock: TestClock | null): Date {
  if (clock === null) return runAt;
  const at = runAt.getTime() - clock.offsetMs;
  return new Date(Math.max(at, clock.frozenUntil?.getTime() ?? at));
}
