import { findCaller, findCallers } from '../../domain/merchants/api-keys.ts';
import { KeyUses } from '../../domain/merchants/key-use.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../domain/api/endpoint.ts';
import { ApiError } from '../../domain/api/errors.ts';
import { isAllowedFrom } from '../../domain/merchants/key-limits.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { Guesses } from './guesses.ts';

/** A revoked key works for at most this long after; a cached key costs no round trip. */
const CACHE_MS = 10_000;
/** Limits the cache to about 2 MB. */
const CACHE_ENTRIES = 10_000;

/** A key that exists and is not taken: it has ended, or may not be used from the client's address. */
export interface RefusedKey {
  readonly refused: 'ended' | 'elsewhere';
  readonly merchantId: string;
}

export type Authenticate = (
  apiKey: string | undefined,
  address: string,
) => Promise<Caller | RefusedKey | null>;

/**
 * Returns the caller of an API key, or why it is not taken; null when the key is missing, malformed, unknown
 * or revoked. Keys that exist are cached by their hash for a short time. Unknown ones are not: a key must
 * work as soon as it exists, and guesses are limited per address before they are looked up. Requests at the
 * same instant share one lookup of their key.
 */
export function authenticator(ctx: Context): Authenticate {
  const cache = new Map<string, { caller: Caller; until: number }>();
  const underway = new Map<string, Promise<Caller | null>>();
  const uses = new KeyUses();
  const guesses = new Guesses(ctx.config, (hashes) => findCallers(ctx.db, hashes));
  const lookUp = async (hash: Buffer, cacheKey: string, address: string) => {
    const until = ctx.now().getTime() + CACHE_MS;
    const caller = await guesses.find(address, hash, () => findCaller(ctx.db, hash));
    if (caller === null) return null;
    remember(cache, cacheKey, { caller, until });
    if (faultOf(caller, address, ctx.now()) === null) uses.record(ctx, hash);
    return caller;
  };
  const find = async (apiKey: string, address: string) => {
    const hash = hashApiKey(apiKey);
    const cacheKey = hash.toString('base64');
    const now = ctx.now().getTime();
    const known = cache.get(cacheKey);
    if (known !== undefined && known.until > now) return known.caller;
    cache.delete(cacheKey);
    const found = underway.get(cacheKey) ?? lookUp(hash, cacheKey, address);
    underway.set(cacheKey, found);
    try {
      return await found;
    } finally {
      underway.delete(cacheKey);
    }
  };
  return async (apiKey, address) => {
    if (apiKey === undefined || !KEY_FORM.test(apiKey)) return null;
    const caller = await find(apiKey, address);
    const refused = caller === null ? null : faultOf(caller, address, ctx.now());
    return caller === null || refused === null ? caller : { refused, merchantId: caller.merchantId };
  };
}

/** Why a key that exists is not taken; null: it is. */
function faultOf({ expiresAt, addresses }: Caller, address: string, now: Date): RefusedKey['refused'] | null {
  if (expiresAt !== undefined && expiresAt <= now) return 'ended';
  return addresses === undefined || isAllowedFrom(addresses, address) ? null : 'elsewhere';
}

const KEY_FORM = /^sk_[A-Za-z0-9_-]{32,128}$/;

/** Why a request has no valid key, for the log and for its sender, without the key. */
export function keyFault(
  apiKey: unknown,
  authorization: string | undefined,
): readonly [reason: string, message: string] {
  if (apiKey === undefined && authorization !== undefined)
    return [
      'Authorization instead of X-API-Key',
      'Authorization is not read. Send the key alone, without "Bearer", in the header X-API-Key.',
    ];
  if (apiKey === undefined)
    return ['no X-API-Key header', 'There is no X-API-Key header. Send your API key in it.'];
  return typeof apiKey === 'string' && KEY_FORM.test(apiKey)
    ? [
        'X-API-Key is unknown, revoked or expired',
        'The key in X-API-Key is unknown, or was revoked, or has expired.',
      ]
    : [
        'X-API-Key has not the form of a key',
        'X-API-Key holds no key: one begins with sk_test_ or sk_live_, and 32 or more characters follow.',
      ];
}

/** The error of a key that is not taken from the client's address. */
export function elsewhere(address: string): ApiError {
  return new ApiError('forbidden', { message: `The API key may not be used from the address ${address}.` });
}

/** A Map keeps the order of insertion: its first entry is the oldest. */
function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  const [oldest] = cache.size >= CACHE_ENTRIES ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}
