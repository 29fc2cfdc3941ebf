import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/postgres/db.ts';
import { secretBoxOf, type EncryptedSecret } from '../../platform/secret-box.ts';
import { krakenAccount } from './kraken/account.ts';
import type { Credentials } from './kraken/request.ts';
import { ExchangeError, type ExchangeAccount } from './port.ts';
import { findAccount, nextNonce } from './store.ts';

type OpenContext = Pick<Context, 'db' | 'config' | 'now' | 'systemNow'>;

/** An account with what the merchant has chosen for it. */
export interface OpenedAccount {
  readonly account: ExchangeAccount;
  readonly slippagePercent: string;
}

/** Opens the account of a merchant. Throws ExchangeError where there is none. */
export type OpenAccount = (ctx: OpenContext, merchantId: string) => Promise<OpenedAccount>;

/** The additional data with which a merchant's credentials are encrypted: nothing else decrypts them. */
export const credentialsAad = (merchantId: string): string => `exchange account of ${merchantId}`;

/** Encrypts credentials, to be stored. */
export function sealCredentials(
  { config }: Pick<Context, 'config'>,
  merchantId: string,
  credentials: Credentials,
): EncryptedSecret {
  return secretBoxOf(config).encrypt(JSON.stringify(credentials), credentialsAad(merchantId));
}

export const openAccount: OpenAccount = async (ctx, merchantId) => {
  const row = await findAccount(ctx.db, merchantId);
  if (row === null) throw new ExchangeError('refused', 'no_account', `${merchantId} has no exchange account`);
  const { key_id: keyId, ciphertext, slippage_percent: slippagePercent } = row;
  const text = secretBoxOf(ctx.config).decrypt({ keyId, ciphertext }, credentialsAad(merchantId));
  return { account: accountWith(ctx, merchantId, JSON.parse(text) as Credentials), slippagePercent };
};

/** Returns an account by credentials that are in memory. */
export function accountWith(
  ctx: OpenContext,
  merchantId: string,
  credentials: Credentials,
  nonceOf: (connection: Connection, merchantId: string, now: Date) => Promise<string> = nextNonce,
): ExchangeAccount {
  return krakenAccount({
    base: ctx.config.krakenUrl,
    credentials,
    // Of the system: a key's nonces must be near the real time, whatever clock a payment has.
    nextNonce: () => nonceOf(ctx.db, merchantId, ctx.systemNow()),
  });
}
