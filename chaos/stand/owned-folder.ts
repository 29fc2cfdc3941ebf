import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The small file system that may be mounted in a folder. */
export const DISK = 'disk';

/**
 * Waits for the end of its input, then ends every process that was started for a folder, unmounts its disk
 * and removes it; a folder that is gone was swept. A process is known by the folder of its temporary files
 * or, as Redis, whose title overwrites its environment, by where it works, and one of Postgres, whose
 * environment holds nothing of ours, by its data. A server of Postgres ends by SIGQUIT, because SIGKILL would
 * leave its shared memory; a frozen one is woken for it. It learns the folder from its input: on its command
 * line, it would name itself.
 */
const SWEEP = `
  read -r folder; read -r ended
  [ -e "$folder" ] || exit 0
  found() {
    printf 'TMPDIR=%s\\nPGDATA=%s\\n' "$folder" "$folder" | grep -lsFf - /proc/[0-9]*/environ
    find /proc/[0-9]*/cwd -maxdepth 0 -lname "$folder/*" 2>/dev/null
    for file in $(printf '%s/\\n' "$folder" | grep -lsFf - /proc/[0-9]*/cmdline); do
      case $(cat "\${file%cmdline}comm") in postgres | initdb) echo "$file" ;; esac
    done
  }
  for look in $(seq 300); do
    files=$(found)
    for file in $files; do
      pid=\${file#/proc/} pid=\${pid%/*}
      if [ "$look" -lt 100 ] && [ "$(cat "/proc/$pid/comm")" = postgres ]; then
        kill -QUIT "$pid"
        kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children")
      else
        kill -9 "$pid"
      fi
    done
    [ -z "$files" ] || { sleep 0.1; continue; }
    umount -l "$folder/${DISK}"
    rm -rf "$folder"
    [ -e "$folder" ] || exit 0
  done
  exit 1`;

/** A temporary folder that owns what is started after it. */
export interface OwnedFolder {
  readonly path: string;
  /** Ends what it owns, and removes it; returns when all is gone. */
  sweep(): void;
}

/**
 * Makes a folder that owns every process, server and mount that is started from now on, until its end. It is
 * swept when this process ends, by itself, by an error that nothing handles or by a signal: at once, so that
 * nothing can be started meanwhile. After kill -9 the keeper, which was started before all else, does it.
 */
export function ownFolder(): OwnedFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'chaos-')));
  const { PATH } = process.env;
  // In a session of its own: what ends this process's group must not end it.
  const keeper = spawn('/bin/sh', ['-c', SWEEP], {
    cwd: '/',
    env: { PATH },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It may be gone; then the end of this process sweeps alone.
  keeper.stdin.on('error', () => undefined);
  keeper.stdin.write(`${path}\n`);
  keeper.unref();
  const outside = process.env['TMPDIR'];
  process.env['TMPDIR'] = path;
  let isSwept = false;
  const sweep = () => {
    if (isSwept) return;
    isSwept = true;
    if (outside === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outside;
    const { status } = spawnSync('/bin/sh', ['-c', SWEEP], {
      cwd: '/',
      env: { PATH },
      input: `${path}\n`,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    if (status !== 0)
      console.error(`not all that uses ${path} could be ended: see "grep -l" in /proc/*/cmdline`);
    keeper.stdin.end();
  };
  process.once('exit', sweep);
  return { path, sweep };
}

/** A signal ends this process as an error does, so that what it owns is swept. */
export function endBySignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
