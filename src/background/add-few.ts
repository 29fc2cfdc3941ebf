import type { Queue } from 'bullmq';

/**
 * Up to this many jobs are added one by one, at 0.7 ms each; the statement for many took 9 ms for three jobs
 * on average (pg_stat_statements).
 */
const FEW_JOBS = 8;

interface JobTarget {
  add(...job: Parameters<Queue['add']>): Promise<unknown>;
  addBulk(jobs: Parameters<Queue['addBulk']>[0]): Promise<unknown>;
}

/** For queues on Postgres: BullMQ's statement for many jobs creates two temporary tables there. */
export function addFewAlone<Target extends JobTarget>(queue: Target): Target {
  const addMany = queue.addBulk.bind(queue);
  const addBulk: JobTarget['addBulk'] = (jobs) =>
    jobs.length > FEW_JOBS
      ? addMany(jobs)
      : Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)));
  return Object.assign(queue, { addBulk });
}
