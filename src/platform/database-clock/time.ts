/** The database's time, as one round trip has shown it. */
export interface Measurement {
  /** The middle of the round trip, on the scale of `Sources.monotonic`. */
  readonly at: number;
  /** The database's time at that moment, in milliseconds since 1970. */
  readonly time: number;
  /** Half of the round trip: the database's time may be wrong by as much. */
  readonly errorMs: number;
}

/** The clocks of the machine, in milliseconds; tests pass their own. */
export interface Sources {
  /** The system clock: anybody may set it, forwards or backwards. */
  readonly system: () => number;
  /** Counts on whatever happens to the system clock. */
  readonly monotonic: () => number;
}

const MACHINE: Sources = { system: () => Date.now(), monotonic: () => performance.now() };

/** While it corrects itself, the time runs at half of its speed, or at one and a half times. */
const SLEW_RATE = 0.5;
/**
 * A larger correction is a step. Slewed, it would take more than a minute, and a process whose clock differs
 * by that much from the database's does not work anyway.
 */
export const MAX_SLEW_MS = 30_000;

/**
 * The database's time, between two measurements counted on by the monotonic clock: setting the system clock
 * changes nothing here. Corrections are slewed, so that the time never goes back; only a correction beyond
 * MAX_SLEW_MS is a step. Before the first measurement it is the system clock's time.
 */
export class DatabaseTime {
  readonly #sources: Sources;
  /** The monotonic time of the last correction, this clock's time then, and what was left to correct. */
  #anchor: { readonly at: number; readonly time: number; readonly restMs: number } | null = null;

  constructor(sources: Sources = MACHINE) {
    this.#sources = sources;
  }

  get isMeasured(): boolean {
    return this.#anchor !== null;
  }

  now(): Date {
    return new Date(this.#timeAt(this.#sources.monotonic()));
  }

  /** The system clock's time minus the database's; 0 before the first measurement. */
  offsetMs(): number {
    return this.#sources.system() - this.#goalAt(this.#sources.monotonic());
  }

  /**
   * Corrects the time by what the measurement proves: a round trip that took long, because the database or
   * this process was busy, proves little and moves nothing. Returns the correction in milliseconds; 0 for the
   * first measurement, before which nothing has used the time.
   */
  correct({ at, time, errorMs }: Measurement): number {
    const now = this.#sources.monotonic();
    const measured = time + (now - at);
    if (this.#anchor === null) {
      this.#anchor = { at: now, time: measured, restMs: 0 };
      return 0;
    }
    const difference = measured - this.#goalAt(now);
    const proven = Math.sign(difference) * Math.max(0, Math.abs(difference) - errorMs);
    const goal = this.#goalAt(now) + proven;
    const current = this.#timeAt(now);
    const isStep = Math.abs(goal - current) > MAX_SLEW_MS;
    this.#anchor = isStep
      ? { at: now, time: goal, restMs: 0 }
      : { at: now, time: current, restMs: goal - current };
    return proven;
  }

  /** What this clock shows. */
  #timeAt(monotonic: number): number {
    if (this.#anchor === null) return this.#sources.system();
    const { at, time, restMs } = this.#anchor;
    const elapsed = monotonic - at;
    const corrected = Math.sign(restMs) * Math.min(Math.abs(restMs), elapsed * SLEW_RATE);
    return time + elapsed + corrected;
  }

  /** What it shows once it is corrected: the best estimate of the database's time. */
  #goalAt(monotonic: number): number {
    if (this.#anchor === null) return this.#sources.system();
    const { at, time, restMs } = this.#anchor;
    return time + (monotonic - at) + restMs;
  }
}
