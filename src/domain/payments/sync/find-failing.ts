import { RateUnavailable } from '../../chain/rates/rates.ts';
import { isMoving, isUnavailable, type Db, type Tx } from '../../../platform/postgres/db.ts';

/** Errors by the payment that causes them. */
export type Failures = ReadonlyMap<string, unknown>;

/**
 * Finds the payments for which `work` fails also when it does nothing else: applied to halves, and halves of
 * those that fail, each in a transaction that is rolled back. Returns none when no payment fails alone. When
 * each of several does, the fault is not a payment's: it returns those alone whose coin has no price, and
 * those of a merchant that moves. Throws when Postgres is unavailable, which says nothing about a payment.
 */
export async function findFailing(
  db: Db,
  ids: readonly string[],
  work: (tx: Tx, ids: ReadonlySet<string>) => Promise<unknown>,
): Promise<Failures> {
  const failing = await failingAmong(db, ids, work);
  if (ids.length === 1 || failing.size < ids.length) return failing;
  return new Map([...failing].filter(([, error]) => error instanceof RateUnavailable || isMoving(error)));
}

async function failingAmong(
  db: Db,
  ids: readonly string[],
  work: (tx: Tx, ids: ReadonlySet<string>) => Promise<unknown>,
): Promise<Failures> {
  const [first, ...others] = ids;
  if (first === undefined) return new Map();
  const error = await errorOf(db, (tx) => work(tx, new Set(ids)));
  if (error === null) return new Map();
  if (others.length === 0) return new Map([[first, error]]);
  const half = Math.ceil(ids.length / 2);
  return new Map([
    ...(await failingAmong(db, ids.slice(0, half), work)),
    ...(await failingAmong(db, ids.slice(half), work)),
  ]);
}

/** Returns the error of work that is rolled back; null: there was none. */
async function errorOf(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  const tx = await db.transaction();
  try {
    await work(tx);
    return null;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return error;
  } finally {
    await tx.rollback();
  }
}
