import type { ChainPage, ChainTransfer } from '../../chain/port.ts';
import { groupBy, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { compare } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { findQuarantined, quarantine } from '../lifecycle/quarantine.ts';
import type { PricesOf } from '../pricing/market.ts';
import { reviewAwaited } from '../refunds/by-merchant/review.ts';
import { allAt, findConfirmable, type ConfirmedHeights } from '../transfers/confirm.ts';
import type { ChainScope } from '../transfers/store.ts';
import { applyTransfers, lockConcerned } from './apply-transfers.ts';
import { ownerAt, readOwners } from './standing.ts';

/** What a page means for payments, and the prices at which its new transfers are credited. */
export interface PricedPage {
  readonly read: PageOfPayments;
  readonly pricesOf: PricesOf;
}

/** Which payments of a page are applied. */
export interface Part {
  /** Null: all. */
  readonly only: ReadonlySet<string> | null;
  /** Payments for which the page cannot be applied: what it reports of them is quarantined. */
  readonly failing: ReadonlySet<string>;
}

export const WHOLE: Part = { only: null, failing: new Set() };

/**
 * Applies one page of a chain, in the transaction that has advanced the chain's cursor: credits and stores
 * its transfers, confirms what is deep enough, and moves every payment concerned, in sets. Returns the
 * payments that moved, and whether there is more to apply. What it reports of a payment with transfers that
 * are quarantined is quarantined behind them: a payment's transfers are applied in the chain's order.
 *
 * Locks payments first, in the order of their ids, then whatever belongs to them: two networks that pay one
 * payment at once, or a settlement meanwhile, wait for each other and cannot deadlock.
 */
export async function applyPage(
  tx: Tx,
  scope: ChainScope,
  { read, pricesOf }: PricedPage,
  now: Date,
  { only, failing }: Part = WHOLE,
): Promise<{ moved: Payment[]; more: boolean }> {
  const { network, isLive, finality } = scope;
  const { transfers, heights, more } = read;
  const ids = concernedBy(read).filter((id) => only?.has(id) ?? true);
  if (ids.length === 0) return { moved: [], more };
  const [concerned, quarantined] = await pipelined(
    tx,
    () => lockConcerned(tx, scope.testClock, ids, transfers),
    // Behind the locks: another network's sync may have quarantined transfers while this one waited.
    () => findQuarantined(tx, ids),
  );
  const isQuarantined = (id: string) => quarantined.has(id) || failing.has(id);
  // Of a payment that only confirms, and waits already, there is nothing to keep: a later page finds it.
  const quarantining = [...concerned.values()]
    .map(({ payment }) => payment)
    .filter(({ id }) => isQuarantined(id) && (transfers.has(id) || !quarantined.has(id)));
  const height = heights?.final ?? null;
  const ratesOf = (payment: Payment) => pricesOf(payment).rates;
  const reportOf = (payment: Payment) => ({
    network,
    transfers: transfers.get(payment.id) ?? [],
    rates: ratesOf(payment),
    height,
    isLive,
  });
  await quarantine(tx, quarantining, reportOf, now);
  if (isLive && quarantining.length > 0)
    await reviewAwaited(
      tx,
      quarantining.map(({ id }) => id),
      now,
    );
  const others = new Map([...concerned].filter(([id]) => !isQuarantined(id)));
  const report = { network, transfers, ratesOf, heights, isLive, finality, at: now };
  return { moved: await applyTransfers(tx, others, report, now), more };
}

/** Returns the payments of a page to which it is applied, those with quarantined transfers excluded. */
export async function paymentsOfPage(
  connection: Connection,
  scope: ChainScope,
  page: ChainPage,
): Promise<string[]> {
  const ids = concernedBy(await readPage(connection, scope, page));
  const quarantined = await findQuarantined(connection, ids);
  return ids.filter((id) => !quarantined.has(id));
}

const concernedBy = ({ transfers, confirmable }: PageOfPayments): string[] => [
  ...new Set([...transfers.keys(), ...confirmable]),
];

/**
 * What a page means for payments: which of them it concerns. What becomes of these is decided by what is read
 * once they are locked.
 */
export interface PageOfPayments {
  /** Its transfers to each payment, by the payment's id. */
  readonly transfers: ReadonlyMap<string, readonly ChainTransfer[]>;
  /** Payments with a transfer that the page's head confirms. */
  readonly confirmable: readonly string[];
  /** Null: nothing confirms on this page. */
  readonly heights: ConfirmedHeights | null;
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
  const heights = page.next === 'head' ? heightsOf(page, scope) : null;
  const [owners, { paymentIds: confirmable, more }] = await pipelined(
    connection,
    () => readOwners(connection, scope, addresses),
    () => (heights === null ? NOTHING_YET : findConfirmable(connection, scope, heights)),
  );
  // Nothing is money: a transfer of it, with which people are led to wrong addresses, must not stop the page.
  const paying = page.transfers.filter(({ amount }) => compare(amount, '0') > 0);
  const transfers = groupBy(
    paying,
    ({ address, seenAt }) => ownerAt(owners.get(address) ?? [], seenAt)?.payment_id ?? '',
  );
  transfers.delete('');
  return { transfers, confirmable, heights, more };
}

function heightsOf(page: ChainPage, { isLive }: ChainScope): ConfirmedHeights {
  const { head, finalHeight: final, safeHeight: safe, unsure = [] } = page;
  return isLive ? { final, safe, head: head.height, unsure } : allAt(final);
}
