import { IS_COMPARED } from '../../../moves/steps.ts';
import type { Db } from '../../../../platform/postgres/db.ts';

/**
 * Readers and writers wait at most this long for the catalogue's lock; a run that does not get it runs again.
 */
const LOCK_TIMEOUT_MS = 200;
/** A statement that reads or moves rows under such a lock may take this long. */
const MOVE_TIMEOUT_MS = 1_000;

interface Creation {
  readonly table: string;
  /** SQL: the rows of the partition. */
  readonly range: string;
  /** SQL: creates the partition. */
  readonly create: string;
  /** The constraint of the default partition that an earlier run may have left. */
  readonly proof: string;
}

/**
 * Creates a partition, and moves the rows that the default one has of its range: they are dated ahead, by a
 * clock that was wrong. In one transaction, because nobody may see a delivery missing. Postgres reads the
 * whole default partition meanwhile; the time limit keeps others from waiting for that.
 */
export async function createWithRows(db: Db, { table, range, create, proof }: Creation): Promise<void> {
  await moveRows(
    db,
    `LOCK TABLE ONLY ${table}, ${table}_default IN ACCESS EXCLUSIVE MODE;
     ALTER TABLE ${table}_default DROP CONSTRAINT IF EXISTS ${proof};
     CREATE TEMPORARY TABLE moved ON COMMIT DROP AS SELECT * FROM ${table}_default WHERE ${range};
     DELETE FROM ${table}_default WHERE ${range};
     ${create};
     INSERT INTO ${table} SELECT * FROM moved`,
  );
}

interface Drop {
  readonly table: string;
  readonly partition: string;
  /** SQL: the rows that stay. */
  readonly kept: string;
}

/**
 * Drops a partition, and moves the rows that stay to the default one. The lock comes first, so that a replay
 * either has made its delivery pending before, or finds it gone, and a merchant's rows are copied behind the
 * drop. Throws what `isMoving` knows where they are copied or compared already: the other cell may have them
 * in its default partition, which keeps them.
 */
export async function dropWithoutKept(db: Db, { table, partition, kept }: Drop): Promise<void> {
  await moveRows(
    db,
    `LOCK TABLE ONLY ${table}, ${partition} IN ACCESS EXCLUSIVE MODE;
     DO $$ BEGIN
       IF ${IS_COMPARED} THEN
         RAISE EXCEPTION 'a merchant is being moved to another cell' USING ERRCODE = 'MV001';
       END IF;
     END $$;
     CREATE TEMPORARY TABLE moved ON COMMIT DROP AS ${kept};
     DROP TABLE ${partition};
     INSERT INTO ${table} SELECT * FROM moved`,
  );
}

/** Rows of merchants that are moved to another cell, too: they stay as they are (domain/ops/move). */
async function moveRows(db: Db, statements: string): Promise<void> {
  await withShortLocks(
    db,
    `SET LOCAL statement_timeout = ${MOVE_TIMEOUT_MS};
     SET LOCAL checkout.moving = 'to another partition'; ${statements}`,
  );
}

/**
 * Runs statements in one transaction that waits for no lock for long, and holds none for longer than they
 * take: as one message they need no COMMIT (PostgreSQL's protocol, Multiple Statements in a Simple Query).
 * The locks exclude every reader and writer, who would otherwise wait for a worker that is frozen, or busy
 * with its start, before its COMMIT.
 */
export async function withShortLocks(db: Db, statements: string): Promise<void> {
  await db.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${statements}`);
}
