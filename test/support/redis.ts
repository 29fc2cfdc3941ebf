import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/**
 * Ends the server ($1 is its folder, the rest its command) and removes its folder when the test run is gone,
 * however it ended.
 */
const KEEPER = `folder=$1; shift; "$@" >/dev/null & pid=$!; echo $pid; read -r stopped; kill -CONT $pid; kill -9 $pid; wait; rm -rf "$folder"`;

/** The command of Redis or Valkey on this machine; null when there is none. */
export const redisCommand: string | null =
  ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0) ?? null;

export interface RedisServer {
  readonly url: string;
  /** Kills it, with all that it held; `start` brings an empty one back to the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Lets it hang, connections open and no answers, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * A Redis of its own on a free port, that keeps nothing on the disk; `flags` come beside
 * (`['--cluster-enabled', 'yes']`).
 */
export async function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  const command = redisCommand;
  if (command === null) throw new Error('there is neither redis-server nor valkey-server on the PATH');
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let keeper: ChildProcessByStdio<Writable, Readable, null> | null = null;
  let pid = 0;
  const server: RedisServer = {
    url,
    async start() {
      const folder = mkdtempSync(join(tmpdir(), 'test-redis-'));
      const settings = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        'no',
      ];
      keeper = spawn('/bin/sh', ['-c', KEEPER, 'sh', folder, command, ...settings, ...flags], {
        // In a session of its own: Ctrl-C in the terminal must not end it before its folder is gone.
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const [firstLine] = (await once(keeper.stdout, 'data')) as [Buffer];
      pid = Number(firstLine);
      await until('Redis answers', () => answers(url));
    },
    async stop() {
      if (keeper === null) return;
      const ended = once(keeper, 'exit');
      keeper.stdin.end();
      keeper = null;
      await ended;
    },
    freeze: () => void process.kill(pid, 'SIGSTOP'),
    thaw: () => void process.kill(pid, 'SIGCONT'),
  };
  await server.start();
  return server;
}

/** Runs one command on the server at `url`. */
export async function redisCall(url: string, name: string, ...args: string[]): Promise<unknown> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {}); // The command's own error says it.
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

async function answers(url: string): Promise<boolean> {
  return redisCall(url, 'PING').then(
    () => true,
    () => false,
  );
}
