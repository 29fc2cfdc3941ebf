import { createMerchant } from '../src/domain/merchants/store.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { openDb } from '../src/platform/postgres/db.ts';
import { PERMISSIONS } from '../src/platform/endpoint.ts';
import { createLog } from '../src/platform/log.ts';
import { MOODS, startBookkeeper, type Book, type Mood } from './receivers.ts';
import type { Environment } from './environment.ts';

/** Shops whose receiver is good, beside one of every other mood. */
const GOOD_SHOPS = 8;

/** A merchant with its receiver. */
export interface Shop {
  readonly merchantId: string;
  readonly mood: Mood;
  readonly headers: Readonly<Record<string, string>>;
  readonly book: Book;
}

/** Creates the merchants and lets their events go to receivers of their own. */
export async function openShops(
  { env, origin }: Environment,
  seed: string,
  isDown: () => boolean,
): Promise<readonly Shop[]> {
  const config = readConfig(env);
  const url = config.databaseUrl;
  const db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 10_000, name: 'chaos' });
  const now = () => new Date();
  const log = createLog(config, { process: 'chaos' });
  const ctx = { config, db, log, now, systemNow: now, random: Math.random, testClock: null };
  const moods = [...Array.from({ length: GOOD_SHOPS - 1 }, () => 'good' as const), ...MOODS];
  const shops: Shop[] = [];
  for (const mood of moods) {
    const merchant = { name: mood, currency: 'USDC', network: 'ethereum', permissions: PERMISSIONS };
    const { merchantId, apiKey, webhookSecret } = await createMerchant(ctx, merchant);
    const book = await startBookkeeper({ seed, mood, secret: webhookSecret, isDown });
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/v1/webhooks/config`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ webhookUrl: book.url, enabled: true }),
    });
    if (answer.status !== 200) throw new Error(`webhooks cannot be configured: ${await answer.text()}`);
    shops.push({ merchantId, mood, headers, book });
  }
  await db.destroy();
  return shops;
}
