import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startKept } from './kept-process.ts';
import { redisCall, redisCommand, type RedisServer } from './redis.ts';

/** A sentinel that watches one master, and promotes its replica after 1 s. */
export interface Sentinel {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startSentinel(name: string, master: RedisServer): Promise<Sentinel> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'test-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${name} 127.0.0.1 ${new URL(master.url).port} 1`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 3000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const running = await startKept(folder, [redisCommand ?? 'redis-server', file, '--sentinel']);
  const info = (): Promise<string[]> =>
    redisCall(`redis://127.0.0.1:${port}`, 'SENTINEL', 'MASTER', name).then(
      (fields) => fields as string[],
      () => [],
    );
  await running.untilReady('the sentinel knows the replica', async () => {
    const fields = await info();
    return fields[fields.indexOf('num-slaves') + 1] === '1';
  });
  return { port, stop: () => running.stop() };
}
