import { CONNECTIONS, enableWebhooks, type Bench } from '../bench.ts';
import { copyPayments } from '../fill.ts';
import { load, type LoadRequest } from '../load.ts';
import { residentMegabytes, startService } from '../processes.ts';
import { openReceivers, until } from '../receivers.ts';
import { number } from '../table.ts';

/** A tenth of a run is warm by then: what grows later grows for ever. */
const STEPS = 10;
/** 50 events a second for an hour. */
const AN_HOUR = 180_000;

/**
 * Measures the memory of a web process after a tenth of so many requests and after all of them: one in ten
 * creates a payment, one in twenty lists them, the rest read one. Then that of a worker after the deliveries
 * of an hour.
 */
export async function measureMemory(bench: Bench, requests: number): Promise<void> {
  await measureWeb(bench, requests);
  await measureWorker(bench, Math.min(AN_HOUR, Math.ceil(requests / 5)));
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

async function measureWorker(bench: Bench, events: number): Promise<void> {
  const receivers = await openReceivers();
  try {
    await enableWebhooks(bench, receivers.url(1));
    await copyPayments(bench.db, { count: events, callbackUrl: `'${receivers.url(1)}/' || i % 100` });
    await bench.db.query('ANALYZE');
    await bench.db.query(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
       SELECT 'event.fan-out', id, now(), now() FROM events WHERE callback_url IS NOT NULL`,
    );
    const worker = await startService('worker', bench.env);
    const megabytes: number[] = [];
    for (let step = 1; step <= STEPS; step += 1) {
      await until(
        () => receivers.count() >= (events * step) / STEPS,
        () => `${receivers.count()} of ${events} events have arrived`,
      );
      megabytes.push(residentMegabytes(worker.pid));
    }
    await worker.stop();
    bench.report({
      title: `memory of a worker after ${events.toLocaleString('en-US')} deliveries`,
      floor: '',
      target: { atMost: 200, unit: ' MB' },
      rounds: [Math.max(...megabytes)],
      figures: `after each tenth of them: ${megabytes.map(number).join(', ')} MB`,
      limit: 'nothing: the largest is judged; they are all due at once, which takes the most',
    });
  } finally {
    receivers.close();
  }
}
