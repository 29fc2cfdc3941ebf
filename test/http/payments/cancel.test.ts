import { expect } from 'chai';
import { cancelPayment } from '../../../src/domain/payments/cancel.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { createPayment, expectError, pay } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { openShop, type Shop } from '../../support/shop.ts';

describe('contract: POST /v1/payment/:id/cancel', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  const cancel = (id: string, apiKey?: string) => harness.api('post', `/v1/payment/${id}/cancel`, apiKey);
  const jobsOf = (id: string): Promise<string[]> =>
    harness.ctx.db('scheduled_jobs').where({ key: id }).pluck('job');

  it('ends an open payment as its deadline would, and again is the same', async () => {
    const { id } = await createPayment(harness);
    const { body } = await cancel(id).expect(200);
    expect(body).to.include({ id, status: 'EXPIRED', sequence: 2 });
    expect(body.cancelled_at).to.equal(harness.ctx.now().toISOString());
    expect(Object.keys(body).slice(-3)).to.deep.equal(['cancelled_at', 'settlement', 'price']);
    harness.advance(10);
    expect((await cancel(id).expect(200)).body).to.deep.equal(body);
    expect((await harness.api('get', `/v1/payment/${id}`)).body).to.deep.equal(body);
    expect(await shop.story(id)).to.deep.equal(['created WAITING', 'failed EXPIRED']);
    expect(await jobsOf(id)).to.deep.equal([]);
  });

  it('with an Idempotency-Key is answered again', async () => {
    const { id } = await createPayment(harness);
    const first = await cancel(id).set('Idempotency-Key', 'a').expect(200);
    const again = await cancel(id).set('Idempotency-Key', 'a').expect(200);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.text).to.equal(first.text);
  });

  it('says so on the page, and what comes later is late money', async () => {
    const payment = await createPayment(harness);
    await cancel(payment.id).expect(200);
    const page = await harness.api('get', new URL(payment.checkout_url).pathname, null).expect(200);
    expect(page.text).to.contain('This payment was cancelled').and.not.contain('has expired');
    harness.advance(60);
    await shop.pay(payment.id);
    await harness.work();
    expect(await shop.payment(payment.id)).to.deep.include({ status: 'PENDING', exceptions: ['late'] });
    await shop.mine(12);
    expect((await shop.payment(payment.id)).status).to.equal('SETTLED');
  });

  it('leaves what comes after the late window, or by policy all that is late, to a refund', async () => {
    const [honoured, refunded] = [await shop.create(), await shop.create({ policy: { late: 'refund' } })];
    for (const id of [honoured, refunded]) await cancel(id).expect(200);
    harness.advance(60);
    await shop.pay(refunded);
    await harness.work();
    await shop.mine(12);
    expect((await shop.payment(refunded)).status).to.equal('REFUNDED');
    harness.advance(24 * 3600);
    await shop.pay(honoured);
    await harness.work();
    expect((await shop.story(honoured)).at(-1)).to.equal('funds_received EXPIRED');
  });

  it('of a payment that is paid in part keeps the part for a refund', async () => {
    const id = await shop.create({ pay_amount: '10' });
    await shop.pay(id, { amount: '4' });
    await harness.work();
    await cancel(id).expect(200);
    await shop.mine(12);
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '4' });
    await shop.refund(id);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    expectError(harness, await cancel(id), 409);
  });

  it('with enough money seen, synced or not, or in another final status is a 409', async () => {
    const seen = await shop.create();
    await shop.pay(seen);
    expectError(harness, await cancel(seen), 409);
    expect((await shop.payment(seen)).cancelled_at).to.equal(null);
    const { id: settled } = await createPayment(harness);
    await pay(harness, settled);
    expectError(harness, await cancel(settled), 409);
    const expired = await shop.create({ expiration_minutes: 5 });
    harness.advance(301);
    await harness.work();
    expectError(harness, await cancel(expired), 409);
  });

  it('of another merchant is a 404, and needs its permission', async () => {
    const { id } = await createPayment(harness);
    const other = await harness.addMerchant();
    expectError(harness, await cancel(id, other.apiKey), 404);
    const reader = await harness.addMerchant({ permissions: ['payments:read'] });
    expectError(harness, await cancel(id, reader.apiKey), 403);
  });

  it('and a transfer that is seen at the same instant have one winner', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await shop.create();
      const address = shop.chain.derive('ethereum', { id });
      const sending = { network: 'ethereum', coin: 'USDC', address, amount: '10.50' } as const;
      const pay = async () => {
        await shop.chain.send(harness.ctx.db, [sending], harness.ctx.now());
        await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
      };
      const cancelled = cancelPayment(harness.ctx, harness.adapters, shop.caller, id, null).then(
        () => true,
        () => false,
      );
      await Promise.all([cancelled, pay()]);
      await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
      const { status, cancelled_at } = await shop.payment(id);
      expect(status).to.equal('PENDING');
      expect(cancelled_at !== null).to.equal(await cancelled);
    }
  });

  it('cancels the payment with a test clock at the time of that clock', async () => {
    const id = await shop.create({ expiration_minutes: 60 });
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '10m' }).expect(200);
    const { body } = await cancel(id).expect(200);
    expect(body.cancelled_at).to.equal(new Date(harness.ctx.now().getTime() + 600_000).toISOString());
  });
});
