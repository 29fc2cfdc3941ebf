/** The current time. Domain code reads no other clock, so that tests and test clocks can move it. */
export type Clock = () => Date;

/** `date` moved by `seconds`, which may be a fraction or negative. */
export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

/** The clock of an isolated test payment: it exists once the payment's time was advanced. */
export interface TestClock {
  readonly id: string;
  /** How far it is ahead of real time. */
  readonly offsetMs: number;
  /** Until then (real time) one request advances the clock and runs its jobs itself; null: none does. */
  readonly frozenUntil: Date | null;
}

/** When, in real time, a worker may lease a job that is due at `runAt` on its clock. */
export function visibleAt(runAt: Date, clock: TestClock | null): Date {
  if (clock === null) return runAt;
  const at = runAt.getTime() - clock.offsetMs;
  return new Date(Math.max(at, clock.frozenUntil?.getTime() ?? at));
}
