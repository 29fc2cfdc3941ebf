import { CHAIN_KEY_OF_TRANSFER } from '../../chain/chain-key.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer, Rates } from '../../chain/port.ts';
import { recordset, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { storeQuote } from '../pricing/quotes.ts';
import type { PaymentTransfer } from './evaluate.ts';

/** How a transfer to one of our addresses differs from its stored state. */
export interface TransferUpdate {
  readonly paymentId: string;
  /** `moved`: it is in another block now, for example its first. */
  readonly kind: 'seen' | 'dropped' | 'orphaned' | 'moved';
  readonly transfer: ChainTransfer;
}

/**
 * Selects a chain of a network: the shared one or, with the id of a test clock, that of its isolated payment.
 */
export interface ChainScope {
  readonly network: NetworkId;
  readonly testClock: string | null;
}

interface AddressOwner {
  readonly payment_id: string;
  readonly address: string;
  readonly coin: CoinId;
  readonly pay_amount: string;
  readonly pay_currency: CoinId;
}

// Served by quotes_by_address.
const ownersOfAddresses = sql<AddressOwner, ChainScope & { addresses: readonly string[] }>(
  'owners_of_addresses',
  (p) => `
    SELECT q.payment_id, q.address, q.coin, p.pay_amount, p.pay_currency
    FROM quotes q JOIN payments p ON p.id = q.payment_id
    WHERE q.network = ${p.network} AND q.address = ANY (${p.addresses})
      AND p.test_clock IS NOT DISTINCT FROM ${p.testClock}`,
);

interface KnownTransfer {
  readonly payment_id: string;
  readonly tx_hash: string;
  readonly coin: string;
  readonly block_height: string | null;
  readonly dropped_at: Date | null;
}

// Served by transfers_by_hash.
const knownTransfers = sql<KnownTransfer, { network: NetworkId; hashes: readonly string[] }>(
  'known_transfers',
  (p) => `
    SELECT payment_id, tx_hash, coin, block_height, dropped_at FROM transfers
    WHERE network = ${p.network} AND tx_hash = ANY (${p.hashes})`,
);
const upsertTransfers = sql<never, { transfers: string }>(
  'upsert_transfers',
  (p) => `
    INSERT INTO transfers
      (payment_id, network, tx_hash, coin, amount, seen_at, block_height, dropped_at, replaced_by)
    SELECT * FROM jsonb_to_recordset(${p.transfers}::jsonb) AS t (
      payment_id text, network text, tx_hash text, coin text, amount numeric, seen_at timestamptz,
      block_height bigint, dropped_at timestamptz, replaced_by text)
    ON CONFLICT (payment_id, network, tx_hash, coin) DO UPDATE SET
      block_height = excluded.block_height,
      dropped_at = excluded.dropped_at,
      replaced_by = excluded.replaced_by,
      confirmed_at = CASE
        WHEN transfers.block_height = excluded.block_height THEN transfers.confirmed_at END`,
);

/**
 * Stores the current state of transfers and returns how those to our addresses differ from their stored
 * state. Others are ignored, and so are those of a payment that was isolated meanwhile: the sync of its own
 * chain finds them. The caller has locked the chain's cursor, so no other sync stores transfers of that chain
 * meanwhile.
 */
export async function storeTransfers(
  tx: Tx,
  scope: ChainScope,
  transfers: readonly ChainTransfer[],
  rates: Rates,
  now: Date,
): Promise<TransferUpdate[]> {
  if (transfers.length === 0) return [];
  const { network } = scope;
  const addresses = transfers.map(({ address }) => address);
  const owners = await run(tx, ownersOfAddresses, { ...scope, addresses });
  const known = await run(tx, knownTransfers, { network, hashes: transfers.map(({ txHash }) => txHash) });
  const ownerOf = new Map(owners.map((owner) => [owner.address, owner]));
  const quoted = new Set(owners.map(({ address, coin }) => `${address} ${coin}`));
  const knownBy = new Map(known.map((row) => [`${row.payment_id} ${row.tx_hash} ${row.coin}`, row]));
  const updates: TransferUpdate[] = [];
  for (const transfer of transfers) {
    const owner = ownerOf.get(transfer.address);
    if (owner === undefined) continue;
    if (!quoted.has(`${transfer.address} ${transfer.coin}`)) {
      // A coin that was never quoted at this address counts as money too, at the current rate, which is then
      // locked.
      const { payment_id: paymentId, pay_amount: payAmount, pay_currency: payCurrency, address } = owner;
      const request = { payAmount, payCurrency, coin: transfer.coin, network };
      await storeQuote(tx, { paymentId, address, request, rates, lockedUntil: null }, now);
      quoted.add(`${transfer.address} ${transfer.coin}`);
    }
    const before = knownBy.get(`${owner.payment_id} ${transfer.txHash} ${transfer.coin}`);
    updates.push({ paymentId: owner.payment_id, kind: kindOf(transfer, before), transfer });
  }
  await run(tx, upsertTransfers, { transfers: recordset(updates.map(toRow)) });
  return updates;
}

function kindOf(transfer: ChainTransfer, before: KnownTransfer | undefined): TransferUpdate['kind'] {
  // A dropped transfer that was never seen valid was never counted.
  if (transfer.droppedAt !== null) return before === undefined || before.dropped_at ? 'moved' : 'dropped';
  if (before === undefined) return 'seen';
  const wasMined = before.block_height !== null;
  return wasMined && Number(before.block_height) !== transfer.blockHeight ? 'orphaned' : 'moved';
}

function toRow({ paymentId, transfer }: TransferUpdate) {
  return {
    payment_id: paymentId,
    network: transfer.network,
    tx_hash: transfer.txHash,
    coin: transfer.coin,
    amount: transfer.amount,
    seen_at: transfer.seenAt,
    block_height: transfer.blockHeight,
    dropped_at: transfer.droppedAt,
    replaced_by: transfer.replacedBy,
  };
}

const transfersOfPayments = sql<PaymentTransfer, { paymentIds: readonly string[] }>(
  'transfers_of_payments',
  (p) => `
    SELECT t.payment_id, t.network, t.tx_hash, t.coin, t.amount, q.crypto_amount AS quoted_amount,
      t.seen_at, t.confirmed_at, t.dropped_at,
      coalesce(greatest(0, c.head - t.block_height + 1), 0)::int AS confirmations
    FROM transfers t
      JOIN quotes q ON q.payment_id = t.payment_id AND q.coin = t.coin AND q.network = t.network
      JOIN payments p ON p.id = t.payment_id
      LEFT JOIN chain_cursors c ON c.chain = ${CHAIN_KEY_OF_TRANSFER}
    WHERE t.payment_id = ANY (${p.paymentIds})
    ORDER BY t.payment_id, t.seen_at, t.place`,
);

/**
 * Returns all transfers of the payments, oldest first, with the quote of their coin and their confirmations.
 */
export async function readTransfers(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<PaymentTransfer[]> {
  return run(connection, transfersOfPayments, { paymentIds });
}
