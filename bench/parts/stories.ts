import { CLOCK_LIMITS } from '../../src/domain/sandbox/budgets/sandbox-slots.ts';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import type { Bench } from '../bench.ts';
import { load, type LoadRequest } from '../load.ts';
import { freePort, startService } from '../processes.ts';
import { startCountingProxy } from '../round-trips.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

/** As many of one merchant may run at once, so there are two. */
const AT_ONCE = 8;

/**
 * Measures the sandbox's library, run repeatedly through the API: each scenario runs within one request, and
 * lasts a month on its test clock. Then counts the round trips of one.
 */
export async function measureStories(bench: Bench, runs: number): Promise<void> {
  const web = await startService('web', bench.env);
  const next = (index: number) => story(LIBRARY_NAMES[index % LIBRARY_NAMES.length]);
  await together(bench, LIBRARY_NAMES.length, next);
  const rates: number[] = [];
  const usages: Usage[] = [];
  while (rates.length < bench.rounds) {
    const end = watchCpu({ web: [web.pid], Postgres: [bench.postgresPid], Redis: [bench.redisPid] });
    rates.push(await together(bench, runs, next));
    usages.push(end());
  }
  const { headers, origin } = bench;
  const alone = await load(origin, { headers, next, connections: 1, count: LIBRARY_NAMES.length });
  bench.report({
    title: `stories per second, ${AT_ONCE} at once`,
    floor: '',
    target: { atLeast: 150 },
    rounds: rates,
    figures: `${number(median(rates))} per s; one alone takes ${number(alone.p50)} ms (p99 ${number(alone.p99)} ms)`,
    limit: limitOf(sumOf(usages)),
  });
  await web.stop();
  await countRoundTrips(bench);
}

/** Runs so many, half of them for each merchant, and returns how many ended per second. */
async function together(
  { origin, headers, otherHeaders }: Bench,
  runs: number,
  next: (index: number) => LoadRequest,
): Promise<number> {
  const startedAt = performance.now();
  const count = Math.ceil(runs / 2);
  const connections = Math.min(AT_ONCE / 2, CLOCK_LIMITS.perMerchant);
  await Promise.all(
    [headers, otherHeaders].map((own) => load(origin, { headers: own, next, connections, count })),
  );
  return (2 * count * 1_000) / (performance.now() - startedAt);
}

function story(name: string | undefined): LoadRequest {
  return { method: 'POST', path: '/v1/sandbox/scenarios', body: JSON.stringify({ story: name }) };
}

/** Of one story at a time, with all that its web process asks for meanwhile. */
async function countRoundTrips(bench: Bench): Promise<void> {
  const proxy = await startCountingProxy(String(bench.env.DATABASE_URL));
  const port = await freePort();
  const env = { ...bench.env, DATABASE_URL: proxy.url, DATABASE_DIRECT_URL: proxy.url, PORT: String(port) };
  const web = await startService('web', env);
  const options = { headers: bench.headers, connections: 1, next: () => story('paid') };
  const origin = `http://127.0.0.1:${port}`;
  await load(origin, { ...options, count: 3 });
  const trips: number[] = [];
  while (trips.length < 5) {
    const before = proxy.count();
    await load(origin, { ...options, count: 1 });
    trips.push(proxy.count() - before);
  }
  await web.stop();
  proxy.close();
  bench.report({
    title: 'round trips to Postgres of the story `paid`',
    floor: '',
    target: { atMost: 60 },
    rounds: trips,
    figures: 'counted between web and Postgres, those of the process itself meanwhile included',
    limit: 'nothing: a count',
  });
}
