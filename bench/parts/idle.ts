import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Redis } from 'ioredis';
import type { Bench } from '../bench.ts';
import { freePort, startService } from '../processes.ts';
import { number } from '../table.ts';

const WEBS = 2;
const WORKERS = 4;
/** After the start, which schedules and reads much once. */
const SETTLING_MS = 5_000;

/** Measures what a service asks of its stores while nothing happens, for so many seconds. */
export async function measureIdle(bench: Bench, seconds: number): Promise<void> {
  const { SIMULATOR_BLOCK_SECONDS: _, ...env } = bench.env;
  for (let web = 0; web < WEBS; web += 1)
    await startService('web', { ...env, PORT: String(await freePort()) });
  for (let worker = 0; worker < WORKERS; worker += 1) await startService('worker', env);
  await sleep(SETTLING_MS);
  const redis = bench.engine === 'redis' ? new Redis(bench.env.REDIS_URL ?? '') : null;
  const before = { transactions: await countTransactions(bench.db), commands: await countCommands(redis) };
  await sleep(seconds * 1000);
  const transactions = ((await countTransactions(bench.db)) - before.transactions) / seconds;
  const commands = ((await countCommands(redis)) - before.commands) / seconds;
  redis?.disconnect();
  const row = { floor: '', limit: `${WEBS} web, ${WORKERS} workers`, target: { atMost: 20 } };
  bench.report({
    ...row,
    title: 'transactions a second of Postgres while nothing happens',
    rounds: [transactions],
    figures: `${number(transactions)} a second`,
  });
  if (redis !== null)
    bench.report({
      ...row,
      title: 'commands a second of Redis while nothing happens',
      rounds: [commands],
      figures: `${number(commands)} a second`,
    });
}

async function countTransactions(db: Client): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.count);
}

/** Those of clients, and what their scripts call. */
async function countCommands(redis: Redis | null): Promise<number> {
  const info = (await redis?.info('stats')) ?? '';
  return Number(/total_commands_processed:(\d+)/.exec(info)?.[1] ?? 0);
}
