import type { Bench } from './bench.ts';
import { measureBulk } from './parts/bulk.ts';
import { measureCells } from './parts/cells.ts';
import { measureCellsCpu } from './parts/cells-cpu.ts';
import { measureChain } from './parts/chain.ts';
import { measureDeliveries } from './parts/deliveries.ts';
import { measureDesk } from './parts/desk.ts';
import { measureHistory } from './parts/history.ts';
import { measureHome } from './parts/home.ts';
import { measureIdle } from './parts/idle.ts';
import { measureLarge } from './parts/large.ts';
import { measureLatency } from './parts/latency.ts';
import { measureLists } from './parts/lists.ts';
import { measureMemory } from './parts/memory.ts';
import { measureNeighbours } from './parts/neighbours.ts';
import { measurePages } from './parts/pages.ts';
import { measureStarts } from './parts/start.ts';
import { measureStories } from './parts/stories.ts';
import { measureVerify } from './parts/verify.ts';
import { measureWebs } from './parts/webs.ts';
import { measureRequests } from './parts/requests.ts';

/** Some rows of the table, which are measured together. */
export interface Part {
  /** What is measured, in a few words. */
  readonly about: string;
  /** How much of it, and with --quick. */
  readonly size: number;
  readonly quick: number;
  /**
   * Where the queues are: `both`, one after the other; `full`, Redis, or Postgres where there is no Redis;
   * `postgres`, because they do not matter.
   */
  readonly engines: 'both' | 'full' | 'postgres';
  /** Takes hours or much disk. */
  readonly onlyNamed?: boolean;
  readonly measure: (bench: Bench, size: number) => Promise<void>;
}

/** In the order in which they run. */
export const PARTS: Readonly<Record<string, Part>> = {
  requests: {
    about: 'creates and reads payments',
    size: 10_000,
    quick: 200,
    engines: 'full',
    measure: measureRequests,
  },
  lists: {
    about: 'lists a merchant with so many payments',
    size: 100_000,
    quick: 1_000,
    engines: 'full',
    measure: measureLists,
  },
  webs: {
    about: 'creates payments on two web processes',
    size: 10_000,
    quick: 200,
    engines: 'full',
    measure: measureWebs,
  },
  webhooks: {
    about: 'delivers so many events by one worker',
    size: 10_000,
    quick: 200,
    engines: 'both',
    measure: measureDeliveries,
  },
  latency: {
    about: 'from commit to receipt, so many seconds a round',
    size: 10,
    quick: 1,
    engines: 'both',
    measure: measureLatency,
  },
  idle: {
    about: 'what stores are asked while nothing happens, for so many seconds',
    size: 20,
    quick: 2,
    engines: 'both',
    measure: measureIdle,
  },
  neighbours: {
    about: 'the same beside so many endpoints that hang',
    size: 50_000,
    quick: 50,
    engines: 'both',
    measure: measureNeighbours,
  },
  cells: {
    about: 'creates payments in two cells beside one that hangs',
    size: 4_000,
    quick: 100,
    engines: 'postgres',
    measure: measureCells,
  },
  'cells-cpu': {
    about: 'settles so many payments in each of one, two and three cells',
    size: 1_000,
    quick: 20,
    engines: 'full',
    measure: measureCellsCpu,
  },
  stories: {
    about: 'runs stories of the sandbox, so many a round',
    size: 400,
    quick: 20,
    engines: 'full',
    measure: measureStories,
  },
  bulk: {
    about: 'moves so many payments at once',
    size: 20_000,
    quick: 200,
    engines: 'both',
    measure: measureBulk,
  },
  pages: {
    about: 'so many open checkout pages',
    size: 5_000,
    quick: 50,
    engines: 'postgres',
    measure: measurePages,
  },
  start: {
    about: 'starts web and worker so many times',
    size: 5,
    quick: 1,
    engines: 'full',
    measure: measureStarts,
  },
  chain: {
    about: 'a network that pays 200 of so many open payments in a block',
    size: 10_000,
    quick: 40,
    engines: 'full',
    measure: measureChain,
  },
  verify: {
    about: 'verifies a database of so many payments',
    size: 10_000,
    quick: 100,
    engines: 'postgres',
    measure: measureVerify,
  },
  memory: {
    about: 'memory after so many requests, and after an hour of deliveries',
    size: 1_000_000,
    quick: 500,
    engines: 'full',
    measure: measureMemory,
  },
  desk: {
    about: 'people and an export at a desk with so many payments',
    size: 1_000_000,
    quick: 1_000,
    engines: 'postgres',
    measure: measureDesk,
  },
  large: {
    about: 'the same requests at so many payments as at 10,000',
    size: 10_000_000,
    quick: 2_000,
    engines: 'postgres',
    onlyNamed: true,
    measure: measureLarge,
  },
  home: {
    about: 'the home page of a merchant with half of so many payments',
    size: 1_000_000,
    quick: 2_000,
    engines: 'postgres',
    onlyNamed: true,
    measure: measureHome,
  },
  history: {
    about: 'deliveries and lists beside so many events, deliveries and attempts',
    size: 50_000_000,
    quick: 1_000,
    engines: 'full',
    onlyNamed: true,
    measure: measureHistory,
  },
};
