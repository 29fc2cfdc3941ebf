import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

/** Ends the server ($1 is its folder, the rest its command) when the test run is gone, however it ended. */
const KEEPER = `folder=$1; shift; "$@" >"$folder/output" 2>&1 & pid=$!; echo $pid; read -r stopped; kill -CONT $pid; kill -9 $pid; wait; [ "$stopped" = keep ] || rm -rf "$folder"`;

/** Characters of a server's output, the last ones. */
const MOST_SHOWN = 2_000;

/** A user who owns nothing: some servers refuse to run as root. */
const NOBODY = 65_534;

export interface KeptProcess {
  readonly pid: number;
  /** Kills it; with `keep`, its folder stays. */
  stop(keep?: boolean): Promise<void>;
  /**
   * Resolves once `isReady`. Ends the server, and rejects with what it has printed, where it does not become
   * so: another may have taken its port.
   */
  untilReady(what: string, isReady: () => boolean | Promise<boolean>): Promise<void>;
}

/** Starts a server that ends with the test run, and whose folder is then removed. */
export async function startKept(
  folder: string,
  command: readonly string[],
  user: number | null = null,
): Promise<KeptProcess> {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'sh', folder, ...command], {
    // In a session of its own: Ctrl-C in the terminal must not end it before its folder is gone.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(user === null || process.getuid?.() !== 0 ? {} : { uid: user, gid: user }),
  });
  const [firstLine] = (await once(keeper.stdout, 'data')) as [Buffer];
  let ended: Promise<unknown> | null = null;
  const stop = async (keep = false) => {
    if (ended === null) {
      ended = once(keeper, 'exit');
      keeper.stdin.end(keep ? 'keep\n' : '\n');
    }
    await ended;
  };
  return {
    pid: Number(firstLine),
    stop,
    async untilReady(what, isReady) {
      try {
        await until(what, isReady);
      } catch (cause) {
        const printed = readFileSync(join(folder, 'output'), 'utf8').slice(-MOST_SHOWN);
        await stop();
        throw new Error(`not so: ${what}. The server printed: ${printed}`, { cause });
      }
    },
  };
}

export { NOBODY };
