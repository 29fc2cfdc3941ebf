import { enableWebhooks, type Bench } from '../bench.ts';
import { copyPayments } from '../fill.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile, until, type Receivers } from '../receivers.ts';
import { byRound } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf } from '../watch.ts';
import { programsOf, steady, watched, type Latencies } from './latency.ts';

/** Every host of a receiver hangs: they are numbered below this. */
const ALL_HOSTS = 256;
/** Nearly the half of a worker's slots of deliveries that one merchant may hold. */
const MANY_IN_FLIGHT = 450;
const PER_SECOND = 50;

/**
 * Measures from a payment's commit to its first event, of a merchant alone and then beside another one with
 * so many endpoints that hang, on one worker: each of them has an event due, and is retried when its request
 * ends.
 */
export async function measureNeighbours(bench: Bench, hanging: number): Promise<void> {
  const receivers = await openReceivers();
  const loud = await openReceivers();
  loud.hangBelow(ALL_HOSTS);
  const payments = bench.isQuick ? 50 : 500;
  try {
    await enableWebhooks(bench, receivers.url(1));
    const web = await startService('web', bench.env);
    const worker = await startService('worker', bench.env);
    const run = () =>
      watched(programsOf(bench, web.pid, worker.pid), () =>
        steady(bench, receivers, { perSecond: PER_SECOND, payments }),
      );
    await run();
    const alone = await inRounds(bench.rounds, run);
    const open = await openHangingEndpoints(bench, loud, hanging);
    await run();
    const beside = await inRounds(bench.rounds, run);
    const p99 = ({ all }: Latencies) => quantile(all, 0.99);
    bench.report({
      title: `commit to receipt beside ${hanging.toLocaleString('en-US')} hanging endpoints, p99`,
      floor: `the merchant alone, before, ${number(median(alone.map(p99)))} ms`,
      target: { atMost: 2, unit: 'x' },
      rounds: byRound({ ours: beside, floor: alone }, (ours, floor) => p99(ours) / p99(floor)),
      figures: `${number(median(beside.map(p99)))} ms; the other merchant holds ${open} to ${await countInFlight(bench)} slots`,
      limit: limitOf(sumOf(beside.map(({ usage }) => usage))),
    });
  } finally {
    receivers.close();
    loud.close();
  }
}

async function inRounds(rounds: number, run: () => Promise<Latencies>): Promise<Latencies[]> {
  const measured: Latencies[] = [];
  while (measured.length < rounds) measured.push(await run());
  return measured;
}

/**
 * Gives another merchant as many endpoints, each with an event to deliver; waits until they are under way.
 */
async function openHangingEndpoints(bench: Bench, loud: Receivers, hanging: number): Promise<number> {
  const { db } = bench;
  const url = loud.url(1);
  await db.query(`UPDATE merchants SET webhook_url = $1, webhooks_enabled = true WHERE name = 'Neighbour'`, [
    url,
  ]);
  const merchant = `(SELECT id FROM merchants WHERE name = 'Neighbour')`;
  await copyPayments(db, { count: hanging, merchant, callbackUrl: `'${url}/' || i` });
  await db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
     SELECT 'event.fan-out', id, now(), now() FROM events WHERE merchant_id = ${merchant}`,
  );
  const { rows } = await db.query<{ at: Date }>('SELECT now() AS at');
  const left = async () => {
    const due = await db.query<{ left: string }>(
      `SELECT count(*) AS left FROM scheduled_jobs
       WHERE job = 'event.fan-out' OR job = 'webhook.deliver' AND visible_at <= $1`,
      [rows[0]?.at],
    );
    return Number(due.rows[0]?.left);
  };
  await until(
    async () => (await left()) === 0,
    async () => `${await left()} endpoints are not under way`,
  );
  await until(
    async () => (await countInFlight(bench)) >= Math.min(hanging, MANY_IN_FLIGHT),
    async () => `${await countInFlight(bench)} requests are in flight`,
  );
  return countInFlight(bench);
}

async function countInFlight({ db }: Bench): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `SELECT count(*) FROM webhook_endpoints e JOIN merchants m ON m.id = e.merchant_id
     WHERE m.name = 'Neighbour' AND leased_by IS NOT NULL`,
  );
  return Number(rows[0]?.count);
}
