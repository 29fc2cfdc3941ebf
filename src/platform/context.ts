import type { Clock, TestClock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Db } from './postgres/db.ts';
import type { Log } from './log.ts';

/** What every endpoint and every handler gets: values, no container. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  /** The time of the payment at hand: real, or that of its test clock. */
  readonly now: Clock;
  /** Real time, for signatures that others check against their own clocks. */
  readonly systemNow: Clock;
  /** Uniform in [0, 1); a scenario passes its own, so that a run can be repeated. */
  readonly random: () => number;
  /** Null: the system clock. */
  readonly testClock: TestClock | null;
}
