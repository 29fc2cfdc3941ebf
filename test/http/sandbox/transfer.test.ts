import { expect } from 'chai';
import { countRows, createPayment, expectError, expectLimitHeaders } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/sandbox/payments/:id/transfers', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const transfer = (id: string, body?: object) => {
    const request = harness.api('post', `/v1/sandbox/payments/${id}/transfers`);
    return body === undefined ? request : request.send(body);
  };
  const received = async (id: string): Promise<unknown> => {
    await harness.work();
    return (await harness.api('get', `/v1/payment/${id}`).expect(200)).body.amount_received;
  };

  it('amount, coin and network are optional: by default the full amount in the settlement coin', async () => {
    const { id } = await createPayment(harness);
    const answer = await transfer(id).expect(201);
    expect(answer.body).to.include({ payment_id: id, coin: 'USDC', network: 'ethereum', amount: '10.50' });
    expect(answer.body.tx_hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(answer.body.address).to.match(/^0x[0-9a-fA-F]{40}$/);
    expect(answer.body.sent_at).to.equal(harness.ctx.now().toISOString());
    expect(Object.keys(answer.body)).to.deep.equal([
      'payment_id',
      'tx_hash',
      'coin',
      'network',
      'address',
      'amount',
      'sent_at',
    ]);
    expectLimitHeaders(answer);
    expect(await received(id)).to.equal('10.50');
  });

  it('amount defaults to the missing amount', async () => {
    const { id } = await createPayment(harness);
    expect((await transfer(id, { amount: '4.25' }).expect(201)).body.amount).to.equal('4.25');
    expect(await received(id)).to.equal('4.25');
    expect((await transfer(id, {}).expect(201)).body.amount).to.equal('6.25');
    expect(await received(id)).to.equal('10.50');
  });

  it('a coin alone selects a network on which it exists, and a network alone a coin', async () => {
    const { id } = await createPayment(harness);
    expect((await transfer(id, { coin: 'BTC' }).expect(201)).body).to.include({ network: 'bitcoin' });
    const other = await createPayment(harness);
    expect((await transfer(other.id, { network: 'solana' }).expect(201)).body).to.include({ coin: 'USDC' });
    const third = await createPayment(harness);
    const { body } = await transfer(third.id, { network: 'tron' }).expect(201);
    expect(body.coin).to.be.oneOf(['USDT', 'TRX']);
    const fourth = await createPayment(harness);
    const both = await transfer(fourth.id, { coin: 'ETH', network: 'ethereum' }).expect(201);
    expect(both.body).to.include({ coin: 'ETH', network: 'ethereum' });
    expect(await received(fourth.id)).to.equal('10.50');
  });

  it('a coin that does not exist on the network: 400, and nothing stored', async () => {
    const { id } = await createPayment(harness);
    const before_ = await countRows(harness);
    const answer = await transfer(id, { coin: 'BTC', network: 'tron' });
    expectError(harness, answer, 400, { field: 'network', constraint: 'enum' });
    expect(answer.body.message).to.include('bitcoin');
    expect(await countRows(harness)).to.deep.equal(before_);
  });

  it('an amount with more decimals than the coin has: 400, and nothing stored', async () => {
    const { id } = await createPayment(harness);
    const before_ = await countRows(harness);
    for (const [body, decimals] of [
      [{ amount: '0.000000000000000001' }, 6],
      [{ amount: '10.5000001' }, 6],
      [{ amount: '0.000000001', coin: 'BTC' }, 8],
    ] as const) {
      const answer = await transfer(id, body);
      expectError(harness, answer, 400, { field: 'amount', constraint: 'multipleOf' });
      expect(answer.body.message).to.include(`at most ${decimals} decimals`);
    }
    expect(await countRows(harness)).to.deep.equal(before_);
    const exact = { amount: '0.000000000000000001', coin: 'ETH', network: 'ethereum' };
    expect((await transfer(id, exact).expect(201)).body.amount).to.equal(exact.amount);
    expect((await transfer(id, { amount: '1.500000000' }).expect(201)).body.amount).to.equal('1.500000000');
  });

  it('the default amount of a price with more decimals than its coin is rounded up', async () => {
    const { id } = await createPayment(harness, { pay_amount: '19.123456789' });
    expect((await transfer(id).expect(201)).body.amount).to.equal('19.123457');
  });
});
