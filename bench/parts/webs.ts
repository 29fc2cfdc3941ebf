import { CONNECTIONS, type Bench } from '../bench.ts';
import { load, type LoadRequest } from '../load.ts';
import { freePort, startOwn } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, shareUsed, sumOf, watchCpu } from '../watch.ts';
import type { Measured } from './requests.ts';

/** How many times as much two processes are to do as one. */
const AT_LEAST = 1.7;

/** Measures creating payments on two web processes behind one port, beside one behind such a port. */
export async function measureWebs(bench: Bench, size: number): Promise<void> {
  const [one, two] = [await startWebs(bench, 1), await startWebs(bench, 2)];
  for (const { run } of [one, two]) await run(Math.min(2_000, size));
  const rounds = await interleave(
    bench.rounds,
    () => two.run(size),
    () => one.run(size),
  );
  const usage = (side: readonly Measured[]) => sumOf(side.map((measured) => measured.usage));
  const rate = (side: readonly Measured[]) => number(median(side.map(({ perSecond }) => perSecond)));
  // What one process takes with its Postgres, its Redis and the load must be there so many times.
  const share = shareUsed(usage(rounds.floor));
  bench.report({
    title: 'POST /v1/payment, 2 web processes behind one port',
    floor: `1 web process behind it, ${rate(rounds.floor)} per s`,
    target: { atLeast: AT_LEAST },
    rounds: byRound(rounds, (ours, floor) => ours.perSecond / floor.perSecond),
    figures: `${rate(rounds.ours)} per s`,
    limit: `${limitOf(usage(rounds.ours))}; one process by ${limitOf(usage(rounds.floor))}`,
    unjudged:
      share * AT_LEAST > 1
        ? `no core was free: one process and what it needs take ${Math.round(share * 100)} % of all`
        : undefined,
  });
}

async function startWebs(bench: Bench, processes: number) {
  const port = await freePort();
  const env = { ...bench.env, PORT: String(port), WEB_PROCESSES: String(processes) };
  const service = await startOwn('cluster', env, processes);
  let created = 0;
  const next = (): LoadRequest => ({
    method: 'POST',
    path: '/v1/payment',
    body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${processes}-${(created += 1)}` }),
  });
  const run = async (count: number): Promise<Measured> => {
    const end = watchCpu({ web: [service.pid], Postgres: [bench.postgresPid], Redis: [bench.redisPid] });
    const options = { headers: bench.headers, connections: CONNECTIONS, count, next };
    return { ...(await load(`http://127.0.0.1:${port}`, options)), usage: end() };
  };
  return { run };
}
