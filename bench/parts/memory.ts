import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS, enableWebhooks, type Bench } from '../bench.ts';
import { COPIED_EVENT, copyPayments } from '../fill.ts';
import { load, type LoadRequest } from '../load.ts';
import { residentMegabytes, startService } from '../processes.ts';
import { openReceivers, rowOfRepeats, until } from '../receivers.ts';
import { number } from '../table.ts';

/** A tenth of a run is warm by then: what grows later grows for ever. */
const STEPS = 10;
/** 50 events a second for an hour. */
const AN_HOUR = 180_000;
/** As many in six minutes. */
const FAST = 500;
const SCHEDULE_EVERY_MS = 100;

/**
 * Measures the memory of a web process after a tenth of so many requests and after all of them: one in ten
 * creates a payment, one in twenty lists them, the rest read one. Then that of a worker after the deliveries
 * of an hour, all due at once, and at a steady rate.
 */
export async function measureMemory(bench: Bench, requests: number): Promise<void> {
  await measureWeb(bench, requests);
  const count = Math.min(AN_HOUR, Math.ceil(requests / 5));
  await measureWorker(bench, { from: 1, count, perSecond: null });
  await measureWorker(bench, { from: count + 1, count, perSecond: FAST });
}

async function measureWeb(bench: Bench, requests: number): Promise<void> {
  const web = await startService('web', bench.env);
  let id = '';
  const create = (index: number): LoadRequest => ({
    method: 'POST',
    path: '/v1/payment',
    body: JSON.stringify({ pay_amount: '10.50', order_id: `memory-${index}` }),
  });
  await load(bench.origin, {
    headers: bench.headers,
    connections: 1,
    count: 1,
    next: create,
    onAnswer: (body) => void ({ id } = JSON.parse(body) as { id: string }),
  });
  const next = (index: number): LoadRequest => {
    if (index % 10 === 0) return create(index);
    const path = index % 20 === 1 ? '/v1/payments?limit=20' : `/v1/payment/${id}`;
    return { method: 'GET', path };
  };
  const megabytes: number[] = [];
  const count = Math.ceil(requests / STEPS);
  while (megabytes.length < STEPS) {
    await load(bench.origin, { headers: bench.headers, connections: CONNECTIONS, count, next });
    megabytes.push(residentMegabytes(web.pid));
  }
  await web.stop();
  const [first = NaN] = megabytes;
  const figures = `after each tenth of them: ${megabytes.map(number).join(', ')} MB`;
  bench.report({
    title: `memory of web after ${requests.toLocaleString('en-US')} requests`,
    floor: '',
    target: { atMost: 150, unit: ' MB' },
    rounds: [Math.max(...megabytes)],
    figures,
    limit: 'nothing: the largest is judged',
  });
  bench.report({
    title: 'its growth after the first tenth of them',
    floor: `${number(first)} MB after a tenth`,
    target: { atMost: 1.1, unit: 'x' },
    rounds: [(megabytes.at(-1) ?? NaN) / first],
    figures,
    limit: 'nothing: a tenth is the noise of a collector',
  });
}

/** `perSecond`: how many are due each second; null: all at once, which takes the most. */
async function measureWorker(bench: Bench, { from, count, perSecond }: Deliveries): Promise<void> {
  const receivers = await openReceivers();
  try {
    await enableWebhooks(bench, receivers.url(1));
    await copyPayments(bench.db, { from, count, callbackUrl: `'${receivers.url(1)}/' || i % 100` });
    await bench.db.query('ANALYZE');
    const worker = await startService('worker', bench.env);
    const scheduling = schedule(bench.db, { from, count, perSecond });
    const megabytes: number[] = [];
    for (let step = 1; step <= STEPS; step += 1) {
      await until(
        () => receivers.count() >= (count * step) / STEPS,
        () => `${receivers.count()} of ${count} events have arrived`,
      );
      megabytes.push(residentMegabytes(worker.pid));
    }
    await scheduling;
    await worker.stop();
    const how = perSecond === null ? 'all due at once' : `${perSecond} a second`;
    bench.report({
      title: `memory of a worker after ${count.toLocaleString('en-US')} deliveries, ${how}`,
      floor: '',
      target: { atMost: 200, unit: ' MB' },
      rounds: [Math.max(...megabytes)],
      figures: `after each tenth of them: ${megabytes.map(number).join(', ')} MB`,
      limit: 'nothing: the largest is judged',
    });
    bench.report(rowOfRepeats(how, receivers));
  } finally {
    receivers.close();
  }
}

interface Deliveries {
  /** The number of the first copy. */
  readonly from: number;
  readonly count: number;
  readonly perSecond: number | null;
}

/** Makes the events of copies due, at a steady rate. */
async function schedule(db: Bench['db'], { from, count, perSecond }: Deliveries): Promise<void> {
  const startedAt = performance.now();
  const each = perSecond === null ? count : Math.ceil((perSecond * SCHEDULE_EVERY_MS) / 1_000);
  for (let done = 0; done < count; done += each) {
    await sleep(startedAt + (done / each) * SCHEDULE_EVERY_MS - performance.now());
    await db.query(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
       SELECT 'event.fan-out', ${COPIED_EVENT}, now(), now() FROM generate_series($1::int, $2::int) AS i`,
      [from + done, from + Math.min(done + each, count) - 1],
    );
  }
}
