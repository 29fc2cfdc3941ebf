import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { openConnection } from '../load.ts';
import { freePort, start } from '../processes.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

const GIVE_UP_MS = 30_000;

/**
 * Measures from the start of a process to the first answer that it is ready, on a database that is migrated.
 */
export async function measureStarts(bench: Bench, starts: number): Promise<void> {
  for (const name of ['web', 'worker'] as const) {
    const port = await freePort();
    const env = { ...bench.env, [name === 'web' ? 'PORT' : 'ADMIN_PORT']: String(port) };
    // A worker has its probes on the operators' port; web's are on the same, or behind its own.
    const path = '/readyz';
    const seconds: number[] = [];
    const usages: Usage[] = [];
    for (let n = 0; n <= starts; n += 1) {
      const startedAt = performance.now();
      const service = start(name, [`dist/processes/${name}.js`], env);
      const end = watchCpu({ [name]: [service.pid], Postgres: [bench.postgresPid] });
      await answers(`http://127.0.0.1:${port}`, path);
      // The first one reads the program from the disk.
      if (n > 0) {
        seconds.push((performance.now() - startedAt) / 1_000);
        usages.push(end());
      }
      await service.stop();
    }
    bench.report({
      title: `${name} answers after its start`,
      floor: '',
      target: { atMost: 1, unit: ' s' },
      rounds: seconds,
      figures: `from exec to 200 of ${path}, median ${number(median(seconds))} s`,
      limit: limitOf(sumOf(usages)),
    });
  }
}

async function answers(origin: string, path: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUpAt) {
    const status = await ask(origin, path).catch(() => null);
    if (status === 200) return;
    await sleep(5);
  }
  throw new Error(`${origin}${path} did not answer 200 within 30 s`);
}

async function ask(origin: string, path: string): Promise<number> {
  const connection = await openConnection(origin, {});
  try {
    return (await connection.send({ method: 'GET', path })).status;
  } finally {
    connection.close();
  }
}
