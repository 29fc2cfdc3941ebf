import { simulatedChain } from '../../src/domain/chain/simulator/simulated.ts';
import type { ChainTransfer } from '../../src/domain/chain/port.ts';
import type { TransferRequest, TestChain } from '../../src/domain/chain/test-chain.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import { createPayment } from '../../src/domain/payments/create.ts';
import type { Payment } from '../../src/domain/payments/lifecycle/payment.ts';
import { requestRefund } from '../../src/domain/payments/refunds/request.ts';
import type { RefundBody, RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import type { CreatePaymentBody } from '../../src/domain/payments/schemas.ts';
import { readPayments } from '../../src/domain/payments/lifecycle/store.ts';
import type { SendTransferBody, TransferResource } from '../../src/domain/sandbox/customer/schemas.ts';
import { sendTransfer } from '../../src/domain/sandbox/customer/send-transfer.ts';
import { run, sql } from '../../src/platform/postgres/db.ts';
import type { Caller } from '../../src/domain/api/endpoint.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import type { TestMerchant, Harness } from './harness.ts';

/** A stored event with its parsed body; only what tests use is typed. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly data: {
    readonly checkout: Record<string, unknown> & { status: string; exceptions: string[] };
    readonly payment: {
      txHash: string | null;
      confirmations: number;
      requiredConfirmations: number | null;
      network: string;
    };
    readonly settlement: Record<string, unknown>;
    readonly refund?: Record<string, unknown>;
    readonly transfer?: Record<string, unknown>;
  };
  readonly metadata: Record<string, string>;
}

/**
 * A merchant and its customers behind the HTTP layer: the verbs that endpoints call, without the endpoints.
 */
export interface Shop {
  readonly caller: Caller;
  readonly chain: TestChain;
  /** Creates a payment (default: 10.50 of the settlement coin) and returns its id. */
  create(body?: Partial<CreatePaymentBody>): Promise<string>;
  /**
   * Sends a transfer through the sandbox's verb: what is missing, in the payment's coin, unless the body says
   * otherwise.
   */
  pay(id: string, body?: SendTransferBody): Promise<TransferResource>;
  /** Sends money to the address of the payment on a network, as a stranger could: any coin, chosen or not. */
  send(id: string, sending: Omit<TransferRequest, 'address'> & { address?: string }): Promise<ChainTransfer>;
  refund(id: string, body?: RefundBody): Promise<RefundResource>;
  payment(id: string): Promise<Payment>;
  events(id: string): Promise<StoredEvent[]>;
  /** The events as `type status`, `checkout.` left out: a story in one list. */
  story(id: string): Promise<string[]>;
  /** Mines so many blocks on a network (default: the payment's), and does the work that follows. */
  mine(blocks: number, network?: TransferRequest['network']): Promise<void>;
}

const eventBodies = sql<{ body: string }>(
  'test_events',
  'SELECT body FROM events WHERE payment_id = $1 ORDER BY sequence',
);

/** Opens the shop of the harness's merchant, or of another one. */
export async function openShop(harness: Harness, merchant: TestMerchant = harness.merchant): Promise<Shop> {
  const { ctx, adapters } = harness;
  const caller = await findCaller(ctx.db, hashApiKey(merchant.apiKey));
  if (caller === null) throw new Error("the test's merchant does not exist");
  const chain = simulatedChain(ctx);
  const shop: Shop = {
    caller,
    chain,
    async create(body = {}) {
      const answer = await createPayment(
        ctx,
        adapters,
        caller,
        { pay_amount: '10.50', order_id: 'order-1', ...body },
        null,
      );
      return (JSON.parse(answer.text) as { id: string }).id;
    },
    async pay(id, body = {}) {
      return JSON.parse(
        (await sendTransfer(ctx, adapters, caller, id, { body, claim: null })).text,
      ) as TransferResource;
    },
    async send(id, sending) {
      const { address = chain.derive(sending.network, { id }) } = sending;
      const [sent] = await chain.send(ctx.db, [{ ...sending, address }], ctx.now());
      if (sent === undefined) throw new Error('nothing was sent');
      await syncSoon(harness, sending.network);
      return sent;
    },
    async refund(id, body = {}) {
      return JSON.parse(
        (await requestRefund(ctx, harness.adapters, caller, id, { body, claim: null })).text,
      ) as RefundResource;
    },
    async payment(id) {
      const [payment] = await readPayments(ctx.db, [id]);
      if (payment === undefined) throw new Error(`payment ${id} does not exist`);
      return payment;
    },
    async events(id) {
      return (await run(ctx.db, eventBodies, [id])).map(({ body }) => JSON.parse(body) as StoredEvent);
    },
    async story(id) {
      return (await shop.events(id)).map(
        ({ type, data }) => `${type.replace('checkout.', '')} ${data.checkout.status}`,
      );
    },
    async mine(blocks, network = 'ethereum') {
      await chain.mine(network, blocks, ctx.now());
      await syncSoon(harness, network);
      await harness.work();
    },
  };
  return shop;
}

const lookNow = sql(
  'test_look_now',
  `UPDATE scheduled_jobs SET run_at = $2, visible_at = $2 WHERE job = 'chain.observe' AND key = $1`,
);

/** Schedules a sync of the network for the harness's next run. */
async function syncSoon({ ctx }: Harness, network: string): Promise<void> {
  await run(ctx.db, lookNow, [network, ctx.now()]);
}
