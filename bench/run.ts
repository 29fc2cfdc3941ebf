/**
 * `npm run bench`: measures the build's web and worker processes beside floors on this machine, with
 * Postgres's default durability, and prints the table of docs/performance.md. This process generates the load
 * on the same machine: compare figures of one run, not of two machines. Exits with 1 when a row misses its
 * target or a part fails.
 */
import { readArguments, type Asked } from './arguments.ts';
import { createTemplate, openBench, type Bench, type Template } from './bench.ts';
import { writeResults } from './document.ts';
import { closeMachine, openMachine } from './machine.ts';
import type { Part } from './parts.ts';
import { stopAll } from './processes.ts';
import { printStatements } from './statements.ts';
import { print, verdictOf, type Row } from './table.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const rows: Row[] = [];
const failures: string[] = [];
/** What ends a part at once: a process that died. */
let onDeath: (error: Error) => void = () => undefined;

let isInterrupted = false;
const interrupted = new Promise<number>((resolve) => {
  for (const [signal, code] of Object.entries(EXIT_CODES))
    process.on(signal, () => {
      isInterrupted = true;
      console.error(`\n${signal}: what runs is stopped.`);
      resolve(code);
    });
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(fault, (error: unknown) => {
      // What fails while everything is stopped is no cause.
      if (isInterrupted) return;
      console.error(`\nThe bench failed: ${reasonOf(error)}`);
      resolve(1);
    });
});
const code = await Promise.race([main(), interrupted]);
// Once more: a signal may have come while a part stopped its own.
await closeMachine();
process.exit(code);

async function main(): Promise<number> {
  try {
    const asked = readArguments(process.argv.slice(2));
    const machine = await openMachine((error) => onDeath(error), { countsStatements: asked.statements });
    if (machine.redis === null) console.log('No redis-server here: only queues on Postgres are measured.\n');
    const template = await untilDeath(createTemplate(machine));
    for (const part of asked.parts) await runPart(template, part, asked);
    await closeMachine();
    return conclude(asked);
  } catch (error) {
    // What fails while everything is stopped is no cause.
    if (!isInterrupted) console.error(`\nThe bench failed: ${reasonOf(error)}`);
    return 1;
  }
}

/** Measures a part on each of its engines. One that fails does not keep the others from being measured. */
async function runPart(template: Template, part: Part, asked: Asked): Promise<void> {
  const { isQuick, rounds } = asked;
  const hasRedis = template.machine.redis !== null;
  const full = hasRedis ? 'redis' : 'postgres';
  const engines: readonly Bench['engine'][] =
    part.engines === 'both' && hasRedis
      ? ['postgres', 'redis']
      : [part.engines === 'full' ? full : 'postgres'];
  for (const engine of engines) {
    console.log(`\n== ${part.about}${part.engines === 'both' ? `, queues on ${engine}` : ''}\n`);
    const bench = await openBench(template, {
      engine,
      rounds,
      isQuick,
      report(row) {
        const title = part.engines === 'both' ? `${row.title}, queues on ${engine}` : row.title;
        const named = { ...row, title, ...(isQuick ? { unjudged: '--quick' } : {}) };
        rows.push(named);
        print(named);
      },
    });
    const startedAt = performance.now();
    try {
      const given = asked.sizeOf(part);
      const size = isQuick ? Math.min(part.quick, given ?? part.quick) : (given ?? part.size);
      await untilDeath(part.measure(bench, size));
      if (asked.statements) await printStatements(bench.db);
    } catch (error) {
      if (isInterrupted) return;
      failures.push(`${part.about}, queues on ${engine}: ${reasonOf(error)}`);
      console.error(`FAILED: ${reasonOf(error)}`);
      await stopAll({ last: false });
    } finally {
      await bench.close();
    }
    console.log(`\n(${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
  }
}

/**
 * The work, or the error of a process that it needs and that has died: without that it would wait for ever.
 */
function untilDeath<T>(work: Promise<T>): Promise<T> {
  const died = new Promise<never>((_, reject) => {
    onDeath = reject;
  });
  return Promise.race([work, died]);
}

function conclude({ isQuick, write }: Asked): number {
  const missed = rows.filter((row) => verdictOf(row) === 'miss');
  if (write !== null) writeResults(rows, write);
  console.log('');
  if (missed.length > 0) console.log(`Missed: ${missed.map(({ title }) => title).join('; ')}`);
  for (const failure of failures) console.log(`Failed: ${failure}`);
  if (failures.length === 0 && missed.length === 0)
    console.log(isQuick ? 'Every part ran; nothing was judged.' : 'No row missed.');
  return failures.length + missed.length === 0 ? 0 : 1;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.includes('/bench/')) ?? '';
  return `${error.message}${place === '' ? '' : `\n${place}`}`;
}
