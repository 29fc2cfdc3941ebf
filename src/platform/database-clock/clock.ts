import type { Db } from '../postgres/db.ts';
import { measure } from './measure.ts';
import { clockFault, OFF_SECONDS, stateOf, type ClockReport, type ClockState } from './report.ts';
import { DatabaseTime, MAX_SLEW_MS, type Measurement, type Sources } from './time.ts';

/** How far clocks drift apart in between is milliseconds. */
const MEASURE_EVERY_MS = 15_000;
/** After a failed measurement: the database is away. */
const RETRY_MS = 1_000;
/** How often the system clock is compared with the monotonic one, which costs nothing. */
const COMPARE_EVERY_MS = 1_000;
/** Somebody has set the system clock, or the machine has slept, which stops the monotonic clock. */
const JUMP_MS = 1_000;

export type ReportChange = (level: 'info' | 'warn' | 'error', message: string, fields: object) => void;

interface Options {
  /** Logs: each change of the state once, and when the database's own time was changed. */
  readonly onChange: ReportChange;
  readonly sources?: Sources;
  readonly measureOnce?: (monotonic: () => number) => Promise<Measurement>;
}

/**
 * The clock of a process: the database's time, which all processes share, whatever the clock of their machine
 * shows. `measure` once before the process works, then `start`.
 */
export class DatabaseClock implements ClockReport {
  readonly #time: DatabaseTime;
  readonly #sources: Sources;
  readonly #measureOnce: (monotonic: () => number) => Promise<Measurement>;
  readonly #onChange: ReportChange;
  #state: ClockState = 'unmeasured';
  #timer: NodeJS.Timeout | null = null;
  #measureAt = -Infinity;
  #difference: number;
  #isMeasuring = false;

  constructor(db: Db, { onChange, sources, measureOnce }: Options) {
    this.#sources = sources ?? { system: () => Date.now(), monotonic: () => performance.now() };
    this.#time = new DatabaseTime(this.#sources);
    this.#measureOnce = measureOnce ?? ((monotonic) => measure(db, monotonic));
    this.#onChange = onChange;
    this.#difference = this.#currentDifference();
  }

  /** The database's time. */
  readonly now = (): Date => this.#time.now();

  get state(): ClockState {
    return this.#state;
  }

  get offsetSeconds(): number {
    return this.#time.offsetMs() / 1000;
  }

  /** Measures the database's time now. Rejects with the driver's error; the time then goes on as it did. */
  async measure(): Promise<void> {
    // Before the wait: a jump meanwhile counts as one after it.
    this.#difference = this.#currentDifference();
    const isFirst = !this.#time.isMeasured;
    const correctedMs = this.#time.correct(await this.#measureOnce(this.#sources.monotonic));
    this.#measureAt = this.#sources.monotonic() + MEASURE_EVERY_MS;
    if (!isFirst) this.#reportCorrection(correctedMs);
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

  #review(): void {
    const before = this.#state;
    if (!this.#time.isMeasured) return;
    this.#state = stateOf(this.offsetSeconds);
    if (this.#state === before || (this.#state === 'right' && before === 'unmeasured')) return;
    const fields = { clock_offset_seconds: this.offsetSeconds };
    const fault = clockFault(this);
    if (fault === null) this.#onChange('info', "the system clock agrees with the database's again", fields);
    else this.#onChange(this.#state === 'wrong' ? 'error' : 'warn', fault, fields);
  }

  #reportCorrection(correctedMs: number): void {
    if (Math.abs(correctedMs) <= OFF_SECONDS * 1000) return;
    this.#onChange('warn', "the database's time has changed, or this machine was suspended", {
      changed_seconds: correctedMs / 1000,
      correction: Math.abs(correctedMs) > MAX_SLEW_MS ? 'step' : 'slew',
    });
  }
}
