import { replicaReadsTotal } from '../metrics/measures.ts';
import { isUnavailable, type Connection, type Db } from '../postgres/db.ts';
import { awaitReplay, BehindFault, ReplicaFault, findPosition, type Position } from './position.ts';

/** A read, and the oldest transaction that was open on the primary; null: read there, at once. */
export type ReadAt<T> = (connection: Connection, xmin: string | null) => Promise<T>;

/** After a read that the replica could not serve, all go to the primary for this long; then one tries it. */
const REST_MS = { behind: 1_000, failed: 5_000 } as const;
/** A replica that is behind for a moment shows in the metric alone. */
const BEHIND_TOO_LONG_MS = 30_000;

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
  #isTrying = false;
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
    if (!this.#mayTry()) {
      replicaReadsTotal.inc({ outcome: 'resting' });
      return read(primary, null);
    }
    try {
      return await this.#tryToRead(primary, read);
    } finally {
      this.#isTrying = false;
    }
  }

  /** Why the replica could not serve a read now; null: it could. */
  async look(primary: Connection): Promise<unknown> {
    try {
      await this.#readHere(await findPosition(primary), () => Promise.resolve());
      return null;
    } catch (error) {
      return error;
    }
  }

  destroy(): Promise<void> {
    return this.#db.destroy();
  }

  #mayTry(): boolean {
    if (this.#restUntil === null) return true;
    if (this.#isTrying || this.#monotonic() < this.#restUntil) return false;
    this.#isTrying = true;
    return true;
  }

  async #tryToRead<T>(primary: Connection, read: ReadAt<T>): Promise<T> {
    const position = await findPosition(primary).catch((error: unknown) => {
      // Then the primary would not answer the read either.
      if (isUnavailable(error)) throw error;
      this.#rest(error);
      return null;
    });
    if (position === null) return read(primary, null);
    try {
      const result = await this.#readHere(position, read);
      this.#serves();
      return result;
    } catch (error) {
      if (!isFaultOfServer(error)) throw error;
      this.#rest(error);
    }
    return read(primary, null);
  }

  /** One connection for both: the URL may lead to several standbys. */
  #readHere<T>(position: Position, read: ReadAt<T>): Promise<T> {
    return this.#db.transaction(async (tx) => {
      await awaitReplay(tx, position);
      return read(tx, position.xmin);
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
    const outcome = fault instanceof BehindFault ? 'behind' : 'failed';
    replicaReadsTotal.inc({ outcome });
    const now = this.#monotonic();
    this.#restUntil = now + REST_MS[outcome];
    if (this.#reported === 'fault') return;
    if (outcome === 'behind' && now - this.#servedAt < BEHIND_TOO_LONG_MS) return;
    this.#onChange(fault);
    this.#reported = 'fault';
  }
}

/** Everything else is an answer to the read: the primary's would be the same. */
function isFaultOfServer(error: unknown): boolean {
  const isFromPostgres = error instanceof Error && 'severity' in error;
  return error instanceof ReplicaFault || isFromPostgres || isUnavailable(error);
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
