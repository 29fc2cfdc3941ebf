import { seededRandom } from '../seeded-random.ts';
import type { Fault } from './fault.ts';
import { POSTGRES_FAULTS } from './postgres-faults.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { REDIS_FAULTS } from './redis-faults.ts';
import type { Engine } from '../stand/stand.ts';

/** The matrix. */
export const FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...POSTGRES_FAULTS, ...REDIS_FAULTS];

/** The faults of an engine in the seed's order: those named, or all. */
export function planOf(engine: Engine, seed: string, names: readonly string[] | null): Fault[] {
  return FAULTS.filter(({ on }) => on === undefined || on === engine)
    .filter(({ name }) => names === null || names.includes(name))
    .toSorted((a, b) => seededRandom(seed, engine, a.name) - seededRandom(seed, engine, b.name));
}
