import type { Clock, TestClock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Db } from './postgres/db.ts';
import type { Log } from './log.ts';

/** What every endpoint and every job gets: values, no container. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  /** The time of what is being worked on: real, or that of a test payment's own world. */
  readonly now: Clock;
  /** The real time, for signatures that others check against their own clocks. */
  readonly systemNow: Clock;
  /** Uniform in [0, 1); a story gives its own, so that it can be told again. */
  readonly random: () => number;
  /** Null in the world that everybody shares. */
  readonly testClock: TestClock | null;
}
