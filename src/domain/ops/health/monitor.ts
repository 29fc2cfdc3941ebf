import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, type Log } from '../../../platform/log.ts';

/** Something that can go wrong without a request that fails. */
export interface Check {
  readonly name: string;
  readonly everyMs: number;
  /**
   * Returns what is wrong, in words for operators and merchants; nothing: all is well. Throws where it cannot
   * find out.
   */
  look(): Promise<readonly string[]>;
}

export interface Fault {
  readonly check: string;
  readonly reason: string;
}

/** The health of the service as this process sees it. */
export interface HealthReport {
  /** Whether Postgres responds: without it nothing can be served. */
  readonly isReachable: boolean;
  readonly faults: readonly Fault[];
}

/** What a response rests on; no request runs a check. */
export interface HealthSource {
  report(): HealthReport | Promise<HealthReport>;
}

/** A check that takes longer reports that, and goes on. */
const DEADLINE_MS = 3_000;

const UNSEEN = 'could not be looked at';

/**
 * Looks at the checks in the background and remembers what they found. `database` throws where Postgres is
 * unreachable, which explains whatever the others cannot find out then.
 */
export class Monitor implements HealthSource {
  readonly #database: Check;
  readonly #others: readonly Check[];
  readonly #log: Log;
  readonly #found = new Map<Check, readonly string[]>();
  readonly #underway = new Map<Check, Promise<void>>();
  #isReachable = false;
  #reported = '';

  constructor(log: Log, database: Check, others: readonly Check[]) {
    this.#log = log;
    this.#database = database;
    this.#others = others;
  }

  report(): HealthReport {
    const unseen = this.#isReachable ? [] : [UNSEEN];
    const faults = [this.#database, ...this.#others].flatMap((check) =>
      (this.#found.get(check) ?? [])
        .filter((reason) => check === this.#database || !unseen.includes(reason))
        .map((reason) => ({ check: check.name, reason })),
    );
    return { isReachable: this.#isReachable, faults };
  }

  /** Looks at every check once. */
  async lookOnce(): Promise<HealthReport> {
    await Promise.all([this.#database, ...this.#others].map((check) => this.#look(check)));
    return this.report();
  }

  /** Looks once, and then again and again until `signal` aborts. Resolves after the first look. */
  async start(signal: AbortSignal): Promise<void> {
    await this.lookOnce();
    this.#logChange();
    for (const check of [this.#database, ...this.#others]) void this.#loop(check, signal);
  }

  async #loop(check: Check, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(check.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#look(check);
      this.#logChange();
    }
  }

  /** One look at a time: a check that hangs is not run again before it has ended. */
  async #look(check: Check): Promise<void> {
    const looking = this.#underway.get(check) ?? this.#begin(check);
    const timer = new AbortController();
    const deadline = sleep(DEADLINE_MS, true, { signal: timer.signal }).catch(() => false);
    const isLate = await Promise.race([looking.then(() => false), deadline]);
    timer.abort();
    if (isLate) this.#record(check, [`has not answered for ${DEADLINE_MS / 1000} s`], true);
  }

  #begin(check: Check): Promise<void> {
    const looking = check
      .look()
      .then(
        (reasons) => this.#record(check, reasons, false),
        (error: unknown) => {
          const isKnown = error instanceof UnreachableError;
          if (!isKnown) this.#log.debug('check failed', { check: check.name, error: messageOf(error) });
          this.#record(check, [isKnown ? error.message : UNSEEN], true);
        },
      )
      .finally(() => this.#underway.delete(check));
    this.#underway.set(check, looking);
    return looking;
  }

  #record(check: Check, reasons: readonly string[], isUnknown: boolean): void {
    this.#found.set(check, reasons);
    if (check === this.#database) this.#isReachable = !isUnknown;
  }

  /** Logs which checks fail whenever that changes, not each time their words do. */
  #logChange(): void {
    const { faults } = this.report();
    const failing = [...new Set(faults.map(({ check }) => check))].join(', ');
    if (failing === this.#reported) return;
    if (failing === '') this.#log.info('healthy again', { before: this.#reported });
    else this.#log.error('degraded', { checks: failing, faults });
    this.#reported = failing;
    // It also writes down what this process finds, which a command reads.
    void this.#look(this.#database);
  }
}

/** Postgres cannot be asked; the message says why, without names of hosts. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}
