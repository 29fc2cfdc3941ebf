import { LIBRARY_NAMES } from '../src/domain/sandbox/scenarios/library-names.ts';
import { COLUMN, TITLE, type Bench } from './bench.ts';
import { load, type LoadRequest } from './load.ts';
import { startService } from './processes.ts';

const STORIES = LIBRARY_NAMES.length * 20;
/** A story takes one request from its first day to its last, so a few at once keep web and Postgres busy. */
const AT_ONCE = 8;

/** The sandbox's library, told over and over through the API: a month of a payment's time each. */
export async function benchStories(bench: Bench): Promise<void> {
  const web = await startService('web', bench.env);
  const tell = (index: number): LoadRequest => ({
    method: 'POST',
    path: '/v1/sandbox/scenarios',
    body: JSON.stringify({ story: LIBRARY_NAMES[index % LIBRARY_NAMES.length] }),
  });
  const options = { headers: bench.headers, next: tell };
  await load(bench.origin, { ...options, connections: AT_ONCE, count: LIBRARY_NAMES.length });
  const alone = await load(bench.origin, { ...options, connections: 1, count: LIBRARY_NAMES.length * 3 });
  const together = await load(bench.origin, { ...options, connections: AT_ONCE, count: STORIES });
  await web.stop();
  console.log(
    `${'stories told'.padEnd(TITLE)}${together.perSecond.toFixed(0).padStart(COLUMN)} per s, ${AT_ONCE} at once; one alone takes ${alone.p50.toFixed(0)} ms (p99 ${alone.p99.toFixed(0)} ms)`,
  );
}
