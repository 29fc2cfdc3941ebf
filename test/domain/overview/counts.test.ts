import { expect } from 'chai';
import { countOnce, forgetAllCounts, sweepCounts } from '../../../src/domain/overview/counts/count.ts';
import { readCounts, type CoinCounts } from '../../../src/domain/overview/counts/read.ts';
import { halfSettled, SETTLE_BOUNDS } from '../../../src/domain/overview/counts/settle-times.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { BEGIN, createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';

const DAY = 86_400;

describe('what is counted of payments', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  afterEach(() => harness.close());

  /** By day of UTC, from that of BEGIN on. */
  const read = async (days: number, merchantId = harness.merchant.id) => {
    const first = new Date(BEGIN.toISOString().slice(0, 10));
    const bounds = Array.from({ length: days + 1 }, (_, i) => addSeconds(first, i * DAY));
    const { parts, isWhole } = await readCounts(harness.ctx, merchantId, bounds);
    expect(isWhole).to.equal(true);
    return Array.from({ length: days }, (_, part) => parts.get(part) ?? []);
  };
  const numbers = (counts: readonly CoinCounts[]) =>
    counts.map(({ coin, created, created_settled, settled, volume }) => [
      coin,
      created,
      created_settled,
      settled,
      volume,
    ]);
  const rows = async () =>
    (await harness.ctx.db('payment_counts').select<{ quarter: Date }[]>('quarter')).length;
  /** What workers have counted meanwhile is forgotten: then reading counts everything itself. */
  const forget = () => harness.ctx.db.transaction(forgetAllCounts);

  /** One that settles on the next day, one that settles at once, and one that nobody pays. */
  const threePayments = async () => {
    const late = await createPayment(harness, { pay_amount: '10.50', expiration_minutes: 1_440 });
    await createPayment(harness, { pay_amount: '3' });
    harness.advance(DAY / 2);
    await pay(harness, late.id);
    const quick = await createPayment(harness, { pay_amount: '0.25' });
    await pay(harness, quick.id);
  };

  it('is the same before the job has counted it, after it, and in between', async () => {
    await threePayments();
    await forget();
    const before = await read(2);
    expect(before.map(numbers)).to.deep.equal([[['USDC', 2, 1, 0, '0']], [['USDC', 1, 1, 2, '10.75']]]);
    expect(await countOnce(harness.ctx)).to.be.greaterThan(5);
    expect(await read(2)).to.deep.equal(before);
    expect(await rows()).to.equal(2);
    const { id } = await createPayment(harness, { pay_amount: '1' });
    await pay(harness, id);
    expect((await read(2)).map(numbers)).to.deep.equal([
      [['USDC', 2, 1, 0, '0']],
      [['USDC', 2, 2, 3, '11.75']],
    ]);
  });

  it('says how long half of those took that settled', async () => {
    await threePayments();
    const [, second] = await read(2);
    const times = second?.[0]?.times ?? [];
    expect(times).to.have.lengthOf(SETTLE_BOUNDS.length + 1);
    expect(times.reduce((sum, one) => sum + one, 0)).to.equal(2);
    // One took seconds, the other more than 12 hours.
    expect(times[SETTLE_BOUNDS.indexOf(86_400)]).to.equal(1);
    expect(halfSettled(times)?.withinSeconds).to.be.at.most(60);
  });

  it('is counted once, however many run at the same moment, and once more where there is more', async () => {
    await threePayments();
    await forget();
    const before = await read(2);
    await Promise.all([1, 2, 3, 4].map(() => countOnce(harness.ctx)));
    await countOnce(harness.ctx);
    expect(await read(2)).to.deep.equal(before);
    expect(await countOnce(harness.ctx)).to.equal(0);
  });

  it('is left to another run while that counts it, and nobody waits', async () => {
    await createPayment(harness);
    await countOnce(harness.ctx);
    await createPayment(harness);
    await harness.ctx.db.transaction(async (tx) => {
      await tx('payment_count_positions').where({ merchant_id: harness.merchant.id }).forUpdate().select();
      expect(await countOnce(harness.ctx)).to.equal(0);
    });
    expect(await countOnce(harness.ctx)).to.equal(1);
    expect((await read(1)).map(numbers)).to.deep.equal([[['USDC', 2, 0, 0, '0']]]);
  });

  it('is not lost where a transaction commits that began before another one was counted', async () => {
    const { db } = harness.ctx;
    const first = await createPayment(harness);
    const open = await db.transaction();
    await open.raw(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, '{"id":"pay_00000000000000000000000001","token_id":"t"}')).*
       FROM payments p WHERE id = ?`,
      [first.id],
    );
    await open.raw(
      `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at, txid)
       SELECT 'evt_00000000000000000000000001', 'pay_00000000000000000000000001', merchant_id, 1, type, body,
         created_at, pg_current_xact_id() FROM events WHERE payment_id = ?`,
      [first.id],
    );
    await createPayment(harness);
    await countOnce(harness.ctx);
    expect((await read(1)).map(numbers)).to.deep.equal([[['USDC', 2, 0, 0, '0']]]);
    await open.commit();
    expect((await read(1)).map(numbers)).to.deep.equal([[['USDC', 3, 0, 0, '0']]]);
    await countOnce(harness.ctx);
    expect((await read(1)).map(numbers)).to.deep.equal([[['USDC', 3, 0, 0, '0']]]);
    expect(await countOnce(harness.ctx)).to.equal(0);
  });

  it("is a merchant's own, in its own coin", async () => {
    const other = await harness.addMerchant({ currency: 'USDT', network: 'tron' });
    await createPayment(harness, {}, other.apiKey);
    await createPayment(harness);
    for (const counts of [() => Promise.resolve(0), () => countOnce(harness.ctx)]) {
      await counts();
      expect((await read(1)).map(numbers)).to.deep.equal([[['USDC', 1, 0, 0, '0']]]);
      expect((await read(1, other.id)).map(numbers)).to.deep.equal([[['USDT', 1, 0, 0, '0']]]);
    }
  });

  it('is counted again after a restore, when the feed begins a new epoch', async () => {
    await threePayments();
    await countOnce(harness.ctx);
    const before = await read(2);
    await forget();
    expect(await rows()).to.equal(0);
    expect(await read(2)).to.deep.equal(before);
    await countOnce(harness.ctx);
    expect(await read(2)).to.deep.equal(before);
  });

  it('is kept for 100 days', async () => {
    await createPayment(harness);
    await countOnce(harness.ctx);
    harness.advance(99 * DAY);
    expect(await sweepCounts(harness.ctx)).to.equal(0);
    harness.advance(2 * DAY);
    expect(await sweepCounts(harness.ctx)).to.equal(1);
    expect(await rows()).to.equal(0);
  });

  it('says that it is not whole where more came than a page counts', async () => {
    const { id } = await createPayment(harness);
    await harness.ctx.db.raw(
      `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at, txid)
       SELECT 'evt_' || lpad(i::text, 26, '0'), payment_id, merchant_id, i, 'checkout.pending', body, created_at, txid
       FROM events, generate_series(2, 10000) i WHERE payment_id = ?`,
      [id],
    );
    const bounds = [new Date('2026-01-31'), new Date('2026-02-01')];
    expect((await readCounts(harness.ctx, harness.merchant.id, bounds)).isWhole).to.equal(false);
    expect(await countOnce(harness.ctx)).to.be.at.least(10_000);
    const { isWhole, parts } = await readCounts(harness.ctx, harness.merchant.id, bounds);
    expect(isWhole).to.equal(true);
    expect(parts.get(0)?.[0]?.created).to.equal(1);
  });
});
