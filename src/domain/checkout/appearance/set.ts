import { recordChange } from '../../audit/record.ts';
import type { Caller } from '../../api/endpoint.ts';
import { readAcceptedMethods } from '../../merchants/accepted-methods.ts';
import { lockMerchant } from '../../merchants/store.ts';
import { parOf } from '../../payments/create.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import { logConfigChange } from '../../../platform/logging/config-change.ts';
import type { Context } from '../../../platform/context.ts';
import { methodsOf } from '../view/offer.ts';
import { choicesOf, type Surroundings } from './choices.ts';
import type { AppearanceBody } from './schemas.ts';
import { readAppearance, storeChoices, type AppearanceRow } from './store.ts';

/** What a merchant's choices depend on: the networks that serve them, and in what they can be settled. */
export async function surroundingsOf(
  { db, config }: Pick<Context, 'db' | 'config'>,
  adapters: AdaptersByMode,
  caller: Caller,
): Promise<Surroundings> {
  const { networks, settlement: settlement_mode } = adaptersOf(adapters, caller.mode);
  const { coin: pay_currency, network: pay_network } = parOf(caller);
  const accepted_methods = await readAcceptedMethods(db, caller.merchantId);
  const settled = methodsOf({ settlement_mode, pay_currency, pay_network, accepted_methods }, null);
  return { networks, settled, allowPrivate: config.allowPrivateNetworks };
}

/**
 * Replaces all choices of a merchant's appearance but the logo by what `change` makes of what is stored; what
 * it leaves out is the default. Writes down who did, with what was before. Throws ValidationError for what no
 * schema can say.
 */
export async function setAppearance(
  ctx: Context,
  adapters: AdaptersByMode,
  caller: Caller,
  change: (stored: AppearanceRow | null) => AppearanceBody,
): Promise<AppearanceRow | null> {
  const { merchantId } = caller;
  const surroundings = await surroundingsOf(ctx, adapters, caller);
  const [row, choices] = await ctx.db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await readAppearance(tx, merchantId);
    const chosen = choicesOf(change(before), surroundings);
    const stored = await storeChoices(tx, merchantId, chosen, ctx.now());
    const details = { merchant_id: merchantId, before: before?.appearance ?? null, ...chosen };
    await recordChange(ctx, tx, 'checkout appearance', details);
    return [stored, chosen] as const;
  });
  logConfigChange(ctx, 'checkout appearance', { merchant_id: merchantId, ...choices });
  return row;
}
