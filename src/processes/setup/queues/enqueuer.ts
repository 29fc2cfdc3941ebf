import { QueueEnqueuer } from '../../../background/enqueuer.ts';
import type { JobQueue } from '../../../background/queues.ts';
import { enqueueWith } from '../../../domain/schedule/enqueue.ts';
import type { QueueName } from '../../../domain/schedule/job.ts';
import type { Context } from '../../../platform/context.ts';
import { within } from '../../../platform/logging/watch-replies.ts';
import { assertSession } from '../../../platform/postgres/pooler.ts';
import { directVariable } from '../context.ts';
import type { Lifetime } from '../lifetime.ts';

/** Until the queues are opened again after that failed: meanwhile the sweep finds what is due. */
const REOPEN_MS = 10_000;

/**
 * Enqueues what this process commits, until it ends. Nothing waits for a queue; while none can
 * be reached, the sweep of the workers finds what is due. Returns what opens the queues beforehand.
 */
export function openEnqueuer(ctx: Context, lifetime: Pick<Lifetime, 'own'>): () => void {
  const opened = new Map<QueueName, JobQueue>();
  // Not before the process serves: a start need not wait for BullMQ.
  const open = async () => {
    const { config, log } = ctx;
    // It sets a path on its connections, which a pooler would give to others.
    if (config.redisUrl === null)
      await assertSession(config.databaseDirectUrl, {
        who: 'what enqueues jobs to the queues in Postgres',
        variable: directVariable(config),
      });
    const { openQueueEngine, ENQUEUER_POOL_SIZE } = await import('../../../background/queues.ts');
    return openQueueEngine(config, log, ENQUEUER_POOL_SIZE);
  };
  let engine: ReturnType<typeof open> | null = null;
  const engineOnce = () => {
    if (engine !== null) return engine;
    const opening = open();
    engine = opening;
    opening.catch(() => setTimeout(() => (engine = null), REOPEN_MS).unref());
    return opening;
  };
  const queueOf = async (name: QueueName) => {
    const own = await engineOnce();
    const queue = opened.get(name) ?? own.openQueue(name);
    opened.set(name, queue);
    return queue;
  };
  const enqueuer = new QueueEnqueuer(queueOf, ctx);
  const stop = enqueueWith(ctx.db, enqueuer);
  lifetime.own('queues', async () => {
    stop();
    const own = await engine?.catch(() => null);
    const isAway = own?.stopWaiting() ?? false;
    const close = async () => {
      if (!isAway) await enqueuer.close();
      await Promise.all([...opened.values()].map((queue) => queue.close()));
      await own?.close();
    };
    // A server that hangs is not waited for: what it lost is found by the sweep.
    await within(1_000, close(), 'the queues have not closed').catch(() => undefined);
  });
  return () => void engineOnce().catch(() => undefined);
}
