import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import type { Log } from './log.ts';

/** What every endpoint and every job gets: values, no container. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  readonly now: Clock;
}
