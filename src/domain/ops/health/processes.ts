import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { VERSION } from '../../../platform/root.ts';
import type { Fault } from './monitor.ts';
import { secretBoxOf } from '../../../platform/secret-box.ts';

/** What a worker does in one of its queues. */
export interface QueueRuns {
  /** Jobs that run at this moment, by their keys. */
  readonly running: number;
  /** Of them, those that have run for 10 s. */
  readonly slow: number;
  /** When a job last ended well here; null: none yet. */
  readonly finishedAt: Date | null;
  readonly finished: number;
  readonly failed: number;
}

export type RunsByQueue = Readonly<Record<string, QueueRuns>>;

/** What a process says of itself, beside that it is there. */
export interface ProcessState {
  readonly queues?: RunsByQueue;
  /** What it finds wrong, as its /v1/status says. */
  readonly faults?: readonly Fault[];
}

/** A process of the service, as it reports itself. */
export interface ProcessIdentity {
  readonly id: string;
  readonly kind: 'web' | 'worker' | 'watcher';
  readonly startedAt: Date;
}

export function newProcess(kind: ProcessIdentity['kind'], startedAt: Date): ProcessIdentity {
  return { id: randomUUID(), kind, startedAt };
}

interface Beat {
  readonly id: string;
  readonly kind: string;
  readonly host: string;
  readonly pid: number;
  /** Version and the ids of the keys, as one parameter each. */
  readonly version: string;
  readonly startedAt: Date;
  readonly now: Date;
  /** JSON: key_ids, queues, faults and clock_offset_ms. */
  readonly state: string;
}

// probe_disk() fails when the disk is full, and with it the statement.
const beat = sql<{ probe: string }, Beat>(
  'beat_process',
  (p) => `
   INSERT INTO processes
     (id, kind, host, pid, version, started_at, beat_at, key_ids, queues, faults, clock_offset_ms)
   SELECT ${p.id}, ${p.kind}, ${p.host}, ${p.pid}, ${p.version}, ${p.startedAt}, ${p.now},
     s.key_ids, s.queues, s.faults, s.clock_offset_ms
   FROM json_to_record(${p.state}::json)
     AS s (key_ids text[], queues jsonb, faults jsonb, clock_offset_ms double precision)
   ON CONFLICT (id) DO UPDATE
     SET beat_at = excluded.beat_at, key_ids = excluded.key_ids, queues = excluded.queues,
       faults = excluded.faults, clock_offset_ms = excluded.clock_offset_ms
   RETURNING probe_disk() AS probe`,
);

/** Records that a process is alive and what it does. It fails when Postgres takes no writes. */
export async function recordBeat(
  ctx: Context,
  process_: ProcessIdentity,
  { queues = {}, faults = [] }: ProcessState,
): Promise<void> {
  const { clock } = ctx;
  const isMeasured = clock !== undefined && clock.state !== 'unmeasured';
  const state = JSON.stringify({
    key_ids: secretBoxOf(ctx.config).keyIds,
    queues,
    faults,
    clock_offset_ms: isMeasured ? clock.offsetSeconds * 1_000 : null,
  });
  const { id, kind, startedAt } = process_;
  const { pid } = process;
  const now = ctx.systemNow();
  await run(ctx.db, beat, { id, kind, host: hostname(), pid, version: VERSION, startedAt, now, state });
}

// Fails as the statement above does, and inserts no row.
const probe = sql<never, { now: Date }>(
  'probe_writes',
  (p) => `
   INSERT INTO processes (id, kind, host, pid, version, started_at, beat_at, key_ids)
   SELECT 'probe', 'web', '', 0, '', ${p.now}, ${p.now}, '{}'
   FROM (SELECT probe_disk() AS rows) probed WHERE rows < 0`,
);

/** Fails when Postgres takes no writes, and writes nothing. */
export async function probeWrites({ db, systemNow }: Context): Promise<void> {
  await run(db, probe, { now: systemNow() });
}

/** A process without a beat for so long is gone, or hangs. */
const GONE_AFTER_SECONDS = 15;

const end = sql<never, { id: string; beatAt: Date }>(
  'end_process',
  (p) => `UPDATE processes SET beat_at = ${p.beatAt} WHERE id = ${p.id}`,
);

/** Records that a process ends in order: it is gone at once, and what it finished stays known. */
export async function endProcess(ctx: Context, { id }: ProcessIdentity): Promise<void> {
  await run(ctx.db, end, { id, beatAt: addSeconds(ctx.systemNow(), -2 * GONE_AFTER_SECONDS) });
}

/** What a process that is gone has finished still counts for this long. */
const KEPT_SECONDS = 3_600;

interface ProcessRow {
  readonly kind: string;
  readonly host: string;
  readonly pid: number;
  readonly beat_at: Date;
  readonly faults: readonly Fault[];
  readonly key_ids: readonly string[];
  readonly clock_offset_ms: number | null;
  readonly queues: Readonly<Record<string, Omit<QueueRuns, 'finishedAt'> & { finishedAt: string | null }>>;
}

const recentProcesses = sql<ProcessRow, { since: Date }>(
  'recent_processes',
  (p) => `
   SELECT kind, host, pid, beat_at, key_ids, queues, faults, clock_offset_ms
   FROM processes WHERE beat_at > ${p.since} ORDER BY kind, host, pid`,
);

export interface KnownProcess {
  readonly kind: string;
  readonly host: string;
  readonly pid: number;
  readonly beatAt: Date;
  readonly isAlive: boolean;
  readonly faults: readonly Fault[];
  readonly keyIds: readonly string[];
  /** How far its machine's clock is ahead of the database's; null: not measured yet. */
  readonly clockOffsetMs: number | null;
  readonly queues: RunsByQueue;
}

/** The processes that run, and those that ended within an hour. */
export async function findProcesses(connection: Connection, now: Date): Promise<KnownProcess[]> {
  const rows = await run(connection, recentProcesses, { since: addSeconds(now, -KEPT_SECONDS) });
  return rows.map(({ kind, host, pid, beat_at, key_ids, queues, faults, clock_offset_ms }) => ({
    kind,
    host,
    pid,
    beatAt: beat_at,
    faults,
    isAlive: beat_at >= addSeconds(now, -GONE_AFTER_SECONDS),
    keyIds: key_ids,
    clockOffsetMs: clock_offset_ms,
    queues: Object.fromEntries(
      Object.entries(queues).map(([name, { finishedAt, ...runs }]) => [
        name,
        { ...runs, finishedAt: finishedAt === null ? null : new Date(finishedAt) },
      ]),
    ),
  }));
}

const sweep = sql<{ id: string }, { before: Date }>(
  'sweep_processes',
  (p) => `DELETE FROM processes WHERE beat_at < ${p.before} RETURNING id`,
);

/** Deletes the rows of processes that are gone for long; returns how many. */
export async function sweepProcesses(ctx: Context): Promise<number> {
  return (await run(ctx.db, sweep, { before: addSeconds(ctx.systemNow(), -KEPT_SECONDS) })).length;
}
