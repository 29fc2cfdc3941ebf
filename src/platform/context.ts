import type { Clock, TestClock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { ClockReport } from './database-clock/report.ts';
import type { Db } from './postgres/db.ts';
import type { Log } from './log.ts';
import type { Replica } from './replica.ts';

/** Who does something, for the audit log: a person of the desk, an API key, or an operator's command. */
export interface Actor {
  readonly kind: 'person' | 'key' | 'command';
  /** A person's id, a key's visible prefix, or user@host as the command saw them, behind OPS_ACTOR. */
  readonly actor: string;
  /** From where; null: a command. */
  readonly address: string | null;
}

/** What every endpoint and every handler gets: values, no container. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  /** The time of the payment at hand: real, or that of its test clock. */
  readonly now: Clock;
  /** Real time, for signatures that others check against their own clocks: the database's. */
  readonly systemNow: Clock;
  /** Uniform in [0, 1); a scenario passes its own, so that a run can be repeated. */
  readonly random: () => number;
  /** Null: the system clock. */
  readonly testClock: TestClock | null;
  /** How the machine's clock compares with the database's; absent: the context has a clock of its own. */
  readonly clock?: ClockReport;
  /** Serves reads that cost much; absent: the primary does. */
  readonly replica?: Replica;
  /** Whose key asks; absent: no request with a key does. */
  readonly actor?: Actor | undefined;
  /** The id of the worker whose run this is; absent: a request's. */
  readonly worker?: string;
}
