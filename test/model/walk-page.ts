import type { ChainTransfer } from '../../src/domain/chain/port.ts';
import { hasToConvert } from '../../src/domain/payments/conversions/plan.ts';
import { receivedEntries } from '../../src/domain/payments/ledger/ledger.ts';
import { confirmedInFull, decideTransitions, isShort } from '../../src/domain/payments/transfers/decide.ts';
import { isStanding, type PaymentTransfer } from '../../src/domain/payments/transfers/payment-transfer.ts';
import { recordOwn } from '../../src/domain/payments/transfers/merge-reported.ts';
import { compare } from '../../src/platform/values/money.ts';
import { acceptDue, book, scheduleHoldEnd, scheduleRequoteOf, take } from './walk-moves.ts';
import { reviewRefunds } from './walk-refunds.ts';
import { ratesOf, timeOf, type Slot, type State } from './walk-state.ts';

/** What a page of the chain does to the transfers of the slots. */
export type Change = {
  readonly do:
    | 'seen'
    | 'mined'
    | 'confirmed'
    | 'dropped'
    | 'reverted'
    | 'evicted'
    | 'reorganised'
    | 'replaced';
  readonly slot: number;
};

/** The transfer of a slot that stands or, when it was dropped, its last. */
export const ofSlot = ({ transfers }: State, slot: number): PaymentTransfer | undefined =>
  transfers.findLast(({ tx_hash }) => tx_hash.startsWith(`${slot}`));

/** Returns what one change of the chain can do next. */
export function possibleChanges(state: State, slots: readonly Slot[]): Change[] {
  return slots.flatMap((_, slot): Change[] => {
    const transfer = ofSlot(state, slot);
    if (transfer === undefined) return [{ do: 'seen', slot }];
    if (transfer.dropped_at !== null) return [];
    const isMined = transfer.block_height !== null;
    return [
      { do: 'dropped', slot },
      ...(transfer.confirmed_at === null ? [{ do: 'confirmed', slot } as const] : []),
      ...(isMined
        ? [{ do: 'reorganised', slot } as const, { do: 'reverted', slot } as const]
        : [{ do: 'mined', slot } as const, { do: 'evicted', slot } as const]),
      ...(transfer.tx_hash === `${slot}` ? [{ do: 'replaced', slot } as const] : []),
    ];
  });
}

/** Applies changes that one page reports, as `applyPage` does. */
export function applyChanges(state: State, changes: readonly Change[], slots: readonly Slot[]): State {
  const now = timeOf(state.clock);
  const reported = changes.flatMap((change) => report(state, change, slots));
  const { payment } = state;
  const crediting = {
    quotes: state.quotes,
    rates: () => ratesOf(state.clock),
    at: now,
    isLive: false,
    finality: {},
  };
  const recorded = recordOwn(payment, state.transfers, { transfers: reported, ...crediting });
  const confirmed = new Set(changes.filter((one) => one.do === 'confirmed').map(({ slot }) => `${slot}`));
  const stored = store(
    state.transfers,
    recorded.map(({ row }) => row),
  ).map((one) =>
    isStanding(one) && confirmed.has(one.tx_hash.slice(0, 1)) ? { ...one, confirmed_at: now } : one,
  );
  // Of two that are seen in one class of the clock, the order makes no other state.
  const transfers = stored.toSorted(
    (a, b) => a.seen_at.getTime() - b.seen_at.getTime() || (a.tx_hash < b.tx_hash ? -1 : 1),
  );
  const decision = decideTransitions(
    payment,
    recorded.flatMap(({ updates }) => updates),
    { transfers, isRefunding: state.refunds.length > 0 },
  );
  let next: State = { ...state, transfers, refunds: withReplaced(state.refunds, changes) };
  for (const request of decision.requests) next = take(next, request);
  if (decision.requests.length === 0) next = { ...next, payment: { ...next.payment, ...decision.changes } };
  for (const request of confirmedInFull([decision], [next.payment])) next = take(next, request);
  next = book(next, receivedEntries(payment.id, state.transfers, transfers));
  if (hasToConvert(next.payment, transfers))
    next = { ...next, jobs: { ...next.jobs, settle: now.getTime() } };
  if (isShort(next.payment)) next = scheduleRequoteOf(next);
  return reviewRefunds(acceptDue(scheduleHoldEnd(next)));
}

/** As `upsert_transfers`: a refund sends back the coins of what replaced a transfer. */
function withReplaced(refunds: State['refunds'], changes: readonly Change[]): State['refunds'] {
  const replaced = new Set(changes.filter((one) => one.do === 'replaced').map(({ slot }) => `${slot}`));
  const renamed = (hash: string) => (replaced.has(hash) ? `${hash}+` : hash);
  return refunds.map((one) => ({
    ...one,
    parts: one.parts.map((part) => ({ ...part, tx_hash: renamed(part.tx_hash) })),
  }));
}

const BLOCK = { height: 1, hash: 'b' };

/** Returns what the chain reports for a change. */
function report(state: State, { do: what, slot }: Change, slots: readonly Slot[]): ChainTransfer[] {
  const now = timeOf(state.clock);
  const { coin, amount, replacement } = slots[slot] ?? { coin: 'USDC', amount: '0', replacement: '0' };
  const known = ofSlot(state, slot);
  const current: ChainTransfer = {
    network: 'ethereum',
    txHash: known?.tx_hash ?? `${slot}`,
    coin,
    address: 'a',
    sender: 's',
    amount: known?.amount ?? amount,
    seenAt: known?.seen_at ?? now,
    block: known?.block_height === null ? null : BLOCK,
    final: false,
    droppedAt: null,
    replacedBy: null,
    reason: null,
  };
  const lost = { block: null, droppedAt: now, reason: 'replaced' } as const;
  if (what === 'seen') return [{ ...current, block: null }];
  if (what === 'reorganised') return [{ ...current, block: null }];
  if (what === 'dropped') return [{ ...current, ...lost }];
  if (what === 'reverted' || what === 'evicted') return [{ ...current, ...lost, reason: what }];
  if (what === 'confirmed' || what === 'mined')
    return current.block === null ? [{ ...current, block: BLOCK }] : [];
  const txHash = `${slot}+`;
  return [
    { ...current, ...lost, replacedBy: txHash },
    { ...current, txHash, amount: replacement, seenAt: now, block: null },
  ];
}

type Row = ReturnType<typeof recordOwn>[number]['row'];

/** As `upsert_transfers`: what became of a known transfer stays. */
function store(known: readonly PaymentTransfer[], rows: readonly Row[]): PaymentTransfer[] {
  const rowOf = (hash: string) => rows.find(({ tx_hash }) => tx_hash === hash);
  const asStored = (row: Row): PaymentTransfer => ({
    ...row,
    pay_currency: 'USDC',
    pay_network: 'ethereum',
    coin: row.coin as PaymentTransfer['coin'],
    block_height: row.block_height === null ? null : String(row.block_height),
    confirmations: 1,
    confirmed_at: null,
  });
  const updated = known.map((one) => {
    const row = rowOf(one.tx_hash);
    if (row === undefined) return one;
    const { conversion, converted, returned } = one;
    const place = asStored(row);
    const isSameBlock = place.block_height !== null && place.block_height === one.block_height;
    const confirmed_at = isSameBlock ? one.confirmed_at : null;
    return { ...place, conversion, converted, returned, confirmed_at };
  });
  const isNew = ({ tx_hash }: Row) => !known.some((one) => one.tx_hash === tx_hash);
  return [...updated, ...rows.filter((row) => isNew(row) && compare(row.amount, '0') > 0).map(asStored)];
}
