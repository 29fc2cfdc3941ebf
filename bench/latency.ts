import { setTimeout as sleep } from 'node:timers/promises';
import { openQueueEngine } from '../src/background/queues.ts';
import { newWebhookSecret } from '../src/domain/webhooks/secrets/secret-box.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { QUEUE_NAMES } from '../src/platform/job.ts';
import { createLog } from '../src/platform/log.ts';
import { COLUMN, TITLE, type Bench } from './bench.ts';
import { startFloor, startService } from './processes.ts';
import { quantile, until, type Receivers } from './receivers.ts';

const PER_SECOND = 50;
export const PAYMENTS = 1_000;
const ENDPOINTS = 100;
const HANGING = 20;

/** Measures from a payment's commit to its first event at a steady rate, also beside endpoints that hang. */
export async function benchLatency(bench: Bench, receivers: Receivers): Promise<void> {
  await bench.db.query('TRUNCATE scheduled_jobs, deliveries, delivery_attempts, webhook_endpoints');
  const web = await startService('web', bench.env);
  const floor = await floorLatencies(bench, receivers);
  const worker = await startService('worker', bench.env);
  await steady(bench, receivers, 100); // warm-up
  const alone = await steady(bench, receivers, PAYMENTS);
  receivers.hangBelow(1 + HANGING);
  const beside = await steady(bench, receivers, PAYMENTS);
  receivers.hangBelow(0);
  await worker.stop();
  await web.stop();
  print(`commit to receipt, ${PER_SECOND}/s`, alone, `floor ${show(floor)}`);
  print(
    `  with ${HANGING} of ${ENDPOINTS} hanging`,
    beside,
    `the other ${ENDPOINTS - HANGING}: ${(quantile(beside, 0.99) / quantile(alone, 0.99)).toFixed(2)} of the p99 without`,
  );
}

/**
 * Creates payments at the rate, each for the next endpoint, and returns the latencies in milliseconds of the
 * endpoints that respond.
 */
export async function steady(bench: Bench, receivers: Receivers, payments: number): Promise<number[]> {
  receivers.reset();
  const committedAt = new Map<string, number>();
  await atRate(payments, async (index) => {
    const host = 1 + (index % ENDPOINTS);
    const response = await fetch(`${bench.origin}/v1/payment`, {
      method: 'POST',
      headers: bench.headers,
      body: JSON.stringify({
        pay_amount: '10.50',
        order_id: `steady-${index}`,
        callback_url: receivers.url(host),
      }),
    });
    const { id } = (await response.json()) as { id: string };
    // A web process that has just started may refuse requests with 503: they stored nothing.
    if (response.status === 201 && host > HANGING) committedAt.set(id, performance.now());
  });
  await until(() => [...committedAt.keys()].every((id) => receivers.arrivedAt.has(id)));
  return [...committedAt].map(([id, at]) => Math.max(0, (receivers.arrivedAt.get(id) ?? 0) - at));
}

/** Measures the floor: from the job's acceptance by the queue to its arrival. */
async function floorLatencies(bench: Bench, receivers: Receivers): Promise<number[]> {
  const { rows } = await bench.db.query<{ id: string; payment_id: string }>(
    `SELECT id, payment_id FROM events WHERE callback_url IS NOT NULL ORDER BY id LIMIT ${PAYMENTS}`,
  );
  await bench.db.query('TRUNCATE floor_deliveries');
  const config = readConfig(bench.env, QUEUE_NAMES);
  const engine = openQueueEngine(config, createLog(config, { process: 'bench' }));
  const queue = engine.openQueue('webhook-delivery');
  const floor = await startFloor({ ...bench.env, FLOOR_SECRET: newWebhookSecret() });
  receivers.reset();
  const addedAt = new Map<string, number>();
  await atRate(rows.length, async (index) => {
    const event = rows[index];
    if (event === undefined) return;
    await queue.addBulk([{ name: 'floor', data: { keys: [event.id] } }]);
    addedAt.set(event.payment_id, performance.now());
  });
  await until(() => [...addedAt.keys()].every((id) => receivers.arrivedAt.has(id)));
  await floor.stop();
  await queue.close();
  await engine.close();
  return [...addedAt].map(([id, at]) => Math.max(0, (receivers.arrivedAt.get(id) ?? 0) - at));
}

/** Begins `work` PER_SECOND times a second, however long each takes. */
async function atRate(times: number, work: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const under = Array.from({ length: times }, async (_, index) => {
    await sleep(startedAt + (index * 1000) / PER_SECOND - performance.now());
    await work(index);
  });
  await Promise.all(under);
}

export function print(title: string, latencies: readonly number[], remark: string): void {
  console.log(`${title.padEnd(TITLE)}${show(latencies).padStart(COLUMN)}   (${remark})`);
}

function show(latencies: readonly number[]): string {
  return `p50 ${quantile(latencies, 0.5).toFixed(0)} ms, p99 ${quantile(latencies, 0.99).toFixed(0)} ms`;
}
