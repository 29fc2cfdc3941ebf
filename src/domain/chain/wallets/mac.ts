import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '../../../platform/values/ids.ts';

/** What a wallet's MAC covers: whose money goes where. */
export interface MacContent {
  readonly id: string;
  /** Null: the installation's default. */
  readonly merchant_id: string | null;
  readonly family: string;
  readonly kind: string;
  readonly public_data: string;
}

/** A MAC, and the id of the key of SECRETS_KEY that made it. */
export interface Mac {
  readonly mac: Buffer;
  readonly key_id: string;
}

/** The part of the configuration that holds the keys. */
export interface Keys {
  readonly secretsKeys: readonly Buffer[];
}

/** Separates these MACs from everything else that SECRETS_KEY protects. */
const DOMAIN = 'payment-checkout wallet v1';

/** Returns the MAC of a wallet under the first key of SECRETS_KEY. Throws when there is no key. */
export function macOf({ secretsKeys }: Keys, wallet: MacContent): Mac {
  const [first] = secretsKeys;
  if (first === undefined) throw new Error('SECRETS_KEY holds no key');
  return { mac: compute(first, wallet), key_id: keyIdOf(first) };
}

/**
 * Returns why a stored wallet cannot be trusted; null: it is as `wallet set` stored it. Whoever can write to
 * the database, but has no SECRETS_KEY, can divert no money.
 */
export function macFault({ secretsKeys }: Keys, wallet: MacContent & Mac): string | null {
  const key = secretsKeys.find((one) => keyIdOf(one) === wallet.key_id);
  if (key === undefined) return `SECRETS_KEY lacks the key ${wallet.key_id}, with which it was stored`;
  const expected = compute(key, wallet);
  const isSame = wallet.mac.length === expected.length && timingSafeEqual(wallet.mac, expected);
  return isSame ? null : 'its row was changed in the database, by somebody without SECRETS_KEY';
}

const derived = new WeakMap<Buffer, Buffer>();

function compute(key: Buffer, { id, merchant_id, family, kind, public_data }: MacContent): Buffer {
  const own = derived.get(key) ?? Buffer.from(hkdfSync('sha256', key, '', DOMAIN, 32));
  derived.set(key, own);
  // As JSON no part can pass for the end of another.
  const content = JSON.stringify([id, merchant_id, family, kind, public_data]);
  return createHmac('sha256', own).update(content).digest();
}
