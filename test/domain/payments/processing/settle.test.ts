import { expect } from 'chai';
import type { Conversion, CurrencyExchange } from '../../../../src/domain/payments/lifecycle/ports.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { simulatedExchange } from '../../../../src/domain/adapters.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import type { Shop } from '../../../support/shop.ts';
import { leaseAll } from '../../../support/lease.ts';
import type { Harness } from '../../../support/harness.ts';
import { eachShop } from '../../../support/each-shop.ts';

const CONFIRMATIONS = 12;

describe('settlement', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    // The reconciler runs now, so that it cannot repair later what the tests assert.
    await harness.work();
  });

  /** Creates `count` payments that are confirmed in full, in the selected coin. */
  const processing = async (count: number, coin: 'USDC' | 'ETH' = 'USDC') => {
    const ids = await Promise.all(Array.from({ length: count }, () => shop.create()));
    for (const id of ids) await shop.pay(id, { coin });
    await confirm();
    return ids;
  };
  const confirm = async () => {
    await shop.chain.mine('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  };
  /** Leases the due settlements, as a run does. */
  const lease = () => {
    const now = harness.ctx.now();
    return leaseAll(harness.ctx.db, now, addSeconds(now, 30), new Set(['payment.settle']));
  };

  it('converts all money received, once per payment, under its id and the number of the conversion', async () => {
    const [id = ''] = await processing(1, 'ETH');
    const asked: Conversion[] = [];
    const convert = (conversion: Conversion) => {
      asked.push(conversion);
      return Promise.resolve('converted' as const);
    };
    await settlePayments(harness.ctx, { exchange: { convert } }, [id]);
    await settlePayments(harness.ctx, { exchange: { convert } }, [id]);
    expect(asked).to.deep.equal([
      {
        reference: `${id}/1`,
        paid: '0.0035',
        paidCurrency: 'ETH',
        paidNetwork: 'ethereum',
        settled: '10.5',
        settledCurrency: 'USDC',
      },
    ]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '0.0035' });
  });

  it('by two workers at once settles each payment once', async () => {
    const ids = await processing(30);
    await Promise.all([
      settlePayments(harness.ctx, { exchange: simulatedExchange }, ids),
      settlePayments(harness.ctx, { exchange: simulatedExchange }, ids.toReversed()),
    ]);
    for (const id of ids)
      expect((await shop.story(id)).filter((step) => step.startsWith('settled'))).to.have.length(1);
  });

  it('of a batch fails the refused conversions and settles the others', async () => {
    const [refused = '', other = ''] = await processing(2);
    const exchange: CurrencyExchange = {
      convert: ({ reference }) => Promise.resolve(reference === `${refused}/1` ? 'refused' : 'converted'),
    };
    await settlePayments(harness.ctx, { exchange }, [refused, other]);
    expect((await shop.payment(refused)).status).to.equal('FAILED');
    expect((await shop.payment(other)).status).to.equal('SETTLED');
  });

  it('changes nothing when the currency exchange is unreachable', async () => {
    const [id = ''] = await processing(1);
    const failure = settlePayments(
      harness.ctx,
      { exchange: { convert: () => Promise.reject(new Error('away')) } },
      [id],
    );
    expect(await failure.catch((error: Error) => error.message)).to.equal('away');
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('SETTLED');
  });

  it('holds no transaction during the conversion', async () => {
    const [id = ''] = await processing(1);
    const exchange: CurrencyExchange = {
      async convert() {
        // The payment's row is not locked meanwhile.
        await harness.ctx.db.raw(
          `SET LOCAL lock_timeout = 100; UPDATE payments SET fully_funded = fully_funded WHERE id = '${id}'`,
        );
        return 'converted';
      },
    };
    await settlePayments(harness.ctx, { exchange }, [id]);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
  });

  it('of a payment whose block is reorganised meanwhile does not happen', async () => {
    const [id = ''] = await processing(1);
    const exchange: CurrencyExchange = {
      async convert() {
        await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
        await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
        return 'converted';
      },
    };
    await settlePayments(harness.ctx, { exchange }, [id]);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', actually_paid: null, settled_at: null });
    await shop.mine(CONFIRMATIONS);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
  });

  it('that began before a payment returned to PROCESSING does not remove its new job', async () => {
    const [id = ''] = await processing(1);
    const other = await shop.create();
    await shop.pay(other, { coin: 'USDT', network: 'tron' });
    await shop.chain.mine('tron', 20, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'tron');
    expect(await lease()).to.have.length(2);
    await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    // It passes over the first, which waits for its block; while it asks for the other one, the first is
    // confirmed again.
    const exchange: CurrencyExchange = {
      async convert() {
        await confirm();
        return 'converted';
      },
    };
    await settlePayments(harness.ctx, { exchange }, [id, other]);
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('SETTLED');
  });
});
