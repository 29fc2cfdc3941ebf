import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { StartError } from '../../platform/config/config.ts';
import { isUnavailable } from '../../platform/postgres/db.ts';
import { flushLogs, messageOf, type Log } from '../../platform/log.ts';
import { reasonOf } from '../../platform/logging/reasons.ts';
import { watchUnhandled } from '../../platform/logging/unhandled.ts';
import { redact } from '../../platform/values/redact.ts';

/**
 * The process ends this long after SIGTERM at the latest: a bit less than the 30 s after which orchestrators
 * kill.
 */
const DRAIN_SECONDS = 25;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: two signals within this time are one. */
const SAME_SIGNAL_MS = 300;

/**
 * By how much of what lives in it the old heap grows before it is collected. By itself V8 lets the 60 MB of a
 * web process double where there is memory: it stood at 205 to 246 MB under load, and at 143 MB with this.
 * What it costs is within the noise of a shared machine: some 5 % of reads at a growth of 50 %, nothing of
 * creations at 30 %. The heap still grows as far as it has to.
 */
const HEAP_GROWING_PERCENT = 35;

/** What a process has opened, and closes at its end. */
export interface Lifetime {
  /** Registers a function to call at the end, in the reverse order, with the name of what it closes. */
  own(name: string, close: () => unknown): void;
  /** True from the first signal on. */
  isDraining(): boolean;
  /** Ends the process as an error of its start does. */
  fail(error: unknown): void;
  /** Null until there is one. */
  log: Log | null;
}

/**
 * Runs a process. When `main` throws, prints the message of an error that the operator can fix, or the stack
 * of any other, closes what was opened and exits with code 1. With `once` the process ends with `main`, with
 * the code that it has set;
 * otherwise it goes on after errors that nothing handles, and the first signal ends it: `main` finishes, then
 * everything is closed, and the exit code is 0, or 1 when that failed or took longer than `drainSeconds`. A
 * second signal ends the process at once. Work that was interrupted is still in Postgres and runs again.
 */
export function runMain(
  main: (lifetime: Lifetime) => Promise<void>,
  {
    once = false,
    signals = ['SIGTERM', 'SIGINT'],
    drainSeconds = DRAIN_SECONDS,
  }: { once?: boolean; signals?: readonly NodeJS.Signals[]; drainSeconds?: number } = {},
): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  const owned: Owned[] = [];
  let closing = 'nothing';
  let drainingSince: number | null = null;
  const lifetime: Lifetime = {
    own: (name, close) => void owned.push({ name, close }),
    isDraining: () => drainingSince !== null,
    fail: (error) => fail(error),
    log: null,
  };
  const drain = (signal: string) => {
    if (drainingSince !== null) {
      if (performance.now() - drainingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    drainingSince = performance.now();
    lifetime.log?.info('draining', { signal });
    void end(0);
  };
  const end = async (code: number) => {
    try {
      await withTimeout(
        drainSeconds,
        started.catch(() => undefined).then(() => closeAll(owned, (name) => (closing = name))),
      );
      flushLogs();
      process.exit(code);
    } catch (error) {
      lifetime.log?.error('could not drain; interrupted jobs run again', {
        error: messageOf(error),
        closing,
      });
      flushLogs();
      process.exit(1);
    }
  };
  for (const signal of signals) process.on(signal, drain);
  // Output to a closed terminal fails, which must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let isStarted = false;
  const fail = (error: unknown) => {
    console.error(redact(startErrorText(error)));
    drainingSince ??= performance.now();
    void end(error instanceof StartError ? error.exitCode : 1);
  };
  // A command that is run once must not report success after such an error.
  watchUnhandled(() => (isStarted && !once ? lifetime.log : null), fail);
  const started = main(lifetime);
  started.then(() => {
    isStarted = true;
    if (once) void end(Number(process.exitCode ?? 0));
  }, fail);
}

/** Settles with `work`; rejects when that takes longer than `seconds`. */
export async function withTimeout<T>(seconds: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const deadline = sleep(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not done after ${seconds} s`);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    timer.abort();
    deadline.catch(() => undefined);
  }
}

interface Owned {
  readonly name: string;
  readonly close: () => unknown;
}

/** Closes everything, also after a failure; `onClosing` hears of each before. */
async function closeAll(owned: Owned[], onClosing: (name: string) => void): Promise<void> {
  const faults: string[] = [];
  for (let one = owned.pop(); one !== undefined; one = owned.pop()) {
    onClosing(one.name);
    try {
      await one.close();
    } catch (error) {
      faults.push(`${one.name}: ${messageOf(error)}`);
    }
  }
  onClosing('nothing');
  if (faults.length > 0) throw new Error(faults.join('; '));
}

/** The text for the operator: the message of an error that they can fix, the stack of any other. */
function startErrorText(error: unknown): string {
  // A host with several addresses, such as localhost, fails once for each, and the error as a whole has no
  // message.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(startErrorText))].join('\n');
  if (error instanceof StartError) return error.message;
  if (isUnavailable(error)) return `Postgres cannot be reached: ${explained(error)}`;
  if (isRefusal(error)) return `Postgres refuses DATABASE_URL: ${explained(error)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The server's words, and ours where those say more: "disk full" in any language. */
function explained(error: unknown): string {
  const reason = reasonOf(error)?.replace(/^Postgres: /, '');
  const message = messageOf(error);
  return reason === undefined || /ECONN|ENOT|ETIME|EHOST/.test(message) ? message : `${reason}: ${message}`;
}

/** SQLSTATE classes 28 (user, password) and 3D (no such database). */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code));
}
