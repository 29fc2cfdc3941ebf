import { findCaller } from '../../domain/merchants/store.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/endpoint.ts';
import { hashApiKey } from '../../platform/values/ids.ts';

/** A revoked key works on for at most this long; a known key costs no round trip meanwhile. */
const CACHE_MS = 10_000;
/** Bounds the cache's memory at about 2 MB. */
const CACHE_ENTRIES = 10_000;

export type Authenticate = (apiKey: string | undefined) => Promise<Caller | null>;

/**
 * Answers the caller of an API key, or null for a missing, malformed, unknown or revoked one. Keys that exist are remembered for a
 * short while, by their hash. Unknown ones are not: a key must work as soon as it exists, and guessing is limited per address.
 */
export function authenticator(ctx: Context): Authenticate {
  const cache = new Map<string, { caller: Caller; until: number }>();
  return async (apiKey) => {
    if (apiKey === undefined || !/^sk_[A-Za-z0-9_-]{32,128}$/.test(apiKey)) return null;
    const hash = hashApiKey(apiKey);
    const cacheKey = hash.toString('base64');
    const now = ctx.now().getTime();
    const known = cache.get(cacheKey);
    if (known !== undefined && known.until > now) return known.caller;
    cache.delete(cacheKey);
    const caller = await findCaller(ctx.db, hash);
    if (caller !== null) remember(cache, cacheKey, { caller, until: now + CACHE_MS });
    return caller;
  };
}

/** A Map keeps the order of insertion, so its first entry is the oldest. */
function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  const [oldest] = cache.size >= CACHE_ENTRIES ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}
