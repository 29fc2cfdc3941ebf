import { messageOf } from '../../src/platform/log.ts';
import { redisCommand } from '../../test/support/redis.ts';
import { runEngine, type EngineRun, type Row } from './engine-run.ts';
import { readOptions } from './options.ts';

/** Of an engine, and at the end. */
const SHOWN = 40;

/**
 * `npm run chaos -- --minutes N`: the fault matrix. Each fault of FAULTS (`--faults 'a,b'` for some), in the
 * order of `--seed`, on both queue engines (`--engine` for one), under a steady load. Prints for each fault
 * when the status turned red, how long after its end all was well, and what the clients saw, beside the
 * baseline without a fault. Exit code 1 when something is wrong.
 */
const begun = performance.now();
const report = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`);

export async function runMatrix(args: readonly string[]): Promise<never> {
  const { minutes, faults: names, engines, seed } = readOptions(args);
  if (redisCommand === null) throw new Error('chaos needs redis-server or valkey-server on the PATH');
  report(`the fault matrix on ${engines.join(' and ')}, ${minutes} min, --seed ${seed}`);
  const runs: EngineRun[] = [];
  const faults: string[] = [];
  for (const engine of engines)
    try {
      const seconds = (minutes * 60) / engines.length;
      const run = await runEngine(engine, { seed, names, seconds }, report);
      runs.push(run);
      report(`${engine}: ${run.summary}`);
      for (const fault of run.faults.slice(0, SHOWN)) console.log(`WRONG: ${engine}: ${fault}`);
      faults.push(...run.faults.map((fault) => `${engine}: ${fault}`));
      if (run.logs !== null) report(`the logs of ${engine} are in ${run.logs}`);
    } catch (error) {
      faults.push(`${engine}: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
      // What it has left behind ends with this process, and would be blamed on the next engine.
      break;
    }
  printTable(runs.flatMap(({ rows }) => rows));
  for (const name of runs.flatMap(({ leftOut }) => leftOut)) console.log(`left out: ${name}`);
  for (const fault of faults.slice(0, SHOWN)) console.log(`WRONG: ${fault}`);
  if (faults.length > SHOWN) console.log(`... and ${faults.length - SHOWN} more`);
  report(faults.length === 0 ? 'all is well' : `FAILED with --seed ${seed}`);
  process.exit(faults.length === 0 ? 0 : 1);
}

function printTable(rows: readonly Row[]): void {
  console.log(
    `\n${'fault'.padEnd(26)}${'engine'.padEnd(10)}${'red after'.padStart(10)}${'well after'.padStart(12)}` +
      `${'refused'.padStart(12)}${'slowest'.padStart(10)}`,
  );
  const text = (seconds: number | null) => (seconds === null ? '-' : `${seconds.toFixed(1)} s`);
  for (const { fault, engine, redAfter, wellAfter, figures } of rows)
    console.log(
      `${fault.padEnd(26)}${engine.padEnd(10)}${text(redAfter).padStart(10)}${text(wellAfter).padStart(12)}` +
        `${figures.refused}/${figures.requests}`.padStart(12) +
        text(figures.slowestMs / 1000).padStart(10),
    );
  console.log('');
}
