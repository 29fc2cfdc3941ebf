import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { findCaller } from '../src/domain/merchants/api-keys.ts';
import { createMerchant } from '../src/domain/merchants/store.ts';
import { getWebhookSecrets } from '../src/domain/webhooks/secrets/read.ts';
import type { Context } from '../src/platform/context.ts';
import { PERMISSIONS } from '../src/domain/api/endpoint.ts';
import { hashApiKey } from '../src/platform/values/ids.ts';
import { DATA_DIR } from './embedded.ts';

const FILE = `${DATA_DIR}dev.json`;

/** `.data/dev.json`: what `npm run dev` prints, for programs. */
export interface DevInfo {
  readonly base_url: string;
  readonly api_key: string;
  readonly merchant_id: string;
  readonly webhook_secret: string;
  readonly database_url: string;
  readonly bull_board_url: string;
  readonly admin_password: string;
}
type Merchant = Pick<DevInfo, 'api_key' | 'merchant_id' | 'webhook_secret'>;

/** The file of the last start; empty before the first, or when it cannot be read. */
export function readDevInfo(): Partial<DevInfo> {
  try {
    const facts: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
    const texts = Object.entries(facts ?? {}).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}

/** Writes the file atomically: a program that waits for it never reads half of it. */
export function writeDevInfo(facts: DevInfo): void {
  mkdirSync(DATA_DIR, { recursive: true });
  const draft = `${FILE}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, FILE);
}

/**
 * The demo merchant of the last start if this database and SECRETS_KEY still accept its key and secret,
 * otherwise a new one.
 */
export async function findOrCreateDemoMerchant(ctx: Context, known: Partial<DevInfo>): Promise<Merchant> {
  const found = await findDemoMerchant(ctx, known);
  if (found !== null) return found;
  const made = await createMerchant(ctx, {
    name: 'Demo shop',
    currency: 'USDC',
    network: 'ethereum',
    permissions: PERMISSIONS,
  });
  return { api_key: made.apiKey, merchant_id: made.merchantId, webhook_secret: made.webhookSecret };
}

async function findDemoMerchant(
  ctx: Context,
  { api_key, merchant_id }: Partial<DevInfo>,
): Promise<Merchant | null> {
  if (api_key === undefined || merchant_id === undefined) return null;
  const caller = await findCaller(ctx.db, hashApiKey(api_key));
  if (caller?.merchantId !== merchant_id) return null;
  if (!PERMISSIONS.every((permission) => caller.permissions.includes(permission))) return null;
  // Read from the database, because it may have been rotated. Null when another SECRETS_KEY encrypted it.
  const secrets = await getWebhookSecrets(ctx, merchant_id).catch(() => null);
  return secrets && { api_key, merchant_id, webhook_secret: secrets.secret };
}
