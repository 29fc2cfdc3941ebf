import { run, runOne, sql, type Connection } from '../../../../platform/postgres/db.ts';
import type { WalletFamily } from '../families.ts';
import { IS_IN_USE } from '../store.ts';

/** A wallet, and an index of it that one payment has. */
export interface Place {
  readonly wallet_id: string;
  readonly deposit_index: number;
}

const furtherOfPayment = sql<Place, { paymentId: string }>(
  'further_deposits_of_payment',
  (p) => `SELECT wallet_id, deposit_index FROM further_deposits WHERE payment_id = ${p.paymentId}`,
);

/** Returns the places of a payment beside its own, one for each family of networks. */
export async function readFurther(connection: Connection, paymentId: string): Promise<Place[]> {
  return run(connection, furtherOfPayment, { paymentId });
}

// The merchant's own stands before the default. Index: wallet_in_use, for each of the two.
const walletOfMerchant = sql<{ id: string }, { merchantId: string; family: WalletFamily }>(
  'wallet_in_use_of_merchant',
  (p) => `
    SELECT id FROM wallets
    WHERE coalesce(merchant_id, '') IN (${p.merchantId}, '') AND family = ${p.family} AND ${IS_IN_USE}
    ORDER BY merchant_id NULLS LAST LIMIT 1`,
);

/** Returns the wallet that payments of a merchant use in a family; null: there is none. */
export async function findWalletInUse(
  connection: Connection,
  merchantId: string,
  family: WalletFamily,
): Promise<string | null> {
  return (await runOne(connection, walletOfMerchant, { merchantId, family }))?.id ?? null;
}

interface NewPlace extends Place {
  readonly paymentId: string;
  readonly family: WalletFamily;
}

const insertFurther = sql<never, NewPlace>(
  'insert_further_deposit',
  (p) => `
    INSERT INTO further_deposits (payment_id, family, wallet_id, deposit_index)
    VALUES (${p.paymentId}, ${p.family}, ${p.wallet_id}, ${p.deposit_index})
    ON CONFLICT (payment_id, family) DO NOTHING`,
);

/** Stores a place of a payment in a family where it has none: of two at once the first is kept. */
export async function storeFurther(connection: Connection, place: NewPlace): Promise<void> {
  await run(connection, insertFurther, place);
}
