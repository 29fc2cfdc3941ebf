import { ValidationError } from '../../../../domain/api/errors.ts';
import { getValidator } from '../../../../domain/api/validator.ts';
import { isCoin } from '../../../../domain/chain/coins.ts';
import { isCurrency } from '../../../../domain/chain/currencies.ts';
import { readPayment } from '../../../../domain/payments/read.ts';
import { adaptersOf } from '../../../../domain/payments/lifecycle/ports.ts';
import { LargeRefund, previewRefund, requestRefund } from '../../../../domain/payments/refunds/request.ts';
import { RefundBody } from '../../../../domain/payments/refunds/schemas.ts';
import { isFresh } from '../../../../domain/people/sessions/store.ts';
import { typedAmount } from '../../../../platform/values/money.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, callerOf, claimOf, type Fault } from '../../verbs.ts';
import { paymentIdOf, paymentPath, type PaymentDependencies } from '../page/own.ts';
import { previewPage, refundPage } from './refund-pages.ts';

const REFUND = '/dashboard/:merchant/payments/:payment/refund';
const OF_REFUNDS = { right: 'refunds:write', perMinute: DESK_PER_MINUTE } as const;

const check = getValidator({ allowPrivate: false }).compile(RefundBody, 'body');

/**
 * A refund in three steps: the form, what would be sent, and the refund itself, which is made only if it is
 * still what was shown. A large one asks for a fresh second factor before it is shown, and when it is made.
 */
export const refundRoutes = ({ adapters }: PaymentDependencies): readonly DeskRoute[] => [
  {
    name: 'refund form',
    method: 'get',
    path: REFUND,
    access: 'member',
    ...OF_REFUNDS,
    handle: (visit) => showForm(visit, adapters, null),
  },
  {
    name: 'refund preview',
    method: 'post',
    path: `${REFUND}/preview`,
    access: 'member',
    ...OF_REFUNDS,
    handle: (visit) => withForm(visit, adapters, () => preview(visit, adapters)),
  },
  {
    name: 'refund',
    method: 'post',
    path: REFUND,
    access: 'member',
    ...OF_REFUNDS,
    handle: (visit) => withForm(visit, adapters, () => refund(visit, adapters)),
  },
];

type Adapters = PaymentDependencies['adapters'];

async function preview(visit: AtMerchant, adapters: Adapters): Promise<DeskReply> {
  const own = adaptersOf(adapters, visit.merchant.mode);
  const shown = await previewRefund(visit.ctx, own, callerOf(visit), paymentIdOf(visit), bodyOf(visit));
  const isAllowed = !shown.isLarge || isFresh(visit.session, visit.ctx.now());
  return isAllowed ? previewPage(visit, own.chains, shown) : toConfirm(visit);
}

async function refund(visit: AtMerchant, adapters: Adapters): Promise<DeskReply> {
  const body = bodyOf(visit);
  const mark = visit.field('mark');
  const claim = claimOf(visit, `refund of ${paymentIdOf(visit)}`, { ...body, mark });
  if (claim === null) return showForm(visit, adapters, null);
  const confirmed = { mark, mayBeLarge: isFresh(visit.session, visit.ctx.now()) };
  const own = adaptersOf(adapters, visit.merchant.mode);
  try {
    await requestRefund(acting(visit), own, callerOf(visit), paymentIdOf(visit), { body, claim, confirmed });
  } catch (error) {
    if (error instanceof LargeRefund) return toConfirm(visit);
    throw error;
  }
  return { to: `${paymentPath(visit)}?said=refunded` };
}

/** Where the domain refuses what was entered, the form says so, and has it still. */
async function withForm(
  visit: AtMerchant,
  adapters: Adapters,
  work: () => Promise<DeskReply>,
): Promise<DeskReply> {
  const tried = await attempt(visit, work);
  return 'fault' in tried ? showForm(visit, adapters, tried) : tried.done;
}

/** The form, with what is left to refund; or why nothing is. */
async function showForm(visit: AtMerchant, adapters: Adapters, refused: Fault | null): Promise<DeskReply> {
  const { price } = await readPayment(visit.ctx.db, visit.merchant.merchant_id, paymentIdOf(visit));
  const own = adaptersOf(adapters, visit.merchant.mode);
  const whole = await attempt(visit, () =>
    previewRefund(visit.ctx, own, callerOf(visit), paymentIdOf(visit), {}),
  );
  const { refunds, hasMore } = 'fault' in whole ? { refunds: [], hasMore: false } : whole.done;
  const fault = refused ?? ('fault' in whole ? whole : null);
  const status = fault?.status === 503 ? 503 : 400;
  const priced = price?.currency ?? null;
  return refundPage(visit, { refunds, hasMore, priced, fault: fault?.fault ?? null, status });
}

const TO = ['customer', 'sender', 'address'] as const;

/** Throws ValidationError for what the API would not take either. */
function bodyOf({ field }: AtMerchant): RefundBody {
  const given = (name: string) => {
    const value = field(name).trim();
    return value === '' ? {} : { [name]: value };
  };
  const to = TO.find((one) => one === field('to')) ?? 'customer';
  if (to === 'address' && field('address').trim() === '')
    throw new ValidationError('address', 'required', 'is missing');
  const where = to === 'sender' ? { to_sender: true } : to === 'address' ? given('address') : {};
  return check({ ...askedBy(field('amount').trim(), field('currency')), ...given('reason'), ...where });
}

/** An amount is in the payment's coin, unless a currency of money is chosen; none is all that is left. */
function askedBy(typed: string, currency: string): RefundBody {
  if (typed === '') return {};
  const amount = typedAmount(typed) ?? typed;
  if (currency !== '' && !isCurrency(currency) && !isCoin(currency))
    throw new ValidationError('currency', 'enum', 'is not known');
  return isCurrency(currency) ? { price_amount: amount, price_currency: currency } : { amount };
}

const refundPath = (visit: AtMerchant): string => `${paymentPath(visit)}/refund`;

/** What was entered has to be entered again: it is in no address. */
function toConfirm(visit: AtMerchant): DeskReply {
  return { to: `/dashboard/second-factor?to=${encodeURIComponent(refundPath(visit))}` };
}
