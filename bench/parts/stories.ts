import { CLOCK_LIMITS } from '../../src/domain/sandbox/budgets/sandbox-slots.ts';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import type { Bench } from '../bench.ts';
import { load, type LoadRequest } from '../load.ts';
import { freePort, startService } from '../processes.ts';
import { startCountingProxy } from '../round-trips.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

/** A scenario runs within one request; as many of one merchant may run at once. */
const AT_ONCE = CLOCK_LIMITS.perMerchant;

/**
 * Measures the sandbox's library, run repeatedly through the API: each scenario lasts a month on its test
 * clock. Then counts the round trips of one.
 */
export async function measureStories(bench: Bench, runs: number): Promise<void> {
  const web = await startService('web', bench.env);
  const options = {
    headers: bench.headers,
    next: (index: number) => story(LIBRARY_NAMES[index % LIBRARY_NAMES.length]),
  };
  await load(bench.origin, { ...options, connections: AT_ONCE, count: LIBRARY_NAMES.length });
  const rates: number[] = [];
  const usages: Usage[] = [];
  while (rates.length < bench.rounds) {
    const end = watchCpu({ web: [web.pid], Postgres: [bench.postgresPid], Redis: [bench.redisPid] });
    rates.push((await load(bench.origin, { ...options, connections: AT_ONCE, count: runs })).perSecond);
    usages.push(end());
  }
  const alone = await load(bench.origin, { ...options, connections: 1, count: LIBRARY_NAMES.length });
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
