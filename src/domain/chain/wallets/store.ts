import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { WalletFamily } from './families.ts';
import type { WalletKindId } from './kinds.ts';
import type { Mac } from './mac.ts';

/** A wallet as its row stores it. */
export interface Wallet extends Mac {
  readonly id: string;
  /** Null: the installation's default, for merchants without one of their own. */
  readonly merchant_id: string | null;
  readonly family: WalletFamily;
  readonly kind: WalletKindId;
  /** What addresses are derived from; by kind. */
  readonly public_data: string;
  /** So many indices were given out, not all of which a payment has. */
  readonly next_index: number;
  readonly created_at: Date;
  /** When its first addresses were compared; null: they were not, and no payment uses it. */
  readonly confirmed_at: Date | null;
  /** Since when no new payment uses it. What was sent to its addresses is still seen. */
  readonly retired_at: Date | null;
}

/** SQL: whether new payments may use the wallet; the predicate of the index wallet_in_use. */
export const IS_IN_USE = 'confirmed_at IS NOT NULL AND retired_at IS NULL';

const insertWallet = sql<
  Wallet,
  Omit<MacAndData, 'merchant_id' | 'public_data' | 'key_id'> & {
    merchantId: string | null;
    publicData: string;
    keyId: string;
    now: Date;
  }
>(
  'insert_wallet',
  (p) => `
    INSERT INTO wallets (id, merchant_id, family, kind, public_data, mac, key_id, created_at)
    VALUES (${p.id}, ${p.merchantId}, ${p.family}, ${p.kind}, ${p.publicData}, ${p.mac}, ${p.keyId}, ${p.now})
    RETURNING *`,
);

type MacAndData = Pick<Wallet, 'id' | 'merchant_id' | 'family' | 'kind' | 'public_data' | 'mac' | 'key_id'>;

/** Stores a wallet that nobody has confirmed. */
export async function storeWallet(tx: Tx, wallet: MacAndData, now: Date): Promise<void> {
  const { merchant_id: merchantId, public_data: publicData, key_id: keyId, ...rest } = wallet;
  await run(tx, insertWallet, { ...rest, merchantId, publicData, keyId, now });
}

const walletById = sql<Wallet, { id: string }>(
  'wallet_by_id',
  (p) => `SELECT * FROM wallets WHERE id = ${p.id}`,
);

/** Returns a wallet; null: there is none. Its MAC is for the caller to check, before anything is derived. */
export async function findWallet(connection: Connection, id: string): Promise<Wallet | null> {
  return runOne(connection, walletById, { id });
}

const takeIndices = sql<Wallet, { id: string; count: number }>(
  'take_deposit_indices',
  (p) => `
    UPDATE wallets SET next_index = next_index + ${p.count}
    WHERE id = ${p.id} AND ${IS_IN_USE}
    RETURNING *`,
);

/**
 * Takes `count` indices of a wallet, those below its `next_index`: nobody else gets them. In a statement of
 * its own, never in a transaction: the row's lock is held for a moment, and an index that is lost with its
 * process leaves a gap, which harms nobody. Returns null for a wallet that is not in use.
 */
export async function takeDepositIndices(
  connection: Connection,
  id: string,
  count: number,
): Promise<Wallet | null> {
  return runOne(connection, takeIndices, { id, count });
}

const lockWalletsOf = sql<
  { id: string },
  { merchantId: string | null; family: string; alike: readonly string[] }
>(
  'lock_wallets_of_owner',
  (p) => `
    SELECT id FROM wallets
    WHERE family = ${p.family} AND merchant_id IS NOT DISTINCT FROM ${p.merchantId} OR id = ANY (${p.alike})
    ORDER BY id FOR NO KEY UPDATE`,
);

/** Makes confirming and retiring the wallets of an owner, and those that are `alike`, one after the other. */
export async function lockWallets(
  tx: Tx,
  { merchant_id: merchantId, family }: Pick<Wallet, 'merchant_id' | 'family'>,
  alike: readonly string[] = [],
): Promise<void> {
  await run(tx, lockWalletsOf, { merchantId, family, alike });
}

const retireInUse = sql<{ id: string }, { merchantId: string | null; family: string; now: Date }>(
  'retire_wallet_in_use',
  (p) => `
    UPDATE wallets SET retired_at = ${p.now}
    WHERE merchant_id IS NOT DISTINCT FROM ${p.merchantId} AND family = ${p.family} AND ${IS_IN_USE}
    RETURNING id`,
);
const inUseAmong = sql<Wallet, { alike: readonly string[] }>(
  'wallets_in_use_among',
  (p) => `SELECT * FROM wallets WHERE id = ANY (${p.alike}) AND ${IS_IN_USE}`,
);
// Behind the indices that those with the same addresses have given out.
const confirm = sql<{ id: string }, { id: string; alike: readonly string[]; now: Date }>(
  'confirm_wallet',
  (p) => `
    UPDATE wallets SET confirmed_at = ${p.now}, next_index = greatest(next_index, (
      SELECT max(other.next_index) FROM wallets other WHERE other.id = ANY (${p.alike})))
    WHERE id = ${p.id} AND confirmed_at IS NULL AND retired_at IS NULL
    RETURNING id`,
);
const retire = sql<{ id: string }, { id: string; now: Date }>(
  'retire_wallet',
  (p) => `UPDATE wallets SET retired_at = ${p.now} WHERE id = ${p.id} AND retired_at IS NULL RETURNING id`,
);

/** Another wallet has the key. Its message names that wallet, which may be somebody else's. */
export class TakenError extends RangeError {
  override readonly name = 'TakenError';
}

/**
 * Puts a wallet in use in place of the one before, under the lock of `lockWallets`; `alike` have the same
 * addresses. Returns the id of the one that it replaces, or null. Throws RangeError where it was retired
 * meanwhile, and where somebody else uses the same addresses: an address is of one payment.
 */
export async function putInUse(
  tx: Tx,
  wallet: Wallet,
  alike: readonly string[],
  now: Date,
): Promise<string | null> {
  const { id, merchant_id: merchantId, family } = wallet;
  const replaced = await runOne(tx, retireInUse, { merchantId, family, now });
  const other = await runOne(tx, inUseAmong, { alike });
  if (other !== null)
    throw new TakenError(
      `The wallet ${other.id} of ${other.merchant_id ?? 'the installation'} has the same addresses and is ` +
        'in use: retire it first, or set a wallet of another account',
    );
  const confirmed = await runOne(tx, confirm, { id, alike, now });
  if (confirmed === null) throw new RangeError(`The wallet ${id} is retired: set a new one`);
  return replaced?.id ?? null;
}

/** Ends the use of a wallet for new payments; returns false where it had ended. */
export async function retireWallet(tx: Tx, id: string, now: Date): Promise<boolean> {
  return (await runOne(tx, retire, { id, now })) !== null;
}

const allWallets = sql<Wallet, { merchantId: string | null }>(
  'list_wallets',
  (p) => `
    SELECT * FROM wallets
    WHERE merchant_id = coalesce(${p.merchantId}, merchant_id) OR ${p.merchantId}::text IS NULL
    ORDER BY id`,
);

/** Every wallet, or those of a merchant; oldest first. */
export async function listWallets(connection: Connection, merchantId: string | null): Promise<Wallet[]> {
  return run(connection, allWallets, { merchantId });
}
