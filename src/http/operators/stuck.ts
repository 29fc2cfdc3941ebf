import type { RequestHandler } from 'express';
import { Gauge } from 'prom-client';
import { countStuck, listStuck, stuckText } from '../../domain/ops/stuck.ts';
import type { Context } from '../../platform/context.ts';

/** Beside the queues' board, which links to it. */
export const STUCK_PATH = '/admin/stuck';

/** The page of stuck jobs: parked ones are in no queue, so the board itself cannot show them. */
export function stuckPage({ db }: Context): RequestHandler {
  return async (_request, response) => {
    const jobs = await listStuck(db, { job: null, key: null });
    response.type('text/plain').send(`${stuckText(jobs)}\n`);
  };
}

/** The metric of stuck jobs, to be registered. */
export function stuckGauge({ db }: Context): Gauge {
  return new Gauge({
    name: 'due_work_stuck',
    help: 'Jobs that failed 30 times or more in a row, by kind; parked until an operator releases them.',
    labelNames: ['job'],
    registers: [],
    async collect() {
      const counts = await countStuck(db);
      this.reset();
      for (const { job, count } of counts) this.set({ job }, count);
    },
  });
}
