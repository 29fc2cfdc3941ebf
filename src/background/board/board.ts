import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { JobType, Queue } from 'bullmq';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../platform/context.ts';
import { QUEUE_NAMES } from '../../domain/schedule/job.ts';
import { within } from '../../platform/logging/watch-replies.ts';
import { countQueues, SCRAPE_MS, type QueueCounts } from '../queue-status.ts';
import type { JobData } from '../runs/job-data.ts';
import { openQueueEngine } from '../queues.ts';

/** A job of a queue, as a search shows it. */
export interface FoundJob {
  readonly queue: string;
  readonly id: string;
  readonly job: string;
  readonly state: string;
}

const STATES: readonly JobType[] = ['active', 'waiting', 'delayed', 'failed', 'completed'];

/** How many jobs of each state are read, of those that have ended the newest: a search must not slow web. */
const NEWEST = 200;

/** Handles the requests to the board, as a middleware of Express does. */
export type BoardHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Where the board is, and the pages beside it. */
export interface BoardPlace {
  readonly path: string;
  readonly links: readonly { readonly text: string; readonly url: string }[];
  /** The page of what the keys of a job identify. */
  readonly urlOf: (keys: readonly string[]) => string;
}

/** What operators see of the queues. */
export interface OperatorQueues {
  readonly board: BoardHandler;
  /** Counts the jobs of each queue. Rejects when their server is away or hangs. */
  count(): Promise<QueueCounts[]>;
  /** The jobs with one of these keys, with their pages on the board. Rejects likewise. */
  find(keys: readonly string[]): Promise<(FoundJob & { url: string })[]>;
  close(): Promise<void>;
}

/** Opens the queues, with a board of them. */
export function openOperatorQueues({ config, log }: Context, place: BoardPlace): OperatorQueues {
  const engine = openQueueEngine(config, log);
  // The adapter and the search work on both engines; BullMQ's types differ by engine.
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name) as Queue<JobData>);
  return {
    board: createBoard(queues, place),
    count: () => countQueues(queues, SCRAPE_MS),
    async find(keys) {
      const found = findJobs(queues, new Set(keys));
      const jobs = await within(SCRAPE_MS, found, `the queues have not replied in ${SCRAPE_MS / 1000} s`);
      return jobs.map((one) => ({ ...one, url: `${place.path}/queue/${one.queue}/${one.id}` }));
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await engine.close();
    },
  };
}

/** Returns the jobs of queues that carry one of these keys, among the newest of each state. */
async function findJobs(queues: readonly Queue<JobData>[], keys: ReadonlySet<string>): Promise<FoundJob[]> {
  const found: FoundJob[] = [];
  for (const queue of queues)
    for (const state of STATES)
      for (const job of await queue.getJobs(state, 0, NEWEST - 1))
        if (job?.id !== undefined && job.data.keys.some((key) => keys.has(key)))
          found.push({ queue: queue.name, id: job.id, job: job.name, state });
  return found;
}

/** The most keys of a job that its link names. */
const MAX_LINKED = 20;

/** Bull Board, to be mounted at its path, without what changes the queues. */
function createBoard(queues: readonly Queue<JobData>[], { path, links, urlOf }: BoardPlace): BoardHandler {
  const server = new ExpressAdapter();
  server.setBasePath(path);
  const externalJobUrl = ({ data }: { data?: unknown }) => ({
    displayText: 'Payment',
    href: urlOf((data as JobData).keys.slice(0, MAX_LINKED)),
  });
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, externalJobUrl })),
    serverAdapter: server,
    options: { uiConfig: { miscLinks: [...links] } },
  });
  return server.getRouter() as BoardHandler;
}
