import { setTimeout as sleep } from 'node:timers/promises';
import { runOne, sql, type Connection, type Tx } from '../postgres/db.ts';

// Why a read from a standby misses nothing that anybody knows of. A commit is visible, and acknowledged, only
// after its record is in the log. So the end of the primary's log, asked for within the request, is behind
// the record of every such commit, whichever process wrote it. A standby that has replayed up to there shows
// all of them to a statement that begins afterwards. Positions compare within one history only: the standby
// must be of the same cluster and timeline.

/** The primary at one moment. */
export interface Position {
  /** The end of the log, what is not flushed yet included. */
  readonly lsn: string;
  /** The history that it belongs to: each promotion begins another. */
  readonly timeline: string;
  readonly cluster: string;
  /** The oldest open transaction, at a moment before that of `lsn`. */
  readonly xmin: string;
}

// The statement has its snapshot before it computes anything: whatever has ended below xmin is before lsn.
const positionOfPrimary = sql<Position>(
  'position_of_primary',
  `SELECT pg_current_wal_insert_lsn()::text AS lsn,
     left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
     (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
     pg_snapshot_xmin(pg_current_snapshot()) AS xmin`,
);

/** Where the primary is now, in one round trip. */
export async function findPosition(primary: Connection): Promise<Position> {
  const position = await runOne(primary, positionOfPrimary, []);
  if (position === null) throw new Error('the position of the primary has no row');
  return position;
}

interface Following {
  readonly is_standby: boolean;
  readonly is_of_cluster: boolean;
  readonly is_of_timeline: boolean;
  readonly has_replayed: boolean;
}

// The timeline is that of the standby's last checkpoint: after a promotion it changes late, and never early.
const followingOfStandby = sql<Following, Omit<Position, 'xmin'>>(
  'following_of_standby',
  (p) => `
   SELECT pg_is_in_recovery() AS is_standby,
     (SELECT system_identifier::text FROM pg_control_system()) = ${p.cluster} AS is_of_cluster,
     (SELECT upper(lpad(to_hex(timeline_id), 8, '0')) FROM pg_control_checkpoint()) = ${p.timeline}
       AS is_of_timeline,
     (pg_last_wal_replay_lsn() >= ${p.lsn}::text::pg_lsn) IS TRUE AS has_replayed`,
);

/** The server cannot serve a read, in words for operators. */
export class ReplicaFault extends Error {
  override readonly name: string = 'ReplicaFault';
}

/** It is a standby of the primary, and has not replayed what the read must see. */
export class BehindFault extends ReplicaFault {
  override readonly name = 'BehindFault';
}

/** A standby on the same network replays within a few milliseconds. */
const REPLAY_MS = 50;
const POLL_MS = 5;

/**
 * Waits until the server of `tx`, in READ COMMITTED, shows all that the primary had committed at `position`.
 * Throws ReplicaFault where it does not within 50 ms, and where it is no standby of that primary.
 */
export async function awaitReplay(tx: Tx, { lsn, timeline, cluster }: Position): Promise<void> {
  for (const end = performance.now() + REPLAY_MS; ; await sleep(POLL_MS)) {
    const following = await runOne(tx, followingOfStandby, { lsn, timeline, cluster });
    if (following?.is_standby !== true)
      throw new ReplicaFault('it is no standby: it was promoted, or is a server of its own');
    if (!following.is_of_cluster) throw new ReplicaFault('it is a standby of another cluster');
    if (!following.is_of_timeline)
      throw new ReplicaFault('it has no checkpoint yet of the timeline that the primary is on');
    if (following.has_replayed) return;
    if (performance.now() > end) throw new BehindFault('it is behind the primary');
  }
}
