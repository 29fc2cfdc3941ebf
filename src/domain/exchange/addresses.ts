import type { Context } from '../../platform/context.ts';
import { addSeconds } from '../../platform/clock.ts';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { ApiError } from '../api/errors.ts';
import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import { macFault, macOf, type Mac, type MacContent } from '../chain/wallets/mac.ts';

/** A deposit address at an exchange, as its row stores it. */
export interface AddressRow extends Mac {
  readonly merchant_id: string;
  readonly network: NetworkId;
  readonly address: string;
  readonly coins: readonly CoinId[];
}

/**
 * An address rests for so long after its payment has ended, late window and an hour included, before another
 * payment gets it: an exchange has a handful for a coin.
 */
export const REST_SECONDS = 25 * 3_600;
/** By then the payment that got an address is stored, or nobody has it. */
const STORED_SECONDS = 600;

/** What the MAC of an address covers. */
export const macContent = ({
  merchant_id,
  network,
  address,
  coins,
}: Omit<AddressRow, keyof Mac>): MacContent => ({
  id: `${network} ${address}`,
  merchant_id,
  family: network,
  kind: 'exchange',
  public_data: coins.join(),
});

// An address whose payment was not created after all has no quote. SKIP LOCKED: two payments of a moment get
// two addresses. Indexes: exchange_addresses_of_merchant, quotes_by_address.
const takeFree = sql<
  AddressRow,
  Omit<AddressAsked, 'underWay'> & { storedSince: Date; restedSince: Date; now: Date; underWay: string[] }
>(
  'take_exchange_address',
  (p) => `
    UPDATE exchange_addresses SET given_at = ${p.now}
    WHERE (network, address) = (
      SELECT a.network, a.address FROM exchange_addresses a
      WHERE a.merchant_id = ${p.merchantId} AND a.network = ${p.network} AND ${p.coin} = ANY (a.coins)
        AND a.retired_at IS NULL AND (a.given_at IS NULL OR a.given_at < ${p.storedSince} AND NOT EXISTS (
          SELECT FROM quotes q JOIN payments p ON p.id = q.payment_id
          WHERE q.network = a.network AND q.address = a.address AND (p.status = ANY (${p.underWay})
            OR greatest(p.expires_at, p.deadline_at, p.settled_at) > ${p.restedSince})))
      ORDER BY a.given_at NULLS FIRST, a.address LIMIT 1
      FOR UPDATE SKIP LOCKED)
    RETURNING merchant_id, network, address, coins, mac, key_id`,
);

/** A merchant, and what is to come at an address of theirs. */
export interface AddressAsked {
  readonly merchantId: string;
  readonly coin: CoinId;
  readonly network: NetworkId;
  /** The statuses of payments that hold theirs. */
  readonly underWay: readonly string[];
}

/**
 * Takes a deposit address for one payment: no other has it until it has rested. In a statement of its own.
 * Throws ApiError network_unavailable where none is free, and where its row was changed by somebody else.
 */
export async function takeAddress(
  ctx: Pick<Context, 'db' | 'config' | 'log' | 'now'>,
  { underWay, ...asked }: AddressAsked,
): Promise<string> {
  const { db, config, log } = ctx;
  const now = ctx.now();
  const row = await runOne(db, takeFree, {
    ...asked,
    underWay: [...underWay],
    storedSince: addSeconds(now, -STORED_SECONDS),
    restedSince: addSeconds(now, -REST_SECONDS),
    now,
  });
  if (row === null)
    throw new ApiError('network_unavailable', {
      message:
        `network_unavailable: every deposit address of the exchange account for ${asked.coin} on ` +
        `${asked.network} is in use by another payment. Try again later, or take another way to settle.`,
    });
  const fault = macFault(config, { ...macContent(row), mac: row.mac, key_id: row.key_id });
  if (fault === null) return row.address;
  const { merchant_id, network, address } = row;
  log.error('deposit address refused: set the exchange account again', {
    merchant_id,
    network,
    address,
    fault,
  });
  throw new ApiError('network_unavailable', {
    message: 'network_unavailable: the exchange account cannot be used. Ask the operator.',
  });
}

