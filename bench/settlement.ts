import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { COLUMN, CONNECTIONS, TITLE, type Bench } from './bench.ts';
import { load, type LoadRequest } from './load.ts';
import { cpuSeconds, startService } from './processes.ts';

const SETTLED = 2_000;

/** Measures payments with autopay at once, from the first creation to the last webhook received. */
export async function benchSettlement(bench: Bench): Promise<void> {
  let received = 0;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1;
      response.end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  await bench.db.query(`UPDATE merchants SET webhook_url = $1, webhooks_enabled = true`, [
    `http://127.0.0.1:${port}/`,
  ]);
  await bench.db.query('TRUNCATE scheduled_jobs');
  const env = { ...bench.env, SIMULATOR_AUTOPAY_SECONDS: '0' };
  const web = await startService('web', env);
  const next = (): LoadRequest => ({
    method: 'POST',
    path: '/v1/payment',
    body: '{"pay_amount":"10.50","order_id":"settle"}',
  });
  await load(bench.origin, { headers: bench.headers, connections: CONNECTIONS, count: SETTLED, next });
  await web.stop();

  const startedAt = performance.now();
  const worker = await startService('worker', env);
  const settledAt = await until(
    async () => (await count(bench.db, `SELECT count(*) FROM payments WHERE status = 'SETTLED'`)) >= SETTLED,
  );
  const deliveredAt = await until(() => Promise.resolve(received >= SETTLED * 4));
  const cpu = cpuSeconds(worker.pid);
  await worker.stop();
  receiver.close();
  console.log(
    `${'payments settled'.padEnd(TITLE)}${perSecond(SETTLED, settledAt - startedAt)}   (12 blocks of 0.2 s of waiting included)`,
  );
  console.log(
    `${'webhooks delivered'.padEnd(TITLE)}${perSecond(SETTLED * 4, deliveredAt - startedAt)}   (${((cpu * 10_000) / (SETTLED * 4)).toFixed(2)} CPU s of the worker per 10,000, settling included)`,
  );
}

function perSecond(count: number, milliseconds: number): string {
  return ((count * 1000) / milliseconds).toFixed(0).padStart(COLUMN);
}

async function until(isTrue: () => Promise<boolean>): Promise<number> {
  const giveUpAt = performance.now() + 300_000;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error('not done after 5 minutes');
    await sleep(20);
  }
  return performance.now();
}

async function count(db: Client, sql: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>(sql);
  return Number(rows[0]?.count);
}
