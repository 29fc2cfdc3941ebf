import { CLOCK_LIMITS } from '../src/domain/sandbox/budgets/sandbox-slots.ts';
import { LIBRARY_NAMES } from '../src/domain/sandbox/scenarios/library-names.ts';
import { COLUMN, TITLE, type Bench } from './bench.ts';
import { load, type LoadRequest } from './load.ts';
import { startService } from './processes.ts';

const RUNS = LIBRARY_NAMES.length * 20;
/** A scenario runs within one request; as many of one merchant may run at once. */
const AT_ONCE = CLOCK_LIMITS.perMerchant;

/**
 * Measures the sandbox's library, run repeatedly through the API: each scenario lasts a month on its test
 * clock.
 */
export async function benchStories(bench: Bench): Promise<void> {
  const web = await startService('web', bench.env);
  const request = (index: number): LoadRequest => ({
    method: 'POST',
    path: '/v1/sandbox/scenarios',
    body: JSON.stringify({ story: LIBRARY_NAMES[index % LIBRARY_NAMES.length] }),
  });
  const options = { headers: bench.headers, next: request };
  await load(bench.origin, { ...options, connections: AT_ONCE, count: LIBRARY_NAMES.length });
  const alone = await load(bench.origin, { ...options, connections: 1, count: LIBRARY_NAMES.length * 3 });
  const together = await load(bench.origin, { ...options, connections: AT_ONCE, count: RUNS });
  await web.stop();
  console.log(
    `${'scenarios run'.padEnd(TITLE)}${together.perSecond.toFixed(0).padStart(COLUMN)} per s, ${AT_ONCE} at once; one alone takes ${alone.p50.toFixed(0)} ms (p99 ${alone.p99.toFixed(0)} ms)`,
  );
}
