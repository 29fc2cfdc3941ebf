import type { Connection } from '../db.ts';

/** What stands in for a pool or a transaction, and whether its statements of one turn share a round trip. */
export const sharing = new WeakMap<object, { readonly isOpen: boolean }>();

/** Whether the statements of one turn share a round trip (merged.ts). */
export function isSharing(connection: Connection): boolean {
  return sharing.get(connection)?.isOpen === true;
}

/**
 * Does several things on one connection, whose statements do not depend on each other's results: in their
 * order, and in one round trip where the connection can. Elsewhere one after the other: a transaction has one
 * connection, and they must not take several of a pool.
 */
export async function pipelined<Results extends readonly unknown[]>(
  connection: Connection,
  ...work: { readonly [Place in keyof Results]: () => Promise<Results[Place]> }
): Promise<Results> {
  const all: readonly (() => Promise<unknown>)[] = work;
  if (!isSharing(connection)) {
    let results: readonly unknown[] = [];
    for (const one of all) results = [...results, await one()];
    return results as Results;
  }
  const begun: Promise<unknown>[] = [];
  for (const one of all) begun.push((await begin(one)).result);
  const results: readonly unknown[] = await Promise.all(begun);
  return results as Results;
}

/** Begins what asks for one statement: what is begun next comes behind that. */
async function begin<Result>(work: () => Promise<Result>): Promise<{ result: Promise<Result> }> {
  const result = work();
  result.catch(() => undefined);
  await new Promise((resolve) => process.nextTick(resolve));
  return { result };
}

/**
 * Begins the last statement of a transaction of `transact`, so that COMMIT goes with it. Its result is there
 * once the transaction has ended. Elsewhere it has run when this resolves.
 */
export async function beginLast<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<{ result: Promise<Result> }> {
  const begun = await begin(work);
  if (!isSharing(connection)) await begun.result;
  return begun;
}
