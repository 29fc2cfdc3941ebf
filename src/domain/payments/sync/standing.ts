import type { CoinId } from '../../chain/coins.ts';
import { isFound } from '../../chain/transaction-hashes.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import { groupBy, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { readStandingPayouts } from '../refunds/by-merchant/payout-transfers.ts';
import type { ChainScope } from '../transfers/store.ts';
import { transferFromJson, type StoredTransfer } from '../lifecycle/quarantine.ts';

interface StandingRow {
  readonly tx_hash: string;
  readonly coin: CoinId;
  readonly address: string;
  readonly sender: string | null;
  readonly amount: string;
  readonly seen_at: Date;
  readonly block_height: string | null;
  readonly block_hash: string | null;
}

interface Above {
  readonly network: NetworkId;
  readonly height: number;
}

// Index: transfers_live. A payment has one address per network, or at an exchange one for each coin.
const standingTransfers = sql<StandingRow, Above>(
  'standing_transfers',
  (p) => `
    SELECT t.tx_hash, t.coin, q.address, t.sender, t.amount, t.seen_at, t.block_height, t.block_hash
    FROM transfers t CROSS JOIN LATERAL (
      SELECT address FROM quotes WHERE payment_id = t.payment_id AND network = t.network
      ORDER BY coin = t.coin DESC LIMIT 1
    ) q
    WHERE t.network = ${p.network} AND t.is_live AND t.dropped_at IS NULL
      AND (t.block_height IS NULL OR t.block_height > ${p.height})
    ORDER BY t.place`,
);

// Few payments are ever quarantined, and none for long.
const quarantinedTransfers = sql<{ transfers: readonly StoredTransfer[] }, { network: NetworkId }>(
  'standing_quarantined_transfers',
  (p) => `
    SELECT transfers FROM unapplied_transfers WHERE network = ${p.network} AND is_live ORDER BY place`,
);

/**
 * Returns the transfers on a real network that are in the pool or above a height, as they were last reported:
 * those that are stored, those that are quarantined, which a reorganisation moves as well, and those that
 * may complete refunds. What was found by a balance is in no block: no scan can find it again.
 */
export async function readStanding(
  connection: Connection,
  network: NetworkId,
  aboveHeight: number,
): Promise<ChainTransfer[]> {
  const rows = await run(connection, standingTransfers, { network, height: aboveHeight });
  const quarantined = await run(connection, quarantinedTransfers, { network });
  const last = new Map<string, ChainTransfer>();
  for (const transfer of [
    ...(await readStandingPayouts(connection, network, aboveHeight)),
    ...rows.map((row) => toTransfer(network, row)),
    ...quarantined.flatMap(({ transfers }) => transfers.map(transferFromJson)),
  ])
    last.set(`${transfer.txHash} ${transfer.coin} ${transfer.address}`, transfer);
  return [...last.values()].filter(
    ({ txHash, block, droppedAt }) =>
      droppedAt === null && !isFound(txHash) && (block === null || block.height > aboveHeight),
  );
}

// Index: transfers_by_hash.
const minedTransfers = sql<{ tx_hash: string }, Above & { hashes: readonly string[] }>(
  'mined_transfers',
  (p) => `
    SELECT DISTINCT tx_hash FROM transfers
    WHERE network = ${p.network} AND tx_hash = ANY (${p.hashes}) AND is_live
      AND dropped_at IS NULL AND block_height <= ${p.height}`,
);

/** Returns those of the transactions of which a live transfer stands in a block at a height or below. */
export async function readMined(
  connection: Connection,
  network: NetworkId,
  hashes: readonly string[],
  height: number,
): Promise<ReadonlySet<string>> {
  const rows = await run(connection, minedTransfers, { network, hashes, height });
  return new Set(rows.map(({ tx_hash }) => tx_hash));
}

function toTransfer(network: NetworkId, row: StandingRow): ChainTransfer {
  const { tx_hash: txHash, coin, address, sender, amount, seen_at: seenAt, block_height, block_hash } = row;
  const block = block_height === null ? null : { height: Number(block_height), hash: block_hash ?? '' };
  const standing = { final: false, droppedAt: null, replacedBy: null, reason: null };
  return { network, txHash, coin, address, sender, amount, seenAt, block, ...standing };
}

/** A payment that an address belongs to; at an exchange, one after the other. */
export interface Owner {
  readonly payment_id: string;
  readonly address: string;
  readonly created_at: Date;
}

// Served by quotes_by_address.
const ownersOfAddresses = sql<
  Owner,
  Pick<ChainScope, 'network' | 'modes'> & { addresses: readonly string[] }
>(
  'owners_of_addresses',
  (p) => `
    SELECT DISTINCT q.payment_id, q.address, p.created_at
    FROM quotes q JOIN payments p ON p.id = q.payment_id JOIN merchants m ON m.id = p.merchant_id
    WHERE q.network = ${p.network} AND q.address = ANY (${p.addresses}) AND m.mode = ANY (${p.modes})`,
);

/** Returns the payments that addresses belong to, or did, by address. */
export async function readOwners(
  connection: Connection,
  { network, modes }: ChainScope,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  if (addresses.length === 0) return new Map();
  return groupBy(
    await run(connection, ownersOfAddresses, { network, modes, addresses }),
    (one) => one.address,
  );
}

/**
 * Returns the payment that a transfer is for: of those that had its address one after the other, the last
 * that was created before it was seen, also when its block is read again much later.
 */
export function ownerAt(owners: readonly Owner[], seenAt: Date): Owner | undefined {
  const [first, ...others] = owners.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime());
  return others.findLast(({ created_at }) => created_at <= seenAt) ?? first;
}
