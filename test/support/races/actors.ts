import { selectMethodByToken } from '../../../src/domain/checkout/actions/select-method.ts';
import { giveRefundAddress } from '../refunds.ts';
import type { NetworkId } from '../../../src/domain/chain/networks.ts';
import { expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { requotePayments } from '../../../src/domain/payments/processing/requote.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../src/domain/payments/processing/sync-network.ts';
import { requestRefund } from '../../../src/domain/payments/refunds/request.ts';
import { sendRefunds } from '../../../src/domain/payments/refunds/send.ts';
import type { Adapters } from '../../../src/domain/adapters.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { Caller } from '../../../src/platform/endpoint.ts';

/** What the actors of a race act on: one payment. */
export interface RacedPayment {
  readonly id: string;
  readonly token: string;
  readonly refundIds: readonly string[];
  /** The time of all actors but `expire`, who acts at the deadline. */
  readonly now: Date;
  readonly deadline: Date;
  /** In pay_currency; null: all that is left. */
  readonly refundAmount: string | null;
}

type Actor = (ctx: Context, adapters: Adapters, caller: Caller, payment: RacedPayment) => Promise<unknown>;

const CUSTOMER_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** The context of a process whose clock shows `time`. */
export function at(ctx: Context, time: Date): Context {
  return { ...ctx, now: () => time, systemNow: () => time };
}

const observe =
  (network: NetworkId): Actor =>
  (ctx, adapters, _, payment) =>
    syncNetwork(at(ctx, payment.now), adapters, network);

/** Everything that changes a payment's money or status, as the workers and the endpoints do it. */
export const ACTORS = {
  observe: observe('ethereum'),
  'observe another network': observe('bitcoin'),
  settle: (ctx, adapters, _, payment) => settlePayments(at(ctx, payment.now), adapters, [payment.id]),
  expire: (ctx, adapters, _, { id, deadline }) => expirePayments(at(ctx, deadline), adapters, [id]),
  requote: (ctx, adapters, _, payment) => requotePayments(at(ctx, payment.now), adapters, [payment.id]),
  'request refund': (ctx, adapters, caller, payment) => {
    const body = payment.refundAmount === null ? {} : { amount: payment.refundAmount };
    return requestRefund(at(ctx, payment.now), adapters, caller, payment.id, { body, claim: null });
  },
  'send refund': (ctx, adapters, _, payment) =>
    sendRefunds(at(ctx, payment.now), adapters, payment.refundIds),
  'choose coin': (ctx, adapters, _, payment) =>
    selectMethodByToken(at(ctx, payment.now), adapters, payment.token, 'ETH', 'ethereum'),
  'enter refund address': (ctx, adapters, _, payment) =>
    giveRefundAddress(at(ctx, payment.now), adapters, payment.token, CUSTOMER_ADDRESS),
} as const satisfies Record<string, Actor>;

export type ActorName = keyof typeof ACTORS;