const giveBack = sql<never, { network: NetworkId; address: string; givenAt: Date | null }>(
  'give_back_exchange_address',
  (p) => `
    UPDATE exchange_addresses SET given_at = ${p.givenAt}
    WHERE network = ${p.network} AND address = ${p.address}`,
);

/** Gives an address back that no payment has shown: it has rested already. */
export async function giveAddressBack(
  connection: Connection,
  network: NetworkId,
  address: string,
): Promise<void> {
  await run(connection, giveBack, { network, address, givenAt: null });
}

const upsertAddresses = sql<{ address: string }, { rows: string; now: Date }>(
  'store_exchange_addresses',
  (p) => `
    INSERT INTO exchange_addresses (network, address, merchant_id, coins, mac, key_id, created_at)
    SELECT network, address, merchant_id, ARRAY (SELECT json_array_elements_text(coins)), mac, key_id,
      ${p.now}
    FROM json_to_recordset(${p.rows}::json)
      AS r (network text, address text, merchant_id text, coins json, mac bytea, key_id text)
    ON CONFLICT (network, address) DO UPDATE SET coins = excluded.coins, mac = excluded.mac,
      key_id = excluded.key_id, retired_at = NULL
      WHERE exchange_addresses.merchant_id = excluded.merchant_id
    RETURNING address`,
);
const retireOthers = sql<never, { merchantId: string; addresses: readonly string[]; now: Date }>(
  'retire_exchange_addresses',
  (p) => `
    UPDATE exchange_addresses SET retired_at = ${p.now}
    WHERE merchant_id = ${p.merchantId} AND address <> ALL (${p.addresses}) AND retired_at IS NULL`,
);

/**
 * Stores the addresses that an exchange lists for a merchant; what it lists no more is given to no payment.
 * Returns those that are the merchant's: one of another merchant stays theirs.
 */
export async function storeAddresses(
  { config }: Pick<Context, 'config'>,
  tx: Tx,
  merchantId: string,
  listed: readonly Pick<AddressRow, 'network' | 'address' | 'coins'>[],
  now: Date,
): Promise<string[]> {
  const rows = listed.map((one) => {
    const row = { ...one, merchant_id: merchantId };
    const { mac, key_id } = macOf(config, macContent(row));
    return { ...row, key_id, mac: `\\x${mac.toString('hex')}` };
  });
  const stored = await run(tx, upsertAddresses, { rows: recordset(rows), now });
  const addresses = stored.map(({ address }) => address);
  await run(tx, retireOthers, { merchantId, addresses, now });
  return addresses;
}

const allAddresses = sql<AddressRow>(
  'all_exchange_addresses',
  `SELECT merchant_id, network, address, coins, mac, key_id FROM exchange_addresses
   ORDER BY network, address`,
);
// A row that was changed since it was read keeps its MAC.
const replaceMac = sql<
  { address: string },
  { network: NetworkId; address: string; before: Buffer; mac: Buffer; keyId: string }
>(
  'replace_mac_of_exchange_address',
  (p) => `
    UPDATE exchange_addresses SET mac = ${p.mac}, key_id = ${p.keyId}
    WHERE network = ${p.network} AND address = ${p.address} AND mac = ${p.before} RETURNING address`,
);

/** Makes the MAC of each address that has a right one under another key with the first key of SECRETS_KEY. */
export async function reSignAddresses({ db, config }: Pick<Context, 'db' | 'config'>): Promise<number> {
  let count = 0;
  for (const row of await run(db, allAddresses, [])) {
    const content = macContent(row);
    const { mac, key_id: keyId } = macOf(config, content);
    if (row.key_id === keyId || macFault(config, { ...content, mac: row.mac, key_id: row.key_id }) !== null)
      continue;
    const { network, address, mac: before } = row;
    count += (await run(db, replaceMac, { network, address, before, mac, keyId })).length;
  }
  return count;
}
