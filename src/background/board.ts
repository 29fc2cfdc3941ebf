import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JobQueue } from './queues.ts';

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

/**
 * Bull Board for the queues, to be mounted at `path`, with links to other pages; unless `canWrite`, without
 * what changes the queues.
 */
export function createBoard(
  queues: readonly JobQueue[],
  path: string,
  { canWrite, links }: { canWrite: boolean; links: readonly BoardLink[] },
): BoardHandler {
  const server = new ExpressAdapter();
  server.setBasePath(path);
  // The adapter works on both engines; its type names only the one on Redis.
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue as Queue, { readOnlyMode: !canWrite })),
    serverAdapter: server,
    options: { uiConfig: { miscLinks: [...links] } },
  });
  return server.getRouter() as BoardHandler;
}
