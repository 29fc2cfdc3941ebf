import { setTimeout as sleep } from 'node:timers/promises';
import { wallClock } from '../platform/clock.ts';
import { ConfigError, readConfig, type Config } from '../platform/config.ts';
import type { Context } from '../platform/context.ts';
import { openDb } from '../platform/db.ts';
import { QUEUE_NAMES } from '../platform/job.ts';
import { createLog, messageOf, type Log } from '../platform/log.ts';

/** What is still under way this long after SIGTERM is given up: a bit less than the 30 s after which orchestrators kill. */
const DRAIN_SECONDS = 25;

/** A web request must be answered, with 503 if need be, within 2 s: so long may it wait for a connection and then for an answer. */
export const WEB_DB = { poolSize: 20, acquireMs: 700, queryMs: 1_200 };
/** Workers work in sets and can wait. */
export const WORKER_DB = { poolSize: 20, acquireMs: 10_000, queryMs: 60_000 };

/** The configuration from the environment; on a fault, says which variables are wrong and ends the process. */
export function configOrExit(): Config {
  try {
    return readConfig(process.env, QUEUE_NAMES);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return process.exit(1);
  }
}

/** The context of a process that does nothing but `name`. */
export function createContext(name: string, config: Config, pool: typeof WEB_DB): Context {
  const log = createLog(config, { process: name });
  return { config, log, db: openDb({ url: config.databaseUrl, name, ...pool }), now: wallClock };
}

/**
 * Runs `drain` once, on the first SIGTERM or SIGINT, and then ends the process: with 0 when it ended in time, with 1 when not or when
 * it failed. A second signal ends it at once. Whatever was cut off is still in Postgres and comes back.
 */
export function drainOnSignal(log: Log, drain: () => Promise<void>): void {
  let isDraining = false;
  const begin = (signal: string) => {
    if (isDraining) process.exit(1);
    isDraining = true;
    log.info('draining', { signal });
    const deadline = sleep(DRAIN_SECONDS * 1000).then(() =>
      Promise.reject(new Error(`not done after ${DRAIN_SECONDS} s`)),
    );
    Promise.race([drain(), deadline]).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('could not drain', { error: messageOf(error) });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}

/** Runs a process's main function; an error that reaches here is said in one line and ends the process. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(
      error instanceof Error && error.stack !== undefined && !(error instanceof ConfigError)
        ? error.stack
        : messageOf(error),
    );
    process.exit(1);
  });
}
