import { openQueueEngine } from '../src/background/queues.ts';
import { webhookClientOf } from '../src/domain/webhooks/client/client.ts';
import { newWebhookSecret } from '../src/domain/webhooks/secrets/secret-box.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { QUEUE_NAMES } from '../src/platform/job.ts';
import { createLog } from '../src/platform/log.ts';
import { signWebhook } from '../src/sdk/sign.ts';
import { COLUMN, CONNECTIONS, TITLE, type Bench } from './bench.ts';
import { cpuSeconds, startFloor, startService, type Service } from './processes.ts';
import { until, type Receivers } from './receivers.ts';

const EVENTS = 10_000;
const ENDPOINTS = 100;

/**
 * Measures how fast recorded events reach their receivers, from the first to the last, beside the floor on
 * the same engine. Ours is the whole path: dispatch, scheduled jobs, the queue, the request, a row per
 * attempt.
 */
export async function benchDeliveries(bench: Bench, receivers: Receivers): Promise<void> {
  await bench.db.query(
    'CREATE TABLE floor_deliveries (event_id text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL, ok boolean NOT NULL)',
  );
  const { rows } = await bench.db.query<{ id: string; body: string }>(
    `SELECT id, body FROM events WHERE type = 'checkout.created' ORDER BY id DESC LIMIT ${EVENTS}`,
  );
  const ids = rows.map(({ id }) => id);
  await post(bench, receivers, rows);
  for (const endpoints of [1, ENDPOINTS]) {
    await direct(bench, receivers, ids, endpoints);
    const floor = await measureFloor(bench, receivers, ids);
    const ours = await measureOurs(bench, receivers, ids);
    const trips = `${ours.cpu.toFixed(2)} CPU s of the worker per 10,000, floor ${floor.cpu.toFixed(2)}`;
    console.log(
      `${`webhooks, ${endpoints} endpoint${endpoints > 1 ? 's' : ''}`.padEnd(TITLE)}${ours.perSecond.toFixed(0).padStart(COLUMN)} per s, ${(ours.perSecond / floor.perSecond).toFixed(2)} of the floor of ${floor.perSecond.toFixed(0)}   (${trips})`,
    );
  }
}

/** Signs and POSTs without queue or database: the limit of the HTTP client. */
async function post(
  bench: Bench,
  receivers: Receivers,
  events: readonly { id: string; body: string }[],
): Promise<void> {
  const client = webhookClientOf(readConfig(bench.env, QUEUE_NAMES));
  const secrets = newWebhookSecret();
  const rest = [...events];
  const startedAt = performance.now();
  const lane = async () => {
    for (let event = rest.pop(); event !== undefined; event = rest.pop())
      await client.post(
        receivers.url(1),
        signWebhook({ eventId: event.id, rawBody: event.body, secrets }),
        event.body,
      );
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const perSecond = (events.length * 1000) / (performance.now() - startedAt);
  await client.close();
  console.log(
    `${'sign and POST, nothing else'.padEnd(TITLE)}${perSecond.toFixed(0).padStart(COLUMN)} per s   (receiver in the same process)`,
  );
}

/** Spreads the events over the endpoints. */
async function direct(
  { db }: Bench,
  receivers: Receivers,
  ids: readonly string[],
  endpoints: number,
): Promise<void> {
  const urls = ids.map((_, i) => receivers.url(1 + (i % endpoints)));
  await db.query(
    'UPDATE events SET callback_url = n.url FROM unnest($1::text[], $2::text[]) AS n (id, url) WHERE events.id = n.id',
    [ids, urls],
  );
  await db.query(
    'TRUNCATE scheduled_jobs, deliveries, delivery_attempts, webhook_endpoints, floor_deliveries',
  );
}

async function measureFloor(bench: Bench, receivers: Receivers, ids: readonly string[]) {
  const config = readConfig(bench.env, QUEUE_NAMES);
  const engine = openQueueEngine(config, createLog(config, { process: 'bench' }));
  const queue = engine.openQueue('webhook-delivery');
  await queue.addBulk(ids.map((id) => ({ name: 'floor', data: { keys: [id] } })));
  const result = await measure(
    () => startFloor({ ...bench.env, FLOOR_SECRET: newWebhookSecret() }),
    receivers,
    ids.length,
    async () => (await count(bench, 'floor_deliveries')) >= ids.length,
  );
  await queue.close();
  await engine.close();
  return result;
}

async function measureOurs(bench: Bench, receivers: Receivers, ids: readonly string[]) {
  await bench.db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at) SELECT 'event.fan-out', id, now(), now() FROM unnest($1::text[]) AS id`,
    [ids],
  );
  return measure(
    () => startService('worker', bench.env),
    receivers,
    ids.length,
    async () => (await count(bench, `deliveries WHERE status = 'delivered'`)) >= ids.length,
  );
}

/** Measures from the first arrival to the last and its record; the start of the process is excluded. */
async function measure(
  start: () => Promise<Service>,
  receivers: Receivers,
  events: number,
  isDone: () => Promise<boolean>,
): Promise<{ perSecond: number; cpu: number }> {
  receivers.reset();
  const service = await start();
  const startedAt = performance.now();
  const cpuBefore = cpuSeconds(service.pid);
  await until(() => receivers.count() >= events);
  const endedAt = await until(isDone);
  const cpu = ((cpuSeconds(service.pid) - cpuBefore) * 10_000) / events;
  await service.stop();
  return { perSecond: (events * 1000) / (endedAt - startedAt), cpu };
}

async function count({ db }: Bench, from: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>(`SELECT count(*) FROM ${from}`);
  return Number(rows[0]?.count);
}
