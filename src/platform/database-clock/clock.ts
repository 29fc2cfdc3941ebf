import { runOne, sql, type Db } from '../postgres/db.ts';
import {
  clockFault,
  OFF_SECONDS,
  stateOf,
  WRONG_SECONDS,
  type ClockReport,
  type ClockState,
} from './report.ts';

/** How far clocks drift apart in between is milliseconds. */
const MEASURE_EVERY_MS = 15_000;
/** After a failed measurement: the database is away. */
const RETRY_MS = 1_000;
/** How often the system clock is compared with the monotonic one, which costs nothing. */
const COMPARE_EVERY_MS = 1_000;
/** Somebody has set the system clock, or the machine has slept, which stops the monotonic clock. */
const JUMP_MS = 1_000;
/** Round trips of a measurement. One of them is quick, even while the pool and the process are busy. */
const SAMPLES = 4;
/** While it is corrected, the time runs at half of its speed, or at one and a half times. */
const SLEW_RATE = 0.5;
/** A larger correction is a step: a process whose clock differs by that much does not work anyway. */
const MAX_SLEW_MS = WRONG_SECONDS * 1_000;

export type ReportChange = (level: 'info' | 'warn' | 'error', message: string, fields: object) => void;

/** The clocks of the machine, and the database's, in milliseconds; tests pass their own. */
export interface Sources {
  /** The system clock: anybody may set it, forwards or backwards. */
  readonly system: () => number;
  /** Counts on whatever happens to the system clock. */
  readonly monotonic: () => number;
  readonly database: () => Promise<number>;
}

// Not now(): in a transaction that is the time of its begin.
const databaseTime = sql<{ milliseconds: number }>(
  'database_time',
  'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS milliseconds',
);

/** The clocks of a process on this machine. */
export const sourcesOf = (db: Db): Sources => ({
  system: () => Date.now(),
  monotonic: () => performance.now(),
  database: async () => (await runOne(db, databaseTime, []))?.milliseconds ?? NaN,
});

/**
 * The clock of a process: the database's time, which all processes share, counted on between measurements by
 * the monotonic clock, so that setting the system clock changes nothing here. Corrections up to 30 s are
 * slewed, so that the time never goes back. `measure` once before the process works, then `start`.
 */
export class DatabaseClock implements ClockReport {
  readonly #sources: Sources;
  /** Logs: each change of the state once, and when the database's own time was changed. */
  readonly #onChange: ReportChange;
  /** The database's time minus the monotonic time; null: not measured, and the time is the system clock's. */
  #aheadMs: number | null = null;
  /** How far the time was behind the database's at the monotonic time `at`; it is made up for since. */
  #slew = { at: 0, restMs: 0 };
  #state: ClockState = 'unmeasured';
  #timer: NodeJS.Timeout | null = null;
  #measureAt = -Infinity;
  #difference: number;
  #isMeasuring = false;

  constructor(sources: Sources, onChange: ReportChange) {
    this.#sources = sources;
    this.#onChange = onChange;
    this.#difference = this.#currentDifference();
  }

  /** The database's time. */
  readonly now = (): Date => new Date(this.#databaseMs() - this.#restMs());

  get state(): ClockState {
    return this.#state;
  }

  get offsetSeconds(): number {
    return (this.#sources.system() - this.#databaseMs()) / 1_000;
  }

  /** Measures the database's time now. Rejects with the driver's error; the time then goes on as it did. */
  async measure(): Promise<void> {
    // Before the wait: a jump meanwhile counts as one after it.
    this.#difference = this.#currentDifference();
    const correctedMs = this.#correct(await this.#sample());
    this.#measureAt = this.#sources.monotonic() + MEASURE_EVERY_MS;
    if (Math.abs(correctedMs) > OFF_SECONDS * 1_000)
      this.#onChange('warn', "the database's time has changed, or this machine was suspended", {
        changed_seconds: correctedMs / 1_000,
        correction: Math.abs(correctedMs) > MAX_SLEW_MS ? 'step' : 'slew',
      });
    this.#review();
  }

  /** Measures every 15 s from now on, and at once when the system clock has jumped. */
  start(): void {
    this.#timer ??= setInterval(() => void this.compareOnce(), COMPARE_EVERY_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** One comparison of the clocks; `start` calls it every second. */
  async compareOnce(): Promise<void> {
    const hasJumped = Math.abs(this.#currentDifference() - this.#difference) > JUMP_MS;
    if (this.#isMeasuring || (!hasJumped && this.#sources.monotonic() < this.#measureAt)) return;
    this.#isMeasuring = true;
    try {
      await this.measure();
    } catch {
      // The callers of the database log that it is away.
      this.#measureAt = this.#sources.monotonic() + RETRY_MS;
      this.#review();
    } finally {
      this.#isMeasuring = false;
    }
  }

  #currentDifference(): number {
    return this.#sources.system() - this.#sources.monotonic();
  }

  /** The best estimate of the database's time, which `now` shows once it is corrected. */
  #databaseMs(): number {
    return this.#aheadMs === null ? this.#sources.system() : this.#sources.monotonic() + this.#aheadMs;
  }

  /** What is left to correct. */
  #restMs(): number {
    const { at, restMs } = this.#slew;
    const made = (this.#sources.monotonic() - at) * SLEW_RATE;
    return Math.sign(restMs) * Math.max(0, Math.abs(restMs) - made);
  }

  /** Returns the sample of the shortest round trip; the time may be wrong by half of that. */
  async #sample(): Promise<{ aheadMs: number; errorMs: number }> {
    const { monotonic, database } = this.#sources;
    let best = { aheadMs: 0, errorMs: Infinity };
    for (let i = 0; i < SAMPLES; i += 1) {
      const begin = monotonic();
      const time = await database();
      const errorMs = (monotonic() - begin) / 2;
      if (errorMs < best.errorMs) best = { aheadMs: time - begin - errorMs, errorMs };
    }
    return best;
  }

  /**
   * Corrects the time by what a sample proves: a round trip that took long, because the database or this
   * process was busy, proves little and moves nothing. Returns the correction; 0 for the first, before which
   * nothing has used the time.
   */
  #correct({ aheadMs, errorMs }: { aheadMs: number; errorMs: number }): number {
    const before = this.#aheadMs;
    this.#aheadMs ??= aheadMs;
    if (before === null) return 0;
    const difference = aheadMs - before;
    const proven = Math.sign(difference) * Math.max(0, Math.abs(difference) - errorMs);
    const rest = this.#restMs() + proven;
    this.#slew = { at: this.#sources.monotonic(), restMs: Math.abs(rest) > MAX_SLEW_MS ? 0 : rest };
    this.#aheadMs = before + proven;
    return proven;
  }

  #review(): void {
    const before = this.#state;
    if (this.#aheadMs === null) return;
    this.#state = stateOf(this.offsetSeconds);
    if (this.#state === before || (this.#state === 'right' && before === 'unmeasured')) return;
    const fields = { clock_offset_seconds: this.offsetSeconds };
    const fault = clockFault(this);
    if (fault === null) this.#onChange('info', "the system clock agrees with the database's again", fields);
    else this.#onChange(this.#state === 'wrong' ? 'error' : 'warn', fault, fields);
  }
}
