import type { NetworkId } from '../../../src/domain/chain/networks.ts';
import { expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { selectMethodByToken } from '../../../src/domain/checkout/actions/select-method.ts';
import type { Harness } from '../harness.ts';
import { poisonShop } from '../poison.ts';
import type { Shop } from '../shop.ts';
import type { ActorName, RacedPayment } from './actors.ts';
import type { RacedState } from './suite.ts';
import { NOBODY } from '../simulator.ts';

const CONFIRMATIONS = 12;
const HOUR = 3_600;

/** Each state has changes on one network, or on two, that no sync has seen. */
export const STATES: Readonly<Record<string, RacedState<RacedPayment, ActorName>>> = {
  'open, with money on two networks': {
    actors: [
      'sync',
      'sync another network',
      'quarantine',
      'expire',
      'expire without a sync',
      'cancel',
      'end holds',
      'requote',
      'select method',
    ],
    async prepare(harness, shop) {
      const id = await shop.create();
      await choose(harness, shop, id);
      harness.advance(HOUR - 1);
      await send(harness, shop, id, 'ethereum', '4');
      await send(harness, shop, id, 'bitcoin', '0.00002');
      return raced(harness, shop, id);
    },
  },
  'fully funded, confirmed on one network and with a transfer replaced on another': {
    actors: ['sync', 'sync another network', 'quarantine', 'expire', 'cancel', 'end holds'],
    async prepare(harness, shop) {
      const { ctx, adapters } = harness;
      const id = await shop.create();
      await choose(harness, shop, id);
      await send(harness, shop, id, 'ethereum', '10.5');
      await syncNetwork(ctx, adapters, 'ethereum');
      await shop.chain.mine('ethereum', CONFIRMATIONS, ctx.now());
      const txHash = await send(harness, shop, id, 'bitcoin', '0.00002');
      await syncNetwork(ctx, adapters, 'bitcoin');
      await shop.chain.replace(txHash, ctx.now());
      return raced(harness, shop, id);
    },
  },
  'fully funded and processing, with more money on another network': {
    actors: ['sync another network', 'settle', 'request refund', 'enter refund address'],
    async prepare(harness, shop) {
      const id = await shop.create({ policy: { overpaid: 'refund_excess' } });
      await choose(harness, shop, id);
      await confirm(harness, shop, id, '12.5');
      await send(harness, shop, id, 'bitcoin', '0.00002');
      return raced(harness, shop, id, { refundAmount: '2' });
    },
  },
  'settled and overpaid, with a refund to send': {
    actors: ['sync', 'sync another network', 'request refund', 'send refund', 'enter refund address'],
    async prepare(harness, shop) {
      const id = await shop.create();
      await choose(harness, shop, id);
      await confirm(harness, shop, id, '12.5');
      await settlePayments(harness.ctx, harness.adapters, [id]);
      const refund = await shop.refund(id, { amount: '1' });
      await send(harness, shop, id, 'ethereum', '3');
      await send(harness, shop, id, 'bitcoin', '0.00002');
      return raced(harness, shop, id, { refundIds: [refund.id], refundAmount: '1' });
    },
  },
  'open, with money that is quarantined, and more that no sync has seen': {
    actors: ['sync', 'sync another network', 'apply quarantined', 'expire', 'requote'],
    async prepare(harness, shop) {
      const id = await shop.create();
      await choose(harness, shop, id);
      harness.advance(HOUR - 1);
      const poisoned = poisonShop(harness);
      await poisoned.poison([id]);
      await send(harness, shop, id, 'ethereum', '4');
      await syncNetwork(poisoned.ctx, harness.adapters, 'ethereum');
      await poisoned.repair();
      await send(harness, shop, id, 'ethereum', '5');
      await send(harness, shop, id, 'bitcoin', '0.00005');
      return raced(harness, shop, id);
    },
  },
  'processing, and a transfer is lost': {
    actors: ['sync', 'quarantine', 'settle', 'sync, then settle', 'sync another network'],
    async prepare(harness, shop) {
      const id = await shop.create();
      await choose(harness, shop, id);
      const lost = await send(harness, shop, id, 'ethereum', '4');
      await confirm(harness, shop, id, '6.5');
      await shop.chain.replace(lost, harness.ctx.now());
      await send(harness, shop, id, 'bitcoin', '0.00002');
      return raced(harness, shop, id);
    },
  },
  'expired, with a refund to send of which a transfer is lost': {
    // No request: what it sends back of late money is more than came, once the loss is known.
    actors: ['sync', 'quarantine', 'send refund', 'sync, then send refund'],
    async prepare(harness, shop) {
      const id = await shop.create();
      await choose(harness, shop, id);
      const lost = await send(harness, shop, id, 'ethereum', '4');
      await confirm(harness, shop, id, '3');
      harness.advance(HOUR);
      await expirePayments(harness.ctx, harness.adapters, [id]);
      const refund = await shop.refund(id);
      // As much as is lost: nothing that is sent back is more than what came.
      await confirm(harness, shop, id, '4');
      await shop.chain.replace(lost, harness.ctx.now());
      return raced(harness, shop, id, { refundIds: [refund.id] });
    },
  },
  'expired, with late money on another network': {
    actors: ['sync another network', 'expire', 'request refund', 'enter refund address'],
    prepare: expired,
  },
  'expired, with a refund to send and late money on two networks': {
    actors: ['sync', 'sync another network', 'request refund', 'send refund', 'enter refund address'],
    async prepare(harness, shop) {
      const payment = await expired(harness, shop);
      const refund = await shop.refund(payment.id);
      await send(harness, shop, payment.id, 'ethereum', '3');
      return { ...payment, refundIds: [refund.id] };
    },
  },
};

/** Underpaid and expired; what it got is confirmed, and more is on its way. */
async function expired(harness: Harness, shop: Shop): Promise<RacedPayment> {
  const id = await shop.create();
  await choose(harness, shop, id);
  await confirm(harness, shop, id, '4');
  harness.advance(HOUR);
  await expirePayments(harness.ctx, harness.adapters, [id]);
  await send(harness, shop, id, 'bitcoin', '0.00002');
  return raced(harness, shop, id);
}

/** Selects bitcoin, so that its address has a quote, whose lock ends before the deadline. */
async function choose({ ctx, adapters }: Harness, shop: Shop, id: string): Promise<void> {
  const { token_id } = await shop.payment(id);
  await selectMethodByToken(ctx, adapters, token_id, 'BTC', 'bitcoin');
}

/** Sends money, which its chain numbers, and which no sync has seen. */
async function send(
  { ctx }: Harness,
  shop: Shop,
  id: string,
  network: NetworkId,
  amount: string,
): Promise<string> {
  const { txHash } = await shop.send(id, { network, coin: network === 'bitcoin' ? 'BTC' : 'USDC', amount });
  await shop.chain.poll(network, null, NOBODY, ctx.now());
  return txHash;
}

/** Sends money that is seen and confirmed. */
async function confirm(harness: Harness, shop: Shop, id: string, amount: string): Promise<void> {
  const { ctx, adapters } = harness;
  await send(harness, shop, id, 'ethereum', amount);
  await syncNetwork(ctx, adapters, 'ethereum');
  await shop.chain.mine('ethereum', CONFIRMATIONS, ctx.now());
  await syncNetwork(ctx, adapters, 'ethereum');
}

/** The payment as the actors know it, who act now. */
export async function raced(
  { ctx }: Harness,
  shop: Shop,
  id: string,
  own: Partial<RacedPayment> = {},
): Promise<RacedPayment> {
  const { token_id, deadline_at } = await shop.payment(id);
  const payment = { id, token: token_id, now: ctx.now(), deadline: deadline_at };
  return { ...payment, refundIds: [], refundAmount: null, ...own };
}
