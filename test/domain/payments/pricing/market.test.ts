import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { selectMethodByToken } from '../../../../src/domain/checkout/actions/select-method.ts';
import { setSpread } from '../../../../src/domain/merchants/store.ts';
import { RATE_LOCK_SECONDS } from '../../../../src/domain/payments/pricing/quotes.ts';
import { applyQuarantinedTransfers } from '../../../../src/domain/payments/processing/apply-quarantined.ts';
import { requotePayments } from '../../../../src/domain/payments/processing/requote.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness, TestMerchant } from '../../../support/harness.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { marketAt } from '../../../support/market.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

describe('the market of a payment', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  const move = (rates: object, merchant: TestMerchant = harness.merchant) =>
    harness.api('post', '/v1/sandbox/rates', merchant.apiKey).send({ rates });
  const select = async (id: string, coin = 'BTC', network = 'bitcoin', adapters = harness.adapters) =>
    selectMethodByToken(harness.ctx, adapters, (await shop.payment(id)).token_id, coin, network);
  const asked = async (id: string) => (await shop.payment(id)).crypto_amount;
  const evidence = (id: string, coin: string) =>
    harness.ctx.db('quotes').where({ payment_id: id, coin }).first('rated_at', 'rate_sources') as Promise<{
      rated_at: Date | null;
      rate_sources: string[] | null;
    }>;

  describe('moved by POST /v1/sandbox/rates', () => {
    it('requotes at the new price when the lock ends, and not before', async () => {
      const id = await shop.create();
      await select(id);
      expect(await asked(id)).to.equal('0.000175');
      const { body } = await move({ BTC: '30000' }).expect(200);
      expect(body).to.deep.equal({ rates: { ...SIMULATED_RATES, BTC: '30000' } });
      harness.advance(RATE_LOCK_SECONDS - 1);
      await harness.work();
      expect(await asked(id)).to.equal('0.000175');
      harness.advance(1);
      await harness.work();
      expect(await asked(id)).to.equal('0.00035');
    });

    it('is that of its own merchant only, until null restores it', async () => {
      const other = await harness.addMerchant();
      await move({ BTC: '30000', ETH: '1' }, other).expect(200);
      const [own, theirs] = [await shop.create(), await (await openShop(harness, other)).create()];
      for (const id of [own, theirs]) await select(id);
      expect([await asked(own), await asked(theirs)]).to.deep.equal(['0.000175', '0.00035']);
      const { body } = await move({ BTC: null }, other).expect(200);
      expect(body.rates).to.include({ BTC: '60000', ETH: '1' });
    });

    it('credits money beyond the lock at the new price', async () => {
      const id = await shop.create();
      await move({ ETH: '1000' }).expect(200);
      await shop.send(id, { network: 'ethereum', coin: 'ETH', amount: '0.002' });
      await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
      expect((await shop.payment(id)).amount_received).to.equal('2');
    });

    it('leaves scenarios as they are', async () => {
      const run = async () => {
        const scenario = {
          payment: { pay_amount: '10.00' },
          script: [{ at: '1m', do: 'transfer', coin: 'BTC', network: 'bitcoin' }],
          seed: 'a',
          ids: 'stable',
        };
        const { body } = await harness.api('post', '/v1/sandbox/scenarios').send(scenario).expect(200);
        expect(body.payment.status).to.equal('SETTLED');
        return JSON.stringify(body);
      };
      const before = await run();
      await move({ BTC: '1', ETH: '1', USDT: '0.5' }).expect(200);
      expect(await run()).to.equal(before);
    });

    it('runs once per Idempotency-Key', async () => {
      const keyed = (rates: object) => move(rates).set('Idempotency-Key', 'once');
      const { text } = await keyed({ BTC: '30000' }).expect(200);
      await move({ BTC: '20000' }).expect(200);
      const again = await keyed({ BTC: '30000' }).expect(200);
      expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([text, 'true']);
      await keyed({ BTC: '1' }).expect(409);
      expect((await move({}).expect(200)).body.rates.BTC).to.equal('20000');
    });

    it('lets requests that cross wait for each other: none is refused', async () => {
      await move({ BTC: '1', ETH: '1', SOL: '1' }).expect(200);
      const { db } = harness.ctx;
      const rates = [
        { BTC: '2', SOL: '2', ETH: null },
        { ETH: '2', SOL: '3', BTC: null },
      ];
      // Both wait behind a price that a third one moves, with the first of their own in hand.
      const tx = await db.transaction();
      await tx('sandbox_rates').where({ coin: 'SOL' }).update({ usd: '4' });
      const answers = rates.map(async (asked) => (await move(asked)).status);
      await untilWaitingForLocks(db, 2);
      await tx.commit();
      expect(await Promise.all(answers)).to.deep.equal([200, 200]);
    });

    for (const [what, rates] of [
      ['an unknown coin', { DOGE: '1' }],
      ['nothing', { BTC: '0' }],
      ['less than nothing', { BTC: '-1' }],
      ['a number', { BTC: 1 }],
      ['an exponent', { BTC: '1e5' }],
      ['more digits than a price has', { BTC: '1'.repeat(21) }],
    ] as const)
      it(`refuses ${what}, and changes nothing`, async () => {
        await move(rates).expect(400);
        expect((await move({}).expect(200)).body).to.deep.equal({ rates: SIMULATED_RATES });
      });
  });

  it('has the spread of the merchant in every coin but the settlement coin, from the next quote on', async () => {
    await setSpread(harness.ctx.db, harness.merchant.id, 250);
    const id = await shop.create();
    expect(await asked(id)).to.equal('10.50');
    await select(id);
    // 10.50 / (60,000 less 2.5 %), rounded up to eight decimals.
    expect(await asked(id)).to.equal('0.00017949');
    await shop.pay(id);
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({ amount_received: '10.5', exceptions: [] });
  });

  it('stands in each quote: who says so, and since when', async () => {
    const id = await shop.create();
    await select(id);
    expect(await evidence(id, 'BTC')).to.deep.equal({
      rated_at: harness.ctx.now(),
      rate_sources: ['simulator'],
    });
    expect(await evidence(id, 'USDC')).to.deep.equal({ rated_at: null, rate_sources: null });
  });

  describe('that has no price for a coin', () => {
    const { BTC: _BTC, ETH: _ETH, ...OTHERS } = SIMULATED_RATES;
    const away = () => ({ ...harness.adapters, rates: marketAt(() => OTHERS) });

    it('quotes nothing, and stores nothing', async () => {
      const id = await shop.create();
      expect(await select(id, 'BTC', 'bitcoin', away())).to.equal('noRate');
      expect(await evidence(id, 'BTC')).to.equal(undefined);
      expect(await select(id, 'USDT', 'ethereum', away())).to.equal('selected');
    });

    it('requotes the other payments, and asks again within a minute for this one', async () => {
      const [inBtc, inUsdt] = [await shop.create(), await shop.create()];
      await select(inBtc);
      await select(inUsdt, 'USDT', 'tron');
      harness.advance(RATE_LOCK_SECONDS);
      await requotePayments(harness.ctx, away(), [inBtc, inUsdt]);
      const due = await harness.ctx
        .db('scheduled_jobs')
        .where({ job: 'payment.requote' })
        .orderBy('run_at')
        .pluck('key');
      expect(due).to.deep.equal([inBtc, inUsdt]);
      harness.advance(60);
      await harness.work();
      expect((await evidence(inBtc, 'BTC')).rated_at).to.deep.equal(harness.ctx.now());
    });

    it('quarantines every transfer that needs it, while its network goes on', async () => {
      const ids = [await shop.create(), await shop.create()];
      for (const id of ids) await shop.send(id, { network: 'ethereum', coin: 'ETH', amount: '0.01' });
      await syncNetwork(harness.ctx, away(), 'ethereum');
      const atPar = await shop.create();
      await shop.pay(atPar);
      await syncNetwork(harness.ctx, away(), 'ethereum');
      expect((await shop.payment(atPar)).amount_received).to.equal('10.5');
      for (const id of ids) expect((await shop.payment(id)).amount_received).to.equal('0');
      await applyQuarantinedTransfers(harness.ctx, harness.adapters, ids);
      for (const id of ids) expect((await shop.payment(id)).amount_received).to.equal('30');
    });
  });
});
