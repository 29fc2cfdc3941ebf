import type { ChainPage, ChainTransfer, Rates } from '../../chain/port.ts';
import { groupBy, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { findUnapplied, setAside } from '../lifecycle/unapplied.ts';
import { findConfirmable } from '../transfers/confirm.ts';
import { readOwners, type ChainScope } from '../transfers/store.ts';
import { applyTransfers, lockConcerned } from './apply-transfers.ts';

/** What a page means for payments, and the market at which its new transfers are credited. */
export interface PricedPage {
  readonly read: PageOfPayments;
  /** Null: they are not to be had. */
  readonly rates: Rates | null;
}

/** Which payments of a page are applied. */
export interface Part {
  /** Null: all. */
  readonly only: ReadonlySet<string> | null;
  /** Payments for which the page cannot be applied: what it reports of them is set aside. */
  readonly failing: ReadonlySet<string>;
}

export const WHOLE: Part = { only: null, failing: new Set() };

/**
 * Applies one page of a chain, in the transaction that has advanced the chain's cursor: credits and stores
 * its transfers, confirms what is deep enough, and moves every payment concerned, in sets. Returns the
 * payments that moved, and whether there is more to apply. What it reports of a payment with transfers that
 * are set aside is set aside behind them: a payment's transfers are applied in the chain's order.
 *
 * Locks payments first, in the order of their ids, then whatever belongs to them: two networks that pay one
 * payment at once, or a settlement meanwhile, wait for each other and cannot deadlock.
 */
export async function applyPage(
  tx: Tx,
  scope: ChainScope,
  { read, rates }: PricedPage,
  now: Date,
  { only, failing }: Part = WHOLE,
): Promise<{ moved: Payment[]; more: boolean }> {
  const { network } = scope;
  const { reported, height, more } = read;
  const ids = concernedBy(read).filter((id) => only?.has(id) ?? true);
  if (ids.length === 0) return { moved: [], more };
  const [concerned, unapplied] = await pipelined(
    tx,
    () => lockConcerned(tx, scope.testClock, ids, reported),
    // Behind the locks: another network's sync may have set transfers aside while this one waited.
    () => findUnapplied(tx, ids),
  );
  const isAside = (id: string) => unapplied.has(id) || failing.has(id);
  // Of a payment that only confirms, and waits already, there is nothing to keep: a later page finds it.
  const aside = [...concerned.values()]
    .map(({ payment }) => payment)
    .filter(({ id }) => isAside(id) && (reported.has(id) || !unapplied.has(id)));
  const reportOf = (id: string) => ({ network, transfers: reported.get(id) ?? [], rates, height });
  await setAside(tx, aside, reportOf, now);
  const others = new Map([...concerned].filter(([id]) => !isAside(id)));
  return {
    moved: await applyTransfers(tx, others, { network, reported, rates, height, at: now }, now),
    more,
  };
}

/** Returns the payments for which a page is applied, and not set aside. */
export async function paymentsOfPage(
  connection: Connection,
  scope: ChainScope,
  page: ChainPage,
): Promise<string[]> {
  const ids = concernedBy(await readPage(connection, scope, page));
  const unapplied = await findUnapplied(connection, ids);
  return ids.filter((id) => !unapplied.has(id));
}

const concernedBy = ({ reported, confirmable }: PageOfPayments): string[] => [
  ...new Set([...reported.keys(), ...confirmable]),
];

/**
 * What a page means for payments: which of them it concerns. What becomes of these is decided by what is read
 * once they are locked.
 */
export interface PageOfPayments {
  readonly reported: ReadonlyMap<string, readonly ChainTransfer[]>;
  /** Payments with a transfer that the page's head confirms. */
  readonly confirmable: readonly string[];
  /** Null: nothing confirms on this page. */
  readonly height: number | null;
  readonly more: boolean;
}

const NOTHING_YET = Promise.resolve({ paymentIds: [], more: true });

/** Reads what a page means for payments. */
export async function readPage(
  connection: Connection,
  scope: ChainScope,
  page: ChainPage,
): Promise<PageOfPayments> {
  const addresses = [...new Set(page.transfers.map(({ address }) => address))];
  // While there is more to read, a later page may report that a block was replaced: nothing confirms on this
  // page.
  const height = page.next === 'head' ? page.finalHeight : null;
  const [owners, { paymentIds: confirmable, more }] = await pipelined(
    connection,
    () => readOwners(connection, scope, addresses),
    () => (height === null ? NOTHING_YET : findConfirmable(connection, scope, height)),
  );
  const reported = groupBy(page.transfers, ({ address }) => owners.get(address)?.payment_id ?? '');
  reported.delete('');
  return { reported, confirmable, height, more };
}
