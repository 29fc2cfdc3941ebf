import { expect } from 'chai';
import type { Conversion } from '../../../../src/domain/payments/lifecycle/ports.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { REFUND_FIELDS } from '../../../support/refunds.ts';
import { openAttack, type Attack } from '../../../support/attack.ts';
import { expectError } from '../../../support/http.ts';

const conversions = sql<{ number: number; coin: string; amount: string; status: string }, { id: string }>(
  'test_conversions',
  (p) => `SELECT number, coin, amount, status FROM conversions WHERE payment_id = ${p.id} ORDER BY number`,
);

describe('only confirmed money is converted and sent back', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  it('10.00 confirmed and 1,000 in the pool settle 10.00, and the 1,000 later as another conversion', async () => {
    const { harness, shop, pass } = attack;
    const references: string[] = [];
    const { exchange } = harness.adapters;
    Object.assign(harness.adapters, {
      exchange: {
        convert: (conversion: Conversion) => {
          references.push(`${conversion.reference} ${conversion.paid}`);
          return exchange.convert(conversion);
        },
      },
    });
    const id = await shop.create({ pay_amount: '10.00' });
    await shop.pay(id, { amount: '10.00' });
    await pass(11);
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '1000' });
    await pass(2);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.00' });
    expect(references).to.deep.equal([`${id}/1 10`]);
    await pass(14);
    expect(references).to.deep.equal([`${id}/1 10`, `${id}/2 1000`]);
    expect(await run(harness.ctx.db, conversions, { id })).to.deep.equal([
      { number: 1, coin: 'USDC', amount: '10', status: 'CONVERTED' },
      { number: 2, coin: 'USDC', amount: '1000', status: 'CONVERTED' },
    ]);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'funds_received PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    // Now it can be refunded as well.
    expect((await shop.refund(id, {})).amount).to.equal('1010');
  });

  it('what only the pool holds is neither converted nor refunded', async () => {
    const { harness, shop, pass } = attack;
    const id = await shop.create({ pay_amount: '10.00' });
    await shop.pay(id, { amount: '10.00' });
    await pass(14);
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '1000' });
    await pass(1);
    const answer = await harness.api('post', `/v1/payment/${id}/refund`).send({ amount: '10.01' });
    expectError(harness, answer, 400, { field: 'amount', constraint: 'maximum' });
  });
});

describe('a refund is whole units above the dust limit', () => {
  let attack: Attack;
  let id: string;
  before(async () => {
    attack = await openAttack();
    id = await attack.shop.create({ pay_amount: '10.00' });
    await attack.shop.pay(id);
    await attack.pass(14);
  });
  after(() => attack.close());

  for (const [amount, constraint] of [
    ['0.000000000000000001', 'multipleOf'],
    ['1.0000001', 'multipleOf'],
    ['0.000001', 'exclusiveMinimum'],
    ['0.001', 'exclusiveMinimum'],
  ] as const)
    it(`${amount} USDC is refused`, async () => {
      const { harness, refunds } = attack;
      const answer = await harness.api('post', `/v1/payment/${id}/refund`).send({ amount });
      expectError(harness, answer, 400, { field: 'amount', constraint });
      expect(await refunds(id)).to.deep.equal([]);
    });

  it('0.001001 USDC is paid out; the API and the event say coin, network, address and transaction', async () => {
    const { harness, shop, pass, refunds } = attack;
    const { body } = await harness
      .api('post', `/v1/payment/${id}/refund`)
      .send({ amount: '0.001001', reason: 'dust' })
      .expect(201);
    await pass(1);
    const [refund, ...others] = await refunds(id);
    if (refund === undefined) throw new Error('the refund is not listed');
    expect(others).to.deep.equal([]);
    expect(refund).to.deep.equal({ ...body, status: 'COMPLETED', tx_hash: refund.tx_hash });
    expect(Object.keys(refund)).to.deep.equal(REFUND_FIELDS);
    expect(refund).to.include({
      payment_id: id,
      amount: '0.001001',
      currency: 'USDC',
      coin: 'USDC',
      network: 'ethereum',
      coin_amount: '0.001001',
      reason: 'dust',
    });
    expect(refund.address).to.match(/^0x[0-9a-fA-F]{40}$/);
    expect(refund.tx_hash).to.match(/^0x[0-9a-f]{64}$/);
    expect((await shop.events(id)).at(-1)?.data.refund).to.deep.equal({
      id: refund.id,
      amount: '0.001001',
      currency: 'USDC',
      reason: 'dust',
      coin: 'USDC',
      network: 'ethereum',
      coinAmount: '0.001001',
      address: refund.address,
      txHash: refund.tx_hash,
    });
  });

  it("another merchant's payment has no list of refunds", async () => {
    const { apiKey } = await attack.harness.addMerchant();
    expectError(attack.harness, await attack.harness.api('get', `/v1/payment/${id}/refunds`, apiKey), 404);
  });
});
