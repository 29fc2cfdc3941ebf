import winston from 'winston';
import { cancelPayment } from '../../../src/domain/payments/cancel.ts';
import { selectMethodByToken } from '../../../src/domain/checkout/actions/select-method.ts';
import { giveRefundAddress } from '../refunds.ts';
import { NETWORKS, type NetworkId } from '../../../src/domain/chain/networks.ts';
import { endHoldsOf, expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { requotePayments } from '../../../src/domain/payments/processing/requote.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { requestRefund } from '../../../src/domain/payments/refunds/request.ts';
import { sendRefunds } from '../../../src/domain/payments/refunds/send.ts';
import type { Adapters } from '../../../src/domain/adapters.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import type { Context } from '../../../src/platform/context.ts';
import { applyQuarantinedTransfers } from '../../../src/domain/payments/processing/apply-quarantined.ts';
import type { PausableDb } from './pausable-db.ts';
import type { Caller } from '../../../src/domain/api/endpoint.ts';

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

/** What an actor acts with: a process of its own, whose statements can fail. */
export interface Acting<Raced = RacedPayment> {
  readonly ctx: Context;
  readonly adapters: Adapters;
  readonly caller: Caller;
  readonly payment: Raced;
  readonly racer: Pick<PausableDb, 'failing'>;
}

export type Actor<Raced = RacedPayment> = (acting: Acting<Raced>) => Promise<unknown>;

const LONGEST_HOLD_SECONDS = Math.max(
  ...Object.values(NETWORKS).map(({ unminedHoldSeconds }) => unminedHoldSeconds),
);
const CUSTOMER_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** The context of a process whose clock shows `time`. */
export function at(ctx: Context, time: Date): Context {
  return { ...ctx, now: () => time, systemNow: () => time };
}

const sync =
  (network: NetworkId): Actor =>
  ({ ctx, adapters, payment }) =>
    syncNetwork(at(ctx, payment.now), adapters, network);
const settle: Actor = ({ ctx, adapters, payment }) =>
  settlePayments(at(ctx, payment.now), adapters, [payment.id]);
const send: Actor = ({ ctx, adapters, payment }) =>
  sendRefunds(at(ctx, payment.now), adapters, payment.refundIds);
/** One actor that does what several do, one after the other. */
export const inTurn =
  <Raced = RacedPayment>(...actors: readonly Actor<Raced>[]): Actor<Raced> =>
  async (acting) => {
    for (const act of actors) await act(acting);
  };

/** The statements that apply a page to its payments: while they fail, what it reports is quarantined. */
const APPLIES = /\b(?:upsert_transfers|update_money|apply_transitions)\b/;
/** What cannot be applied is logged as an error. */
const silent = winston.createLogger({ silent: true });

/** Everything that changes a payment's money or status, as the workers and the endpoints do it. */
export const ACTORS = {
  sync: sync('ethereum'),
  'sync another network': sync('bitcoin'),
  quarantine: (acting) =>
    acting.racer.failing(APPLIES, () => sync('ethereum')({ ...acting, ctx: { ...acting.ctx, log: silent } })),
  'apply quarantined': ({ ctx, adapters, payment }) =>
    applyQuarantinedTransfers(at(ctx, payment.now), adapters, [payment.id]),
  settle,
  'sync, then settle': inTurn(sync('ethereum'), settle),
  expire: ({ ctx, adapters, payment: { id, deadline } }) => expirePayments(at(ctx, deadline), adapters, [id]),
  // As one whose syncs have just ended: they wait for those of others, and so would hide what it waits for.
  'expire without a sync': ({ ctx, adapters, payment: { id, deadline } }) =>
    expirePayments(at(ctx, deadline), { ...adapters, networks: [] }, [id]),
  cancel: ({ ctx, adapters, caller, payment }) =>
    cancelPayment(at(ctx, payment.now), adapters, caller, payment.id, null),
  // When what is in the pool has held the payment for as long as any network lets it.
  'end holds': ({ ctx, adapters, payment: { id, now } }) =>
    endHoldsOf(at(ctx, addSeconds(now, LONGEST_HOLD_SECONDS)), adapters, [id]),
  requote: ({ ctx, adapters, payment }) => requotePayments(at(ctx, payment.now), adapters, [payment.id]),
  'request refund': ({ ctx, adapters, caller, payment }) => {
    const body = payment.refundAmount === null ? {} : { amount: payment.refundAmount };
    return requestRefund(at(ctx, payment.now), adapters, caller, payment.id, { body, claim: null });
  },
  'send refund': send,
  'sync, then send refund': inTurn(sync('ethereum'), send),
  'select method': ({ ctx, adapters, payment }) =>
    selectMethodByToken(at(ctx, payment.now), adapters, payment.token, 'ETH', 'ethereum'),
  'enter refund address': ({ ctx, adapters, payment }) =>
    giveRefundAddress(at(ctx, payment.now), adapters, payment.token, CUSTOMER_ADDRESS),
} as const satisfies Record<string, Actor>;

export type ActorName = keyof typeof ACTORS;
