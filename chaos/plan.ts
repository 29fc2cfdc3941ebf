import { seededRandom } from './seeded-random.ts';

/** A fault to inject. */
export type Fault =
  | { readonly kind: 'kill worker'; readonly worker: 0 | 1 }
  | { readonly kind: 'kill web' }
  | { readonly kind: 'flush Redis' }
  | { readonly kind: 'restart Postgres' }
  | { readonly kind: 'Redis down'; readonly seconds: number };
/** A fault and its time, in seconds after the first payment. */
export type PlannedFault = Fault & { readonly at: number };

/**
 * Returns the faults of a run, derived from the seed. A worker is killed every few seconds; in each half one
 * of the two is spared, so that one process must recover from every fault of that half without a restart. The
 * second half has a flush, the outage of Redis and the restart of Postgres, in any order, so that the worker
 * spared there has survived all of them at the end.
 */
export function planOf(seed: string, seconds: number): PlannedFault[] {
  const isSmall = seconds < 60;
  const within = (from: number, to: number, what: string) =>
    seconds * (from + (to - from) * seededRandom(seed, 'when', what));
  const slots: readonly (readonly [number, number])[] = [
    [0.5, 0.58],
    [0.66, 0.74],
    [0.84, 0.92],
  ];
  const second: Fault[] = [
    { kind: 'flush Redis' },
    { kind: 'Redis down', seconds: isSmall ? 4 : 10 },
    { kind: 'restart Postgres' },
  ];
  const shuffled = second.toSorted(
    (a, b) => seededRandom(seed, 'order', a.kind) - seededRandom(seed, 'order', b.kind),
  );
  return [
    ...killsOf(seed, seconds, isSmall ? 2 : 3),
    { kind: 'flush Redis' as const, at: within(0.1, 0.25, 'first flush') },
    { kind: 'kill web' as const, at: within(0.3, 0.45, 'web') },
    ...shuffled.map((fault, i) => {
      const [from, to] = slots[i] ?? [0.9, 0.95];
      return { ...fault, at: within(from, to, fault.kind) };
    }),
  ].toSorted((a, b) => a.at - b.at);
}

/** The worker that is spared in the second half. */
export function survivorOf(seed: string): 0 | 1 {
  return seededRandom(seed, 'survivor') < 0.5 ? 0 : 1;
}

/** Returns the kills of workers, with pauses of `shortest` to twice as many seconds. */
function killsOf(seed: string, seconds: number, shortest: number): PlannedFault[] {
  const survivor = survivorOf(seed);
  const kills: PlannedFault[] = [];
  for (let at = shortest; at < seconds; at += shortest * (1 + seededRandom(seed, 'pause', kills.length)))
    kills.push({ kind: 'kill worker', worker: at < seconds / 2 ? survivor : survivor === 0 ? 1 : 0, at });
  return kills;
}
