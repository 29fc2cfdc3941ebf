import { findReplay, hashBody } from '../idempotency/claim.ts';
import { compare, typedAmount } from '../../platform/values/money.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/postgres/db.ts';
import { AMOUNT_PATTERN, TEXT_PATTERN } from '../api/patterns.ts';
import { ApiError, isForLater } from '../api/errors.ts';
import { findMerchant } from '../merchants/api-keys.ts';
import { createPayment } from '../payments/create.ts';
import type { AdaptersByMode } from '../payments/lifecycle/ports.ts';
import { LinkClosed } from '../payments/links/uses.ts';
import type { CreatePaymentBody, PaymentResource } from '../payments/schemas.ts';
import { hold, holderOf, holdsMost } from './holds.ts';
import { isBounded, linkPath, offerOf, stateOf, type Link } from './link.ts';

/** What the page's form posts. */
export type BuyForm = Readonly<Record<string, unknown>>;

/**
 * `bad`: an answer or the amount is not within its bounds. `closed`: the link takes no payment now. `held`:
 * the address holds as many items as one may without paying.
 */
export type Bought = { readonly token: string } | 'bad' | 'closed' | 'held' | 'unavailable';

const NONCE = /^[\w-]{32}$/;

/** What a customer's browser asks for. */
export interface BuyRequest {
  readonly form: BuyForm;
  readonly address: string;
  /**
   * Called before a payment is created, and for no other request: what can create none takes nothing of the
   * link's limit, which is for all customers together. Throws where that is used up.
   */
  readonly admit: () => Promise<void>;
}

/**
 * Creates the payment that a customer asks for on the page of a link, by the verb of the API. The form's
 * nonce and answers are its idempotency key: a form that is sent twice creates one payment.
 */
export async function buy(
  ctx: Context,
  adapters: AdaptersByMode,
  link: Link,
  { form, address, admit }: BuyRequest,
): Promise<Bought> {
  const { nonce } = form;
  const body = bodyOf(link, form, ctx.config.publicUrl);
  if (body === null || typeof nonce !== 'string' || !NONCE.test(nonce)) return 'bad';
  const bodyHash = hashBody(body);
  const key = `${nonce}-${bodyHash.toString('base64url')}`;
  const path = linkPath(link.token);
  const claim = { merchantId: link.merchant_id, method: 'POST', path, key, bodyHash };
  const holding = { holder: holderOf(link, address), now: ctx.now(), scale: ctx.config.rateLimitScale };
  // What is refused takes no address of a wallet, of which it may have few.
  const refused = await refusalOf(ctx, link, holding);
  if (refused !== null) {
    const replayed = await findReplay(ctx.db, claim);
    return replayed === null ? refused : tokenOf(replayed.text);
  }
  const caller = await findMerchant(ctx.db, link.merchant_id);
  if (caller === null || caller.isSuspended === true) return 'closed';
  await admit();
  let isHeld = false;
  const beside = async (tx: Tx, paymentId: string): Promise<boolean> => {
    isHeld = !(await hold(tx, link, { ...holding, paymentId }));
    return !isHeld;
  };
  const own = { linkId: link.id, beside: isBounded(link) ? beside : null };
  try {
    return tokenOf((await createPayment(ctx, adapters, caller, body, claim, own)).text);
  } catch (error) {
    if (error instanceof LinkClosed) return isHeld ? 'held' : 'closed';
    if (error instanceof ApiError && error.status === 400) return 'bad';
    if (isForLater(error)) return 'unavailable';
    throw error;
  }
}

/** Why the link takes no payment of who asks; null: nothing is known against it, and storing it decides. */
async function refusalOf(
  ctx: Pick<Context, 'db' | 'now'>,
  link: Link,
  holding: { holder: number; scale: number },
): Promise<'closed' | 'held' | null> {
  if (stateOf(link, ctx.now()) !== 'open') return 'closed';
  return isBounded(link) && (await holdsMost(ctx.db, link, holding)) ? 'held' : null;
}

const tokenOf = (text: string) => ({ token: (JSON.parse(text) as PaymentResource).token_id });

/** The request that the form means; null: what it says is not within its bounds, or is offered no more. */
function bodyOf(link: Link, form: BuyForm, publicUrl: string): CreatePaymentBody | null {
  // A page that was opened before the prices changed: nobody pays another one than they have read.
  if (form.offer !== undefined && form.offer !== offerOf(link)) return null;
  const chosen = chosenPrice(link, form);
  const answers = answersOf(link, form);
  if (chosen === null || answers === null) return null;
  const { amount, name } = chosen;
  const url = `${publicUrl}${linkPath(link.token)}`;
  const success_url = link.success_url ?? (link.thank_you === null ? null : `${url}/thanks`);
  return {
    ...(link.price_currency === null
      ? { pay_amount: amount }
      : { price_amount: amount, price_currency: link.price_currency }),
    order_id: link.id,
    order_description: name === undefined ? link.title : `${link.title}: ${name}`,
    expiration_minutes: link.expiration_minutes,
    ...(success_url === null ? {} : { success_url }),
    cancel_url: url,
    metadata: { link_id: link.id, ...(name === undefined ? {} : { option: name }), ...answers },
    // An item that an expired payment gave back may be another customer's by then.
    ...(isBounded(link) ? { policy: { late: 'refund' as const } } : {}),
  };
}

const IS_AMOUNT = new RegExp(AMOUNT_PATTERN, 'u');

function chosenPrice({ prices, open_amount }: Link, form: BuyForm): { amount: string; name?: string } | null {
  if (prices !== null) {
    // Number('') is 0.
    const price = /^\d{1,2}$/.test(String(form.price)) ? prices[Number(form.price)] : undefined;
    return price === undefined || price.closed === true ? null : price;
  }
  const amount = typedAmount(String(form.amount));
  if (open_amount === null || amount === null || !IS_AMOUNT.test(amount)) return null;
  const isWithin = compare(amount, open_amount.min) >= 0 && compare(amount, open_amount.max) <= 0;
  return isWithin ? { amount } : null;
}

const TEXT = new RegExp(TEXT_PATTERN, 'u');

/** What the customer has answered, by the keys of the link's fields; null: one is not within its bounds. */
function answersOf({ fields }: Link, form: BuyForm): Record<string, string> | null {
  const answers: Record<string, string> = {};
  for (const { key, required, max_length } of fields) {
    const answer = form[`field_${key}`] ?? '';
    if (typeof answer !== 'string' || answer.length > max_length || !TEXT.test(answer)) return null;
    const written = answer.trim();
    if (written === '' && required) return null;
    if (written !== '') answers[key] = written;
  }
  return answers;
}
