import type { CoinId } from '../../chain/coins.ts';
import { foundAt, hashOf } from '../../chain/transaction-hashes.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Balance, Balances, ChainTransfer } from '../../chain/port.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable, type Tx } from '../../../platform/postgres/db.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { quarantine } from '../lifecycle/quarantine.ts';
import { lockSyncedPayments, readPayments } from '../lifecycle/store.ts';
import { readPrices, type PricesOf } from '../pricing/market.ts';
import { applyTransfers, lockConcerned } from '../sync/apply-transfers.ts';
import type { SyncAdapters } from '../sync/sync-network.ts';
import { allAt } from '../transfers/confirm.ts';
import { isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import { readTransfers } from '../transfers/store.ts';
import { begunAt, readKnown, storeAudited, type DueAudit } from './store.ts';
import { surplusesOf, type Surplus } from './surplus.ts';

/** A payment whose address holds more than is known. */
export interface Found {
  readonly network: NetworkId;
  readonly audit: DueAudit;
  readonly held: readonly Balance[];
  /** Of which of them it holds more than is known. */
  readonly more: readonly Surplus[];
  readonly block: Balances['block'];
  readonly native: CoinId | null;
}

/**
 * Credits what the address of a payment holds beyond what is known, as far as it is proven: of a token the
 * transfers that its logs name; of the native coin the difference itself, as a transfer without a hash. What
 * cannot be credited now is quarantined. The rest is reported to operators alone.
 */
export async function creditFound(ctx: Context, adapters: SyncAdapters, found: Found): Promise<void> {
  const { network, audit, native } = found;
  const { payment_id: id, address } = audit;
  const client = adapters.chain(ctx);
  const received: ChainTransfer[] = [];
  for (const { coin } of found.more)
    if (coin !== native)
      received.push(...((await client.received?.(network, { address, coin }, begunAt(audit))) ?? []));
  const now = ctx.now();
  const merchants = (await readPayments(ctx.db, [id])).map(({ merchant_id }) => merchant_id);
  const pricesOf = await readPrices(ctx.db, adapters.rates, merchants, now);
  const credit = async (isFailing: boolean) =>
    transact(ctx.db, async (tx) => {
      // Locked before what is known is read: a page that is applied meanwhile counts the same money.
      const [payment] = await lockSyncedPayments(tx, [id]);
      if (payment === undefined) return null;
      const more = await surpluses(tx, found);
      const stored = await readTransfers(tx, [id]);
      const isNew = ({ txHash, coin }: ChainTransfer) =>
        !stored.some((one) => one.tx_hash === txHash && one.coin === coin && isMined(one));
      const own = more.flatMap((one) => asTransfer(found, payment, one));
      const transfers = [...received.filter(isNew), ...own];
      if (transfers.length > 0)
        await (isFailing ? setAside : apply)(tx, ctx, { found, payment, transfers, pricesOf, now });
      const left = isFailing ? more.filter(({ isProven }) => !isProven) : await surpluses(tx, found);
      const unproven = left.map(({ amount, coin }) => `${amount} ${coin}`).join(', ');
      await storeAudited(
        tx,
        network,
        [{ payment_id: id, unproven: unproven === '' ? null : unproven }],
        found.block.time,
      );
      return { transfers, unproven };
    });
  const done = await credit(false).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    ctx.log.error('money that an audit found cannot be credited: quarantined', {
      payment_id: id,
      network,
      error: messageOf(error),
    });
    return credit(true);
  });
  if (done !== null) report(ctx, found, done);
}

const isMined = (one: PaymentTransfer): boolean => isStanding(one) && one.block_height !== null;

const surpluses = async (tx: Tx, { audit, held, network, block, native }: Found): Promise<Surplus[]> =>
  surplusesOf(audit, held, await readKnown(tx, [audit.payment_id], network, block.height), native);

/**
 * Nobody is late because nobody looked: what was not there at the audit before may have come right after it,
 * or after the payment's begin.
 */
function asTransfer({ network, audit, block }: Found, payment: Payment, surplus: Surplus): ChainTransfer[] {
  if (!surplus.isProven) return [];
  const { coin, amount } = surplus;
  const seenAt = audit.audited_until > payment.created_at ? audit.audited_until : payment.created_at;
  const valid = { droppedAt: null, replacedBy: null, reason: null, final: true };
  const txHash = foundAt(block.height);
  const at = { height: block.height, hash: block.hash };
  return [
    { network, txHash, coin, address: audit.address, sender: null, amount, seenAt, block: at, ...valid },
  ];
}

interface Crediting {
  readonly found: Found;
  readonly payment: Payment;
  readonly transfers: readonly ChainTransfer[];
  readonly pricesOf: PricesOf;
  readonly now: Date;
}

async function apply(
  tx: Tx,
  { config, log }: Context,
  { found, payment, transfers, pricesOf, now }: Crediting,
): Promise<void> {
  const { network, block } = found;
  const own = new Map([[payment.id, transfers]]);
  const concerned = await lockConcerned(tx, null, [payment.id], own);
  const ratesOf = (one: Payment) => pricesOf(one).rates;
  const heights = allAt(block.height);
  const { finality } = config;
  const page = { network, transfers: own, ratesOf, heights, isLive: true, finality, at: now };
  for (const { id, status, exceptions } of await applyTransfers(tx, concerned, page, now))
    log.info(`payment ${status}`, { payment_id: id, exceptions, network });
}

async function setAside(
  tx: Tx,
  _ctx: Context,
  { found, payment, transfers, pricesOf, now }: Crediting,
): Promise<void> {
  const { rates } = pricesOf(payment);
  const { network, block } = found;
  await quarantine(
    tx,
    [payment],
    () => ({ network, transfers, rates, height: block.height, isLive: true }),
    now,
  );
}

function report(
  { log }: Context,
  { network, audit, block }: Found,
  { transfers, unproven }: { transfers: readonly ChainTransfer[]; unproven: string },
): void {
  const about = { payment_id: audit.payment_id, network, address: audit.address, height: block.height };
  for (const { coin, amount, txHash } of transfers)
    log.warn('money found by an audit of balances', { ...about, coin, amount, tx_hash: hashOf(txHash) });
  if (unproven !== '')
    log.warn('an address holds more than is known, and nothing proves it: not credited', {
      ...about,
      unproven,
    });
}
