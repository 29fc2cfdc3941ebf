import { recordChange } from '../../audit/record.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import type { Context } from '../../../platform/context.ts';
import { inCell } from '../../../platform/values/cells.ts';
import { encodeInTurn } from './encode-logo.ts';
import { logoId } from './resource.ts';
import { removeLogo, storeLogo, type AppearanceRow } from './store.ts';

/**
 * Takes an image as a merchant's logo, encoded again, and writes down who did. Throws ValidationError for
 * what is no image of the type, and ApiError rate_limited.
 */
export async function setLogo(
  ctx: Context,
  merchantId: string,
  { type, bytes }: { type: string; bytes: Buffer },
): Promise<AppearanceRow | null> {
  const logo = await encodeInTurn(merchantId, type, bytes);
  const id = inCell(ctx.config, logoId(merchantId, logo.bytes));
  const row = await storeLogo(ctx.db, merchantId, { ...logo, id }, ctx.now());
  await noteLogo(ctx, merchantId, id);
  return row;
}

/** Removes a merchant's logo, and writes down who did; null: there is no appearance at all. */
export async function clearLogo(ctx: Context, merchantId: string): Promise<AppearanceRow | null> {
  const row = await removeLogo(ctx.db, merchantId, ctx.now());
  await noteLogo(ctx, merchantId, null);
  return row;
}

async function noteLogo(ctx: Context, merchantId: string, logo: string | null): Promise<void> {
  const change = { merchant_id: merchantId, logo };
  await recordChange(ctx, ctx.db, 'checkout logo', change);
  logConfigChange(ctx, 'checkout logo', change);
}
