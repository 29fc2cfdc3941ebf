import { expect } from 'chai';
import {
  findByToken,
  findChanged,
  type CheckoutPayment,
} from '../../../../src/domain/checkout/view/store.ts';
import { viewOf } from '../../../../src/domain/checkout/view/view.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { createPayment, type Payment } from '../../../support/http.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const MANY = 20_000;
const OPEN = 100;

describe('the view of an open page', () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await harness.work();
  });
  after(() => harness.close());

  const pageOf = async (token: string): Promise<CheckoutPayment> => {
    const payment = await findByToken(harness.ctx.db, token);
    if (payment === null) throw new Error(`no payment at ${token}`);
    return payment;
  };
  /** The progress in words; also asserts that the open page is found as changed. */
  const progress = async (before: CheckoutPayment) => {
    const page = await pageOf(before.token_id);
    const { state, confirmations, requiredConfirmations } = viewOf(page, harness.ctx.now());
    const changed = await findChanged(harness.ctx.db, [before]);
    expect(changed.map(({ version }) => version)).to.deep.equal([page.version]);
    return { page, text: `${state} ${confirmations}/${requiredConfirmations}` };
  };

  it('counts confirmations block by block, though the row changes only with a transfer', async () => {
    const { id, token_id } = await createPayment(harness);
    let page = await pageOf(token_id);
    const texts: string[] = [];
    const record = async () => {
      const now = await progress(page);
      page = now.page;
      texts.push(now.text);
    };
    await shop.pay(id);
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    await record();
    const written = new Set<number>();
    for (let block = 1; block <= 11; block += 1) {
      await shop.mine(1);
      await record();
      written.add((await shop.payment(id)).confirmations);
    }
    expect(texts).to.deep.equal([
      'seen 0/12',
      ...Array.from({ length: 11 }, (_, block) => `confirming ${block + 1}/12`),
    ]);
    expect([...written], 'no write for each block').to.deep.equal([1]);
    await shop.mine(1);
    await record();
    expect(texts.at(-1)).to.match(/^(converting|settled) 12\/12$/);
  });

  it('counts the blocks of a payment’s own test clock, not those of the shared chain', async () => {
    const { id, token_id } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '37s' }).expect(200);
    await harness.work();
    const page = await pageOf(token_id);
    expect(page.test_clock).to.equal(id);
    const { confirmations } = page;
    expect(confirmations).to.be.at.least(1);
    await shop.mine(5);
    expect(await findChanged(harness.ctx.db, [page])).to.deep.equal([]);
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '12s' }).expect(200);
    await harness.work();
    const [after] = await findChanged(harness.ctx.db, [page]);
    expect(after?.confirmations).to.be.within(confirmations + 1, 11);
  });

  it('does not change with blocks before the payment is fully funded', async () => {
    const { id, token_id } = await createPayment(harness);
    await shop.pay(id, { amount: '4' });
    await shop.mine(1);
    const page = await pageOf(token_id);
    await shop.mine(1);
    expect(await findChanged(harness.ctx.db, [page])).to.deep.equal([]);
  });

  it(`is read by keys, whichever plan Postgres chooses: ${OPEN} open pages of ${MANY} payments`, async () => {
    const payment = await createPayment(harness);
    await multiply(harness, payment);
    const ids = Array.from({ length: OPEN }, (_, i) => `pay_01KF${String(i * 151 + 1).padStart(22, '0')}`);
    const read = (tx: Parameters<typeof findChanged>[0]) =>
      findChanged(
        tx,
        ids.map((id) => ({ id, version: null })),
      );
    expect(await read(harness.ctx.db)).to.have.lengthOf(OPEN);
    const plans = await explain(harness.ctx.db, read);
    expect(plans).to.have.lengthOf(2);
    for (const plan of plans)
      for (const table of ['payments', 'quotes', 'transfers', 'chain_cursors', 'refunds', 'refund_addresses'])
        // Refunds are in the version of a page, and on it.
        expect(rowsRead(plan, table), `${table}: ${plan}`).to.be.at.most(
          table === 'refunds' ? 2 * OPEN : OPEN,
        );
  });
});

/** Copies the payment many times, with quote and, for every third, a transfer that waits for blocks. */
async function multiply({ ctx }: Harness, { id }: Payment): Promise<void> {
  const suffix = `lpad(i::text, 22, '0')`;
  const copy = (table: string, changed: string, where: string) =>
    ctx.db.raw(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object(${changed}))).*
       FROM ${table} r, generate_series(1, ${MANY}) AS i WHERE r.${where} = '${id}'`,
    );
  await copy(
    'payments',
    `'id', 'pay_01KF' || ${suffix}, 'token_id', 'copy' || i, 'fully_funded', i % 3 = 0`,
    'id',
  );
  await copy('quotes', `'payment_id', 'pay_01KF' || ${suffix}, 'address', '0x' || ${suffix}`, 'payment_id');
  await ctx.db.raw(
    `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, credit, seen_at, block_height)
     SELECT 'pay_01KF' || ${suffix}, 'ethereum', 'copy' || i, 'USDC', 1, 1, now(), 1
     FROM generate_series(3, ${MANY}, 3) AS i`,
  );
  await ctx.db.raw(
    `INSERT INTO refunds (id, payment_id, amount, currency, source, coin, network, coin_amount, status, created_at)
     SELECT 'ref_01KF' || ${suffix}, 'pay_01KF' || ${suffix}, '1', 'USDC', 'held', 'USDC', 'ethereum', '1',
       'NEEDS_ADDRESS', now()
     FROM generate_series(1, ${MANY}) AS i`,
  );
  await ctx.db.raw(
    `INSERT INTO refund_addresses (payment_id, network, address)
     SELECT 'pay_01KF' || ${suffix}, 'ethereum', '0x' FROM generate_series(1, ${MANY}) AS i`,
  );
  // Each test payment with an isolated test clock has cursors of its own.
  await ctx.db.raw(
    `INSERT INTO chain_cursors (chain, cursor, head)
     SELECT 'ethereum/pay_01KF' || ${suffix}, '0', 0 FROM generate_series(1, ${MANY}) AS i`,
  );
  await ctx.db.raw('ANALYZE');
}
