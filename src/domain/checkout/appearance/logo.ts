import { recordChange } from '../../audit/record.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import type { Context } from '../../../platform/context.ts';
import { inCell } from '../../../platform/values/cells.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
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
  return change(ctx, merchantId, id, (tx) => storeLogo(tx, merchantId, { ...logo, id }, ctx.now()));
}

/** Removes a merchant's logo, and writes down who did; null: there is no appearance at all. */
export async function clearLogo(ctx: Context, merchantId: string): Promise<AppearanceRow | null> {
  return change(ctx, merchantId, null, (tx) => removeLogo(tx, merchantId, ctx.now()));
}

async function change<Row>(
  ctx: Context,
  merchantId: string,
  logo: string | null,
  work: (tx: Tx) => Promise<Row>,
): Promise<Row> {
  const noted = { merchant_id: merchantId, logo };
  const row = await ctx.db.transaction(async (tx) => {
    const changed = await work(tx);
    await recordChange(ctx, tx, 'checkout logo', noted);
    return changed;
  });
  logConfigChange(ctx, 'checkout logo', noted);
  return row;
}
