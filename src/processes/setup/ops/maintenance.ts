import { setTimeout as sleep } from 'node:timers/promises';
import { readQueues, resumeQueues } from '../../../background/queue-status.ts';
import { LEASE_SECONDS } from '../../../domain/schedule/beats.ts';
import { beginDrain, countUnderWay, endDrain, readDrain } from '../../../domain/ops/drain.ts';
import { afterRestore, restoreText, servingNow } from '../../../domain/ops/restored.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { openDb } from '../../../platform/postgres/db.ts';
import { OpsUsageError, type OpsCommand, type OpsOutput, type OpsResult } from '../shared/command.ts';

/** A worker notices within 1 s; the longest job is a delivery, and its lease ends after that of its job. */
const DEFAULT_TIMEOUT_SECONDS = 120;
const NOTICED_MS = 1_500;
const POLL_MS = 500;

export const drainCommand: OpsCommand = {
  summary: 'stops all workers from taking new work, before a maintenance, and says when they are idle',
  description:
    'Without an option it says whether workers are drained. Web goes on: payments are created, and what is due ' +
    'waits in Postgres until --off. /v1/status says degraded meanwhile; MAINTENANCE=true announces it.',
  options: {
    on: { type: 'boolean', meaning: 'workers finish what is under way, and take nothing new' },
    off: { type: 'boolean', meaning: 'workers go on, and so do queues that were paused by a program' },
    wait: {
      type: 'boolean',
      meaning: 'waits until nothing is under way; exit code 1 when it takes too long',
    },
    timeout: { type: 'string', value: 'SECONDS', meaning: `for --wait; default: ${DEFAULT_TIMEOUT_SECONDS}` },
    reason: { type: 'string', value: 'TEXT', meaning: 'for --on; shown by status' },
  },
  changes: (values) => values.has('on') || values.has('off'),
  async run(ctx, values, output) {
    const seconds = secondsOf(values.text('timeout'));
    if (values.has('on') && values.has('off'))
      throw new OpsUsageError('drain takes --on or --off, not both.');
    if (values.has('off')) {
      if (values.has('wait')) throw new OpsUsageError('drain --wait waits for idle workers: not with --off.');
      const ended = await endDrain(ctx.db);
      const isResumed = await resumeQueues(ctx).then(
        () => true,
        () => false,
      );
      const state = ended === null ? 'Workers were not drained.' : 'Workers take work again.';
      return {
        facts: { drain: null, was_on: ended !== null, queues_resumed: isResumed },
        text: isResumed ? state : `${state} The queues cannot be reached: one that is paused stays so.`,
        changed: { off: true },
      };
    }
    if (values.has('on')) await beginDrain(ctx.db, ctx.systemNow(), values.text('reason'));
    const result = values.has('wait') ? await waitUntilIdle(ctx, seconds, output) : await show(ctx);
    return values.has('on') ? { ...result, changed: { on: true, reason: values.text('reason') } } : result;
  },
};

function secondsOf(text: string | null): number {
  if (text === null) return DEFAULT_TIMEOUT_SECONDS;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new OpsUsageError(`--timeout ${text} is no number of seconds.`);
}

interface Load {
  readonly jobs: number;
  readonly endpoints: number;
  /** In queues; null: their server cannot be reached. */
  readonly queued: number | null;
}

async function readLoad(ctx: Context): Promise<Load> {
  const queues = await readQueues(ctx).catch(() => null);
  const queued = queues?.reduce((sum, { waiting, active, paused }) => sum + waiting + active + paused, 0);
  return { ...(await countUnderWay(ctx.db, ctx.systemNow(), LEASE_SECONDS)), queued: queued ?? null };
}

/** A lease without a job in a queue is that of a worker that is gone: it ends by itself. */
function isIdle({ jobs, endpoints, queued }: Load): boolean {
  return endpoints === 0 && (queued === null ? jobs === 0 : queued === 0);
}

function loadText({ jobs, endpoints, queued }: Load): string {
  const inQueues = queued === null ? 'the queues cannot be reached' : `${queued} in queues`;
  return `${inQueues}, ${jobs} jobs leased, deliveries to ${endpoints} endpoints`;
}

async function show(ctx: Context): Promise<OpsResult> {
  const [drain, load] = await Promise.all([readDrain(ctx.db), readLoad(ctx)]);
  const state = drain === null ? 'Workers take work' : `Drained since ${drain.since.toISOString()}`;
  return { facts: { drain, idle: isIdle(load), ...load }, text: `${state}: ${loadText(load)}.` };
}

async function waitUntilIdle(ctx: Context, seconds: number, output: OpsOutput): Promise<OpsResult> {
  const end = performance.now() + seconds * 1000;
  const drain = await readDrain(ctx.db);
  if (drain === null) throw new OpsUsageError('Workers are not drained: write drain --on --wait.');
  await sleep(NOTICED_MS);
  for (;;) {
    const load = await readLoad(ctx);
    const idle = isIdle(load);
    const facts = { drain, idle, ...load };
    if (idle) return { facts, text: 'Workers are idle: nothing is under way.' };
    if (performance.now() > end)
      return { facts, text: `Not idle after ${seconds} s: ${loadText(load)}.`, isBad: true };
    output.progress(loadText(load));
    await sleep(POLL_MS);
  }
}

/** Numbering a large feed again takes minutes. */
const RESTORE_DB = { poolSize: 2, acquireMs: 10_000, queryMs: 3_600_000, name: 'ops restored' };

export const restoredCommand: OpsCommand = {
  summary: 'after a backup was restored: the event feed begins again; prints what to check',
  description:
    'While no web, worker or watcher runs. Cursors from before the restore get 400 from then on, and all events are ' +
    'in the feed again, in their order.',
  options: {},
  changes: () => true,
  async run(ctx) {
    const serving = await servingNow(ctx.db);
    if (serving.length > 0)
      throw new StartError(
        `Stop every web, worker and watcher first. These are connected: ${serving.join(', ')}.`,
      );
    const db = openDb({ url: ctx.config.databaseUrl, ...RESTORE_DB });
    try {
      const facts = await afterRestore({ ...ctx, db });
      return { facts: { ...facts }, text: restoreText(facts), changed: { ...facts } };
    } finally {
      await db.destroy();
    }
  },
};
