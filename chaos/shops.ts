import { createMerchant } from '../src/domain/merchants/store.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { openDb } from '../src/platform/postgres/db.ts';
import { PERMISSIONS } from '../src/domain/api/endpoint.ts';
import { createLog } from '../src/platform/log.ts';
import { BEHAVIOURS, startShopReceiver, type ReceiverLog, type Behaviour } from './receivers.ts';
import { PATIENCE_MS, sendPatiently } from './requests.ts';
import type { Stand } from './stand/stand.ts';

/** Shops with a good receiver, beside one shop per other behaviour. */
const GOOD_SHOPS = 8;

/** A merchant with its receiver. */
export interface Shop {
  readonly merchantId: string;
  readonly behaviour: Behaviour;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: ReceiverLog;
}

/** Creates the merchants, each with its own receiver. */
export async function openShops(
  { env, origin }: Stand,
  seed: string,
  isDown: () => boolean,
): Promise<readonly Shop[]> {
  const config = readConfig(env);
  const url = config.databaseUrl;
  const db = openDb({ url, poolSize: 1, acquireMs: PATIENCE_MS, queryMs: PATIENCE_MS, name: 'chaos' });
  const now = () => new Date();
  const log = createLog(config, { process: 'chaos' });
  const ctx = { config, db, log, now, systemNow: now, random: Math.random, testClock: null };
  const moods = [...Array.from({ length: GOOD_SHOPS - 1 }, () => 'good' as const), ...BEHAVIOURS];
  const shops: Shop[] = [];
  for (const behaviour of moods) {
    const merchant = { name: behaviour, currency: 'USDC', network: 'ethereum', permissions: PERMISSIONS };
    const { merchantId, apiKey, webhookSecret } = await createMerchant(ctx, merchant);
    const log = await startShopReceiver({ seed, behaviour, secret: webhookSecret, isDown });
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ webhookUrl: log.url, enabled: true });
    const init = { method: 'PUT', headers, body };
    await sendPatiently('setting the webhooks of a shop', `${origin}/v1/webhooks/config`, init);
    shops.push({ merchantId, behaviour, headers, log });
  }
  await db.destroy();
  return shops;
}
