import { type Bench } from './bench.ts';
import { PAYMENTS, print, steady } from './latency.ts';
import { startService } from './processes.ts';
import { openReceivers, quantile, until, type Receivers } from './receivers.ts';

/** Every host of a receiver hangs: they are numbered below this. */
const ALL_HOSTS = 256;
/** Nearly the half of a worker's slots of deliveries that one merchant may hold. */
const MANY_IN_FLIGHT = 450;
/** Payments before each measurement. */
const WARM_UP = 500;

/**
 * Measures from a payment's commit to its first event, of a merchant alone and beside another one with so
 * many endpoints that hang, on one worker: each of them has an event due, and is retried when its request
 * ends.
 */
export async function benchNeighbours(bench: Bench, receivers: Receivers, hanging: number): Promise<void> {
  await bench.db.query('TRUNCATE scheduled_jobs, deliveries, delivery_attempts, webhook_endpoints');
  const loud = await openReceivers();
  loud.hangBelow(ALL_HOSTS);
  const web = await startService('web', bench.env);
  const worker = await startService('worker', bench.env);
  const alone = await warmed(bench, receivers);
  const open = await openHangingEndpoints(bench, loud.url(1), hanging);
  const beside = await warmed(bench, receivers);
  const stillOpen = await countInFlight(bench);
  await worker.stop();
  await web.stop();
  loud.close();
  print('a quiet merchant alone', alone, 'on one worker');
  print(
    `  beside ${hanging} hanging`,
    beside,
    `${(quantile(beside, 0.99) / quantile(alone, 0.99)).toFixed(2)} of the p99 alone; ` +
      `the other merchant holds ${open} to ${stillOpen} slots`,
  );
}

/** Latencies once the processes have run for a while. */
async function warmed(bench: Bench, receivers: Receivers): Promise<number[]> {
  await steady(bench, receivers, WARM_UP);
  return steady(bench, receivers, PAYMENTS);
}

/**
 * Gives another merchant as many endpoints, each with an event to deliver; waits until they are under way.
 */
async function openHangingEndpoints(bench: Bench, url: string, hanging: number): Promise<number> {
  const { db } = bench;
  await db.query(`UPDATE merchants SET webhook_url = $1, webhooks_enabled = true WHERE name = 'Neighbour'`, [
    url,
  ]);
  await db.query(
    `INSERT INTO payments SELECT (json_populate_record(p.row, json_build_object(
       'id', substr((p.row).id, 1, 14) || lpad(i::text, 16, '0'), 'token_id', 'loud-' || i,
       'merchant_id', m.id))).*
     FROM merchants m, (SELECT t AS row FROM payments t ORDER BY id DESC LIMIT 1) p, generate_series(1, $1) i
     WHERE m.name = 'Neighbour'`,
    [hanging],
  );
  await db.query(
    `INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at, txid)
     SELECT 'evt_' || substr(p.id, 5), p.id, p.merchant_id, e.sequence, e.type, $1 || '/' || p.id, e.body,
       e.created_at, pg_current_xact_id()
     FROM merchants m JOIN payments p ON p.merchant_id = m.id,
       (SELECT * FROM events WHERE type = 'checkout.created' ORDER BY id DESC LIMIT 1) e
     WHERE m.name = 'Neighbour'`,
    [url],
  );
  await db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
     SELECT 'event.fan-out', e.id, now(), now() FROM events e JOIN merchants m ON m.id = e.merchant_id WHERE m.name = 'Neighbour'`,
  );
  const { rows } = await db.query<{ at: Date }>('SELECT now() AS at');
  await until(async () => {
    const left = await db.query(
      `SELECT FROM scheduled_jobs WHERE job = 'event.fan-out' OR job = 'webhook.deliver' AND visible_at <= $1`,
      [rows[0]?.at],
    );
    return left.rows.length === 0;
  });
  await until(async () => (await countInFlight(bench)) >= Math.min(hanging, MANY_IN_FLIGHT));
  return countInFlight(bench);
}

async function countInFlight({ db }: Bench): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM webhook_endpoints e JOIN merchants m ON m.id = e.merchant_id
     WHERE m.name = 'Neighbour' AND leased_by IS NOT NULL`,
  );
  return Number(rows[0]?.count);
}
