import { createHash } from 'node:crypto';
import type { Caller } from '../../api/endpoint.ts';
import { readAcceptedMethods } from '../../merchants/accepted-methods.ts';
import type { Language } from '../../languages/languages.ts';
import { newPayment, parOf } from '../../payments/create.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import { readDisplayRates } from '../actions/read-display-rates.ts';
import type { StoredAppearance } from '../view/appearance.ts';
import type { CheckoutPayment } from '../view/store.ts';
import type { Context } from '../../../platform/context.ts';
import { checkoutPage } from './page.ts';

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

interface Previewed {
  readonly caller: Caller;
  readonly merchantName: string;
  readonly appearance: StoredAppearance;
  readonly language: Language;
  readonly scheme: Scheme;
}

/**
 * The page of a payment that does not exist, as customers would see it with these choices, for a frame of the
 * desk. It shows nothing that money could be sent to, also for a live merchant: its address is simulated, and
 * it says TEST. Nothing on it can be used, and it runs no script.
 */
export async function previewPage(
  ctx: Context,
  adapters: AdaptersByMode,
  previewed: Previewed,
): Promise<{ html: string; policy: string }> {
  const { caller, appearance, language, scheme } = previewed;
  const payment = await samplePayment(ctx, adapters, previewed);
  const rates =
    appearance.display_currency === null
      ? null
      : await readDisplayRates(ctx, adaptersOf(adapters, caller.mode));
  const page = checkoutPage(payment, ctx.now(), language, adapters, { isStill: true, rates });
  return stillPage(page, scheme);
}

async function samplePayment(
  ctx: Context,
  adapters: AdaptersByMode,
  { caller, merchantName: merchant_name, appearance }: Previewed,
): Promise<CheckoutPayment> {
  const { settlement: settlement_mode } = adaptersOf(adapters, caller.mode);
  const accepted_methods = await readAcceptedMethods(ctx.db, caller.merchantId);
  // Of the simulator, whatever the merchant's mode.
  const place = await adapters.addresses.open(ctx, caller, parOf(caller).network);
  const body = { order_id: 'ORDER-1001', pay_amount: '25.00', price: null };
  const { payment, rate } = newPayment(ctx, place, caller, body, ctx.now());
  return {
    ...payment,
    settlement_mode,
    accepted_methods,
    merchant_name,
    merchant_mode: caller.mode,
    appearance,
    locked_until: null,
    quote: { asks: payment.crypto_amount, covers: payment.pay_amount, rate },
    asked_before: null,
    refund_coin: payment.coin,
    refund_network: payment.network,
    needs_address: false,
    refund_amount: null,
    amount_underway: '0',
    refund_address: null,
    sent_hash: null,
    sent_network: null,
    is_sent_lost: null,
    transfers: [],
    refunds: [],
    version: 'preview',
  };
}

/** Without scripts, and in one scheme, whatever the browser prefers. The policy allows what is left. */
function stillPage(page: string, scheme: Scheme): { html: string; policy: string } {
  const html = page
    .replaceAll(/<(script|noscript)[^>]*>.*?<\/\1\s*>/gs, '')
    .replaceAll(/\(prefers-color-scheme:\s*dark\)/g, scheme === 'dark' ? '(min-width:0)' : '(max-width:0)')
    .replaceAll('color-scheme:light dark', `color-scheme:${scheme}`)
    .replace('<body', '<body inert');
  const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${styles.join(' ')}`,
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { html, policy };
}
