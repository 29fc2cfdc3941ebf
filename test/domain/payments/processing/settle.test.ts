import { expect } from 'chai';
import type { Conversion, CurrencyExchange } from '../../../../src/domain/payments/lifecycle/ports.ts';
import { syncNetwork } from '../../../../src/domain/payments/processing/sync-network.ts';
import { simulatedExchange } from '../../../../src/domain/adapters.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { leaseDue } from '../../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { checkBooks } from '../../../support/books.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const CONFIRMATIONS = 12;

describe('settlement', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    // The reconciler has its turn now: it must not mend what the tests want to see.
    await harness.work();
  });
  afterEach(async () => {
    try {
      await checkBooks(harness.ctx.db);
    } finally {
      await harness.close();
    }
  });

  /** So many payments that are confirmed in full, in the coin that they are told to be paid in. */
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
  /** Hands the due settlements over, as a relay does. */
  const handOver = () =>
    leaseDue(
      harness.ctx.db,
      new Map([['payment.settle', 100]]),
      harness.ctx.now(),
      addSeconds(harness.ctx.now(), 30),
    );

  it('converts all that came, once per payment and with the payment as the reference', async () => {
    const [id = ''] = await processing(1, 'ETH');
    const asked: Conversion[] = [];
    const convert = (conversion: Conversion) => {
      asked.push(conversion);
      return Promise.resolve('converted' as const);
    };
    await settlePayments(harness.ctx, { exchange: { convert } }, [id]);
    await settlePayments(harness.ctx, { exchange: { convert } }, [id]);
    expect(asked).to.deep.equal([
      { reference: id, paid: '0.0035', paidCurrency: 'ETH', settled: '10.5', settledCurrency: 'USDC' },
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

  it('of some that are refused fails those and settles the others', async () => {
    const [refused = '', other = ''] = await processing(2);
    const exchange: CurrencyExchange = {
      convert: ({ reference }) => Promise.resolve(reference === refused ? 'refused' : 'converted'),
    };
    await settlePayments(harness.ctx, { exchange }, [refused, other]);
    expect((await shop.payment(refused)).status).to.equal('FAILED');
    expect((await shop.payment(other)).status).to.equal('SETTLED');
  });

  it('leaves everything as it was when the exchange cannot be reached', async () => {
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

  it('holds no transaction while the exchange takes its time', async () => {
    const [id = ''] = await processing(1);
    const exchange: CurrencyExchange = {
      async convert() {
        // The payment's row can be written meanwhile: nobody holds its lock.
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

  it('that began before a payment came back to PROCESSING does not take its new due work away', async () => {
    const [id = ''] = await processing(1);
    const other = await shop.create();
    await shop.pay(other, { coin: 'USDT', network: 'tron' });
    await shop.chain.mine('tron', 20, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'tron');
    expect(await handOver()).to.have.length(2);
    await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    // It passes over the first, which waits for its block; while it asks for the other one, the first is confirmed again.
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
