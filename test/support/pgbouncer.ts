import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { NOBODY, startKept } from './kept-process.ts';

/** A PgBouncer on this machine. */
export interface PgBouncer {
  readonly command: readonly string[];
  readonly version: string;
  /** Whether it keeps prepared statements in transaction mode: from 1.21 on. */
  readonly keepsPrepared: boolean;
}

/**
 * Mocha's `it` where PgBouncer keeps prepared statements; otherwise the case is pending, and its title says
 * what it needs.
 */
export function itKeepingPrepared({
  version,
  keepsPrepared,
}: PgBouncer): (title: string, run: Mocha.AsyncFunc) => void {
  return (title, run) =>
    keepsPrepared ? it(title, run) : it(`${title} (needs PgBouncer 1.21 or newer, this is ${version})`);
}

export interface RunningPgBouncer {
  /** The same database, through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The ones that are tested: `pgbouncer` of the PATH, and those of PGBOUNCERS, commands separated by commas.
 */
export const PGBOUNCERS: readonly PgBouncer[] = ['pgbouncer', ...(process.env.PGBOUNCERS ?? '').split(',')]
  .map((command) => command.split(' ').filter((word) => word !== ''))
  .filter((command) => command.length > 0)
  .flatMap((command) => {
    const { status, stdout } = spawnSync(command[0] ?? '', [...command.slice(1), '--version']);
    const version = /PgBouncer (\d+\.\d+\.\d+)/.exec(String(stdout))?.[1];
    if (status !== 0 || version === undefined) return [];
    return [{ command, version, keepsPrepared: Number(version.split('.')[1]) >= 21 }];
  });

/** Runs PgBouncer before `databaseUrl`; `settings` are added to its own, `pool_mode` among them. */
export async function startPgBouncer(
  { command }: PgBouncer,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<RunningPgBouncer> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'test-pgbouncer-'));
  const port = Number(settings.listen_port ?? (await freePort()));
  const name = target.pathname.slice(1);
  const server = `host=${target.hostname} port=${target.port} dbname=${name} user=${target.username} password=${decodeURIComponent(target.password)}`;
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    max_client_conn: 500,
    default_pool_size: 20,
    ...settings,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, ['[databases]', `${name} = ${server}`, '[pgbouncer]', ...lines, ''].join('\n'));
  chmodSync(folder, 0o700);
  // PgBouncer refuses to run as root.
  if (process.getuid?.() === 0) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY);
  const running = await startKept(folder, [...command, file], NOBODY);
  await running.untilReady('PgBouncer listens', () => accepts(port));
  target.hostname = '127.0.0.1';
  target.port = String(port);
  return { url: target.href, stop: () => running.stop() };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
