import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../platform/context.ts';
import { QUEUE_NAMES } from '../platform/job.ts';
import { countQueues, SCRAPE_MS, type QueueCounts } from './queue-status.ts';
import { openQueueEngine, type JobQueue } from './queues.ts';

/** Handles the requests to the board, as a middleware of Express does. */
export type BoardHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** A page beside the board. */
export interface BoardLink {
  readonly text: string;
  readonly url: string;
}

/** What operators see of the queues. */
export interface OperatorQueues {
  readonly board: BoardHandler;
  /** Counts the jobs of each queue. Rejects when their server is away or hangs. */
  count(): Promise<QueueCounts[]>;
  close(): Promise<void>;
}

/** Opens the queues, with a board of them at `path` that has links to other pages. */
export function openOperatorQueues(
  { config, log }: Context,
  path: string,
  links: readonly BoardLink[],
): OperatorQueues {
  const engine = openQueueEngine(config, log);
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
  return {
    board: createBoard(queues, path, links),
    count: () => countQueues(queues, SCRAPE_MS),
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await engine.close();
    },
  };
}

/** Bull Board, to be mounted at `path`, without what changes the queues. */
function createBoard(queues: readonly JobQueue[], path: string, links: readonly BoardLink[]): BoardHandler {
  const server = new ExpressAdapter();
  server.setBasePath(path);
  // The adapter works on both engines; its type names only the one on Redis.
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue as Queue, { readOnlyMode: true })),
    serverAdapter: server,
    options: { uiConfig: { miscLinks: [...links] } },
  });
  return server.getRouter() as BoardHandler;
}
