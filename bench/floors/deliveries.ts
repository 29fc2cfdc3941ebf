/**
 * The floor that deliveries are compared with, as a separate process: a BullMQ worker that takes an event's
 * id and makes one named SELECT, one signed POST with the same HTTP client, and one named INSERT. It has no
 * retries, no log of attempts and no fairness.
 */
import { openQueueEngine } from '../../src/background/queues.ts';
import { webhookClientOf } from '../../src/domain/webhooks/client/client.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { openDb, run, runOne, sql } from '../../src/platform/postgres/db.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { createLog } from '../../src/platform/log.ts';
import { signWebhook } from '../../src/sdk/sign.ts';
import { WORKER_DB } from '../../src/processes/setup/context.ts';

const config = readConfig(process.env, QUEUE_NAMES);
const log = createLog(config, { process: 'floor' });
const db = openDb({ url: config.databaseUrl, name: 'floor', ...WORKER_DB });
const engine = openQueueEngine(config, log);
const webhooks = webhookClientOf(config);
const secrets = [process.env.FLOOR_SECRET ?? ''];

const eventById = sql<{ body: string; callback_url: string }>(
  'floor_event',
  'SELECT body, callback_url FROM events WHERE id = $1',
);
const insertDelivery = sql(
  'floor_note',
  'INSERT INTO floor_deliveries (event_id, at, ok) VALUES ($1, $2, $3)',
);

const worker = engine.openWorker(
  'webhook-delivery',
  async ({ data }) => {
    const [eventId = ''] = data.keys;
    const event = await runOne(db, eventById, [eventId]);
    if (event === null) return;
    const headers = signWebhook({ eventId, rawBody: event.body, secrets });
    const { ok } = await webhooks.post(event.callback_url, headers, event.body);
    await run(db, insertDelivery, [eventId, new Date(), ok]);
  },
  config.workerConcurrency,
);
process.once('SIGTERM', () => void end());
await worker.waitUntilReady();
console.log('"working"');

async function end(): Promise<void> {
  await worker.close();
  await webhooks.close();
  await engine.close();
  await db.destroy();
}
