import { setTimeout as sleep } from 'node:timers/promises';
import { replicaReadsTotal } from './metrics/measures.ts';
import { isUnavailable, runOne, sql, type Connection, type Db } from './postgres/db.ts';

/** The primary at one moment. */
interface Position {
  /** The end of the last record in the log, what is not flushed yet included. */
  readonly lsn: string;
  /** The history that it belongs to: each promotion begins another. */
  readonly timeline: string;
  readonly cluster: string;
  /** The oldest open transaction, at a moment before that of `lsn`. */
  readonly xmin: string;
}

// A commit is visible, and acknowledged, only after its record is in the log. The statement has its snapshot
// before it computes anything: whatever has ended below xmin is before lsn, whichever process wrote it.
const positionOfPrimary = sql<Position>(
  'position_of_primary',
  `SELECT (CASE
       WHEN place.file_offset = 40 THEN log.lsn - 40
       WHEN place.file_offset > block.size AND mod(place.file_offset, block.size) = 24 THEN log.lsn - 24
       ELSE log.lsn END)::text AS lsn,
     left(place.file_name, 8) AS timeline,
     (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
     pg_snapshot_xmin(pg_current_snapshot()) AS xmin
   FROM (SELECT current_setting('wal_block_size')::integer AS size) block,
     pg_current_wal_insert_lsn() AS log(lsn), pg_walfile_name_offset(log.lsn) AS place`,
);

// Positions compare within one history only. The timeline is that of the standby's last checkpoint: after a
// promotion it changes late, and never early.
const faultOfStandby = sql<{ fault: string | null; is_behind: boolean }, Omit<Position, 'xmin'>>(
  'fault_of_standby',
  (p) => `
   SELECT CASE
     WHEN NOT pg_is_in_recovery() THEN 'it is no standby: it was promoted, or is a server of its own'
     WHEN (SELECT system_identifier::text FROM pg_control_system()) <> ${p.cluster}
       THEN 'it is a standby of another cluster'
     WHEN (SELECT upper(lpad(to_hex(timeline_id), 8, '0')) FROM pg_control_checkpoint()) <> ${p.timeline}
       THEN 'it has no checkpoint yet of the timeline that the primary is on'
     END AS fault,
     (pg_last_wal_replay_lsn() >= ${p.lsn}::text::pg_lsn) IS NOT TRUE AS is_behind`,
);

/** A standby on the same network replays within a few milliseconds. */
const REPLAY_MS = 50;
const POLL_MS = 5;
/** After a read that the replica could not serve, all go to the primary for this long; then one tries it. */
const REST_MS = { behind: 1_000, failed: 5_000 } as const;
/** A replica that is behind for a moment shows in the metric alone. */
const BEHIND_TOO_LONG_MS = 30_000;

/** The standby cannot serve a read, in words for operators. */
class ReplicaFault extends Error {
  override readonly name = 'ReplicaFault';
  readonly outcome: 'behind' | 'failed';

  constructor(fault: string | null) {
    super(fault ?? 'it is behind the primary');
    this.outcome = fault === null ? 'behind' : 'failed';
  }
}

/** A read, and the oldest transaction that was open on the primary; null: read there, at once. */
export type ReadAt<T> = (connection: Connection, xmin: string | null) => Promise<T>;

interface Options {
  /** Called when the replica begins to serve, with null, and when it ceases to, with the reason. */
  readonly onChange: (fault: unknown) => void;
  /** Counts milliseconds; tests pass their own. */
  readonly monotonic?: () => number;
}

/** A standby for reads that cost much. A read sees all that was committed when it began, or the primary. */
export class Replica {
  readonly #db: Db;
  readonly #onChange: (fault: unknown) => void;
  readonly #monotonic: () => number;
  /** Null: it serves. At first it is as after a rest: nobody but one read waits for a server that is away. */
  #restUntil: number | null;
  #servedAt: number;
  #reported: 'nothing' | 'serves' | 'fault' = 'nothing';

  constructor(db: Db, { onChange, monotonic = () => performance.now() }: Options) {
    this.#db = db;
    this.#onChange = onChange;
    this.#monotonic = monotonic;
    this.#servedAt = monotonic();
    this.#restUntil = this.#servedAt;
  }

  /**
   * Runs `read` on the replica, in a transaction, once it shows all that is committed on the primary now; on
   * the primary where it does not in time, or fails. `read` may run twice.
   */
  async read<T>(primary: Connection, read: ReadAt<T>): Promise<T> {
    if (this.#restUntil !== null && this.#monotonic() < this.#restUntil) {
      replicaReadsTotal.inc({ outcome: 'resting' });
      return read(primary, null);
    }
    // The others rest while this read tries a replica that has rested.
    if (this.#restUntil !== null) this.#restUntil = this.#monotonic() + REST_MS.failed;
    const position = await runOne(primary, positionOfPrimary, []).catch((error: unknown) => {
      // Then the primary would not answer the read either.
      if (isUnavailable(error)) throw error;
      this.#rest(error);
      return null;
    });
    if (position === null) return read(primary, null);
    try {
      const result = await this.#readAt(position, read);
      this.#serves();
      return result;
    } catch (error) {
      // Everything else is an answer to the read: the primary's would be the same.
      const isOfServer = error instanceof Error && ('severity' in error || error instanceof ReplicaFault);
      if (!isOfServer && !isUnavailable(error)) throw error;
      this.#rest(error);
    }
    return read(primary, null);
  }

  /** Why the replica could not serve a read now; null: it could. */
  async look(primary: Connection): Promise<unknown> {
    try {
      const position = await runOne(primary, positionOfPrimary, []);
      if (position !== null) await this.#readAt(position, () => Promise.resolve());
      return null;
    } catch (error) {
      return error;
    }
  }

  destroy(): Promise<void> {
    return this.#db.destroy();
  }

  /**
   * Reads once the standby has replayed up to the position, in READ COMMITTED and on the same connection,
   * because the URL may lead to several standbys. Throws ReplicaFault where it does not replay in time.
   */
  #readAt<T>({ xmin, ...position }: Position, read: ReadAt<T>): Promise<T> {
    return this.#db.transaction(async (tx) => {
      for (const end = performance.now() + REPLAY_MS; ; await sleep(POLL_MS)) {
        const found = await runOne(tx, faultOfStandby, position);
        if (found?.fault === null && !found.is_behind) return read(tx, xmin);
        if (found?.fault !== null || performance.now() > end) throw new ReplicaFault(found?.fault ?? null);
      }
    });
  }

  #serves(): void {
    replicaReadsTotal.inc({ outcome: 'served' });
    this.#restUntil = null;
    this.#servedAt = this.#monotonic();
    if (this.#reported !== 'serves') this.#onChange(null);
    this.#reported = 'serves';
  }

  #rest(fault: unknown): void {
    const outcome = fault instanceof ReplicaFault ? fault.outcome : 'failed';
    replicaReadsTotal.inc({ outcome });
    const now = this.#monotonic();
    this.#restUntil = now + REST_MS[outcome];
    if (this.#reported === 'fault') return;
    if (outcome === 'behind' && now - this.#servedAt < BEHIND_TOO_LONG_MS) return;
    this.#onChange(fault);
    this.#reported = 'fault';
  }
}

/** Where a reader reads: a connection to the primary, and the replica where there is one. */
export interface Source {
  readonly db: Connection;
  readonly replica?: Replica | undefined;
}

/** Reads on the replica where that shows all that is committed now, else on the primary. */
export function readCurrent<T>({ db, replica }: Source, read: ReadAt<T>): Promise<T> {
  return replica === undefined ? read(db, null) : replica.read(db, read);
}
