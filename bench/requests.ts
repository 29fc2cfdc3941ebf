import { COLUMN, CONNECTIONS, TITLE, type Bench } from './bench.ts';
import { load, type LoadRequest } from './load.ts';
import { cpuSeconds, residentMegabytes, startService, type Service } from './processes.ts';

/** Measures the API under load: rates, latencies, and the CPU time of web and Postgres. */
export async function benchRequests(bench: Bench, count: number): Promise<void> {
  const web = await startService('web', bench.env);
  const ids: string[] = [];
  let orders = 0;
  const create = (): LoadRequest => ({
    method: 'POST',
    path: '/v1/payment',
    body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${(orders += 1)}` }),
  });
  console.log(
    `${''.padEnd(TITLE)}${['per s', 'p50 ms', 'p99 ms', 'web CPU s', 'Postgres CPU s'].map((head) => head.padStart(COLUMN)).join('')}   (CPU per 10,000)`,
  );
  await measure(bench, web, 'warm-up', 2_000, create, () => undefined);
  await measure(bench, web, 'POST /v1/payment', count, create, (body) =>
    ids.push((JSON.parse(body) as { id: string }).id),
  );
  await measure(bench, web, 'GET /v1/payment/:id', count, (i) => ({
    method: 'GET',
    path: `/v1/payment/${ids[i % ids.length]}`,
  }));
  await measure(bench, web, 'GET /v1/payments', count / 5, () => ({
    method: 'GET',
    path: '/v1/payments?limit=20',
  }));
  const soak = Math.max(0, 100_000 - count * 2.2);
  await measure(bench, web, 'GET, to 100,000 requests', soak, (i) => ({
    method: 'GET',
    path: `/v1/payment/${ids[i % ids.length]}`,
  }));
  console.log(
    `${'web memory after them'.padEnd(TITLE)}${`${residentMegabytes(web.pid).toFixed(0)} MB`.padStart(COLUMN)}`,
  );
  await web.stop();
}

async function measure(
  bench: Bench,
  web: Service,
  title: string,
  requests: number,
  next: (index: number) => LoadRequest,
  onAnswer: (body: string) => void = () => undefined,
): Promise<void> {
  const before = [cpuSeconds(web.pid), cpuSeconds(bench.postgresPid)] as const;
  const { perSecond, p50, p99 } = await load(bench.origin, {
    headers: bench.headers,
    connections: CONNECTIONS,
    count: requests,
    next,
    onAnswer,
  });
  const used = [cpuSeconds(web.pid) - before[0], cpuSeconds(bench.postgresPid) - before[1]].map(
    (seconds) => (seconds * 10_000) / requests,
  );
  const columns = [
    perSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    ...used.map((seconds) => seconds.toFixed(2)),
  ];
  console.log(`${title.padEnd(TITLE)}${columns.map((column) => column.padStart(COLUMN)).join('')}`);
}
