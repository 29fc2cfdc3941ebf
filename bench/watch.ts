import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const TICKS_PER_SECOND = 100;
const CORES = availableParallelism();
/** A share of all cores, and of one, above which it counts as full. */
const FULL = 0.9;

/** Programs by name, with the processes of each; null: there is none. */
export type Programs = Readonly<Record<string, readonly (number | null)[]>>;

/** They have many processes; any other program has one that is busy. */
const MANY = ['Postgres', 'others'];

/** What programs used within a measurement. */
export interface Usage {
  readonly seconds: number;
  /** CPU seconds by name; `others` are those of the rest of the machine. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** Begins to measure; the function returned ends it. This process is the load generator (Linux). */
export function watchCpu(programs: Programs): () => Usage {
  const present = Object.entries(programs).filter(([, pids]) => pids.some((pid) => pid !== null));
  const all: Programs = { ...Object.fromEntries(present), 'load generator': [process.pid] };
  const before = snapshot(all);
  return () => {
    const after = snapshot(all);
    const cpu: Record<string, number> = {};
    for (const name of Object.keys(all)) cpu[name] = (after.cpu[name] ?? 0) - (before.cpu[name] ?? 0);
    const known = Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
    return {
      seconds: (after.at - before.at) / 1_000,
      cpu: { ...cpu, others: Math.max(0, after.busy - before.busy - known) },
    };
  };
}

/** Adds up what several measurements used. */
export function sumOf(usages: readonly Usage[]): Usage {
  const cpu: Record<string, number> = {};
  for (const usage of usages)
    for (const [name, seconds] of Object.entries(usage.cpu)) cpu[name] = (cpu[name] ?? 0) + seconds;
  return { seconds: usages.reduce((sum, { seconds }) => sum + seconds, 0), cpu };
}

/** CPU seconds of some programs. */
export function cpuOf({ cpu }: Usage, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (cpu[name] ?? 0), 0);
}

/** The share of all cores that everything together used. */
export function shareUsed({ seconds, cpu }: Usage): number {
  return Object.values(cpu).reduce((sum, used) => sum + used, 0) / (seconds * CORES);
}

/** Says what was full, with the share of all cores that each program had. */
export function limitOf(usage: Usage): string {
  const { seconds, cpu } = usage;
  const shares = Object.entries(cpu)
    .map(([name, used]) => ({ name, share: used / (seconds * CORES) }))
    .filter(({ name, share }) => name !== 'others' || share >= 0.03);
  // A process runs JavaScript, or Redis's commands, on one core.
  const single = shares.find(({ name, share }) => !MANY.includes(name) && share * CORES >= FULL);
  const cause =
    shareUsed(usage) >= FULL
      ? `all ${CORES} cores`
      : single === undefined
        ? 'waiting, for no core was full'
        : `the one core of ${single.name}`;
  return `${cause}: ${shares.map(({ name, share }) => `${name} ${(share * 100).toFixed(0)} %`).join(', ')}`;
}

/** Returns the CPU seconds of a process so far, with all its children, running and ended (Linux). */
export function cpuSeconds(pid: number): number {
  return cpuIn(readStats(), pid);
}

/** Memory in use, in MB (Linux); NaN: the process has ended, and its parent has not noticed yet. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Returns the process that started `pid`. */
export function parentOf(pid: number): number {
  return readStats().get(pid)?.parent ?? 0;
}

function snapshot(programs: Programs) {
  const stats = readStats();
  const cpu: Record<string, number> = {};
  for (const [name, pids] of Object.entries(programs))
    cpu[name] = pids.reduce<number>((sum, pid) => sum + (pid === null ? 0 : cpuIn(stats, pid, name)), 0);
  return { at: performance.now(), busy: busySeconds(), cpu };
}

interface Stat {
  readonly parent: number;
  readonly own: number;
  readonly ofEndedChildren: number;
}

/** The children of the load generator are what it measures, and have names of their own. */
function cpuIn(stats: ReadonlyMap<number, Stat>, pid: number, name = ''): number {
  const { own = 0, ofEndedChildren = 0 } = stats.get(pid) ?? {};
  if (name === 'load generator') return own;
  const children = [...stats].filter(([, { parent }]) => parent === pid);
  return own + ofEndedChildren + children.reduce((sum, [child]) => sum + cpuIn(stats, child), 0);
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = (from: number) => Number(fields[from]) + Number(fields[from + 1]);
      stats.set(Number(name), {
        parent: Number(fields[1]),
        own: ticks(11) / TICKS_PER_SECOND,
        ofEndedChildren: ticks(13) / TICKS_PER_SECOND,
      });
    } catch {
      // It ended between being listed and being read.
    }
  return stats;
}

/** CPU seconds of the whole machine: user, nice, system, irq and softirq. */
function busySeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).map(Number) ?? [];
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}
