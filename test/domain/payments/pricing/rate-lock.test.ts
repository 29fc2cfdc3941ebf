import { expect } from 'chai';
import type { Rates } from '../../../../src/domain/chain/rates/rates.ts';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { RATE_LOCK_SECONDS } from '../../../../src/domain/payments/pricing/quotes.ts';
import { requotePayments } from '../../../../src/domain/payments/processing/requote.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { selectMethodAt } from '../../../support/select-method.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const MINUTE = 60;
/** When the lock ends, a bitcoin is worth three quarters of its old rate: 10.50 cost more bitcoin. */
const BEFORE: Rates = { ...SIMULATED_RATES, BTC: '45000', ETH: '2000' };
const PRICE_BEFORE = '0.00023334';
const PRICE_NOW = '0.000175';

describe('the rate lock', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  const choose = (id: string, rates = BEFORE, { coin }: { coin: 'BTC' | 'ETH' | 'USDC' } = { coin: 'BTC' }) =>
    selectMethodAt(harness, id, coin, rates);
  const lockEnd = async (id: string, coin: string) => {
    const quote = (await harness.ctx.db('quotes').where({ payment_id: id, coin }).first('locked_until')) as {
      locked_until: Date | null;
    };
    return quote.locked_until;
  };
  const requotesDue = () =>
    harness.ctx.db('scheduled_jobs').where({ job: 'payment.requote' }).pluck('run_at');

  it('fixes rate and amount for a quarter of an hour, rounded up to the coin', async () => {
    const id = await shop.create();
    expect((await choose(id)).amount).to.equal(PRICE_BEFORE);
    const end = addSeconds(harness.ctx.now(), RATE_LOCK_SECONDS);
    expect(await lockEnd(id, 'BTC')).to.deep.equal(end);
    expect(await requotesDue()).to.deep.equal([end]);
    harness.advance(RATE_LOCK_SECONDS - 0.001);
    await harness.work();
    expect((await shop.payment(id)).crypto_amount).to.equal(PRICE_BEFORE);
  });

  it('is not renewed by selecting the coin again', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(10 * MINUTE);
    expect((await choose(id, SIMULATED_RATES)).amount).to.equal(PRICE_BEFORE);
    expect(await lockEnd(id, 'BTC')).to.deep.equal(addSeconds(harness.ctx.now(), 5 * MINUTE));
  });

  it('ends, and the payment is requoted at the current rate for another 15 minutes', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(RATE_LOCK_SECONDS);
    await harness.work();
    expect(await shop.payment(id)).to.include({
      coin: 'BTC',
      crypto_amount: PRICE_NOW,
      status: 'WAITING',
      sequence: 1,
    });
    const end = addSeconds(harness.ctx.now(), RATE_LOCK_SECONDS);
    expect(await lockEnd(id, 'BTC')).to.deep.equal(end);
    expect(await requotesDue()).to.deep.equal([end]);
  });

  it('ends for every selected coin, each at its own time', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(5 * MINUTE);
    await choose(id, BEFORE, { coin: 'ETH' });
    harness.advance(10 * MINUTE);
    await harness.work();
    const rates = async () => {
      const rows: { coin: string; rate: string }[] = await harness.ctx
        .db('quotes')
        .where({ payment_id: id })
        .select('coin', 'rate');
      return Object.fromEntries(rows.map(({ coin, rate }) => [coin, rate]));
    };
    expect(await rates()).to.deep.equal({ USDC: '1', BTC: '60000', ETH: '2000' });
    harness.advance(5 * MINUTE);
    await harness.work();
    expect(await rates()).to.deep.equal({ USDC: '1', BTC: '60000', ETH: '3000' });
  });

  it('is renewed at once when the coin is selected again after its end', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(RATE_LOCK_SECONDS);
    expect((await choose(id, SIMULATED_RATES)).amount).to.equal(PRICE_NOW);
  });

  it('ends at the deadline at the latest, and then no requote is scheduled', async () => {
    const id = await shop.create({ expiration_minutes: 10 });
    await choose(id);
    expect(await lockEnd(id, 'BTC')).to.deep.equal((await shop.payment(id)).expires_at);
    expect(await requotesDue()).to.deep.equal([]);
    harness.advance(10 * MINUTE);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', crypto_amount: PRICE_BEFORE });
  });

  it('does not exist for the settlement coin, which has no rate', async () => {
    const id = await shop.create();
    await choose(id, BEFORE, { coin: 'USDC' });
    expect(await lockEnd(id, 'USDC')).to.equal(null);
    expect(await requotesDue()).to.deep.equal([]);
  });

  it('applies to money that the network saw in time, even when it is synced later', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(RATE_LOCK_SECONDS - 1);
    await shop.chain.send(
      harness.ctx.db,
      [
        {
          network: 'bitcoin',
          coin: 'BTC',
          amount: PRICE_BEFORE,
          address: (await shop.payment(id)).address,
        },
      ],
      harness.ctx.now(),
    );
    harness.advance(1);
    await requotePayments(harness.ctx, harness.adapters, [id]);
    expect(await shop.payment(id)).to.include({
      status: 'PENDING',
      crypto_amount: PRICE_BEFORE,
      amount_received: '10.5',
      fully_funded: true,
    });
  });

  it('of a part that was seen holds for that part: what is still missing is quoted again when it ends', async () => {
    const id = await shop.create();
    await choose(id);
    await shop.pay(id, { amount: '0.00011667' });
    await syncNetwork(harness.ctx, harness.adapters, 'bitcoin');
    // 0.00011667 * 45000
    expect(await shop.payment(id)).to.include({
      amount_received: '5.25015',
      fully_funded: false,
      crypto_amount: PRICE_BEFORE,
    });
    harness.advance(RATE_LOCK_SECONDS);
    await harness.work();
    // The rest, 5.24985 / 60000, rounded up to a satoshi, beside what came.
    expect((await shop.payment(id)).crypto_amount).to.equal('0.00020417');
    expect((await shop.pay(id)).amount).to.equal('0.0000875');
    await syncNetwork(harness.ctx, harness.adapters, 'bitcoin');
    expect(await shop.payment(id)).to.deep.include({
      amount_received: '10.5',
      fully_funded: true,
      exceptions: [],
    });
  });

  it('does not hold for more than the quote asks: what is above counts at the market', async () => {
    const id = await shop.create();
    await choose(id, { ...SIMULATED_RATES, BTC: '90000' });
    // 10.50 / 90000, rounded up, and 0.001 more.
    await shop.pay(id, { amount: '0.00111667' });
    await syncNetwork(harness.ctx, harness.adapters, 'bitcoin');
    expect(await shop.payment(id)).to.deep.include({
      amount_received: '70.5',
      fully_funded: true,
      exceptions: ['overpaid'],
    });
  });

  it('does not hold while a speck of money waits: the rest is quoted at the market of each lock', async () => {
    const id = await shop.create();
    await choose(id);
    await shop.pay(id, { amount: '0.00000547' });
    await syncNetwork(harness.ctx, harness.adapters, 'bitcoin');
    harness.advance(RATE_LOCK_SECONDS);
    await harness.work();
    const end = addSeconds(harness.ctx.now(), RATE_LOCK_SECONDS);
    expect(await lockEnd(id, 'BTC')).to.deep.equal(end);
    // 0.00000547 were 0.24615; 10.25385 / 60000 are still asked.
    expect((await shop.payment(id)).crypto_amount).to.equal('0.00017637');
  });

  it('does not apply to money after its end, which counts at the new rate', async () => {
    const id = await shop.create();
    await choose(id);
    harness.advance(RATE_LOCK_SECONDS);
    await harness.work();
    await shop.send(id, { network: 'bitcoin', coin: 'BTC', amount: PRICE_BEFORE });
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({
      amount_received: '14.0004',
      exceptions: ['overpaid'],
      fully_funded: true,
    });
  });

  it('ends by the test clock of an isolated payment', async () => {
    const id = await shop.create();
    await choose(id);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '15m' }).expect(200);
    expect((await shop.payment(id)).crypto_amount).to.equal(PRICE_NOW);
  });
});
