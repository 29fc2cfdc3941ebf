import { expect } from 'chai';
import supertest from 'supertest';
import { simulatedChain } from '../../../src/domain/chain/simulator/simulated.ts';
import { giveRefundAddress, REFUND_FIELDS } from '../../support/refunds.ts';
import { countRows, createPayment, expectError, expectLimitHeaders, pay } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
type Listed = Record<string, string | null>;

const MAXIMUM = { field: 'amount', constraint: 'maximum' };

describe('contract: POST /v1/payment/:id/refund', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  after(() => harness.close());

  const refund = (id: string, body?: object) => {
    const request = harness.api('post', `/v1/payment/${id}/refund`);
    return body === undefined ? request : request.send(body);
  };
  const settled = async (): Promise<string> => {
    const { id } = await createPayment(harness);
    await pay(harness, id);
    return id;
  };
  const refunds = async (id: string): Promise<{ data: Listed[] }> =>
    (await harness.api('get', `/v1/payment/${id}/refunds`).expect(200)).body;
  /** The simulated wallet that the money of a payment came from. */
  const senderOf = async (id: string): Promise<string | null> => {
    const [address]: (string | null)[] = await harness.ctx
      .db('transfers')
      .where({ payment_id: id })
      .pluck('sender');
    return address ?? null;
  };
  const read = async (id: string) => (await harness.api('get', `/v1/payment/${id}`).expect(200)).body;

  it('returns 201 with the whole refund, in its order', async () => {
    const id = await settled();
    const answer = await refund(id, { amount: '1.0', reason: 'broken' }).expect(201);
    expect(answer.body.id).to.match(/^ref_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.body).to.deep.equal({
      id: answer.body.id,
      payment_id: id,
      amount: '1.0',
      currency: 'USDC',
      status: 'PENDING',
      created_at: harness.ctx.now().toISOString(),
      coin: 'USDC',
      network: 'ethereum',
      coin_amount: '1.0',
      address: answer.body.address,
      tx_hash: null,
      reason: 'broken',
    });
    expect(answer.body.address)
      .to.equal(await senderOf(id))
      .and.to.be.a('string');
    expect(Object.keys(answer.body)).to.deep.equal(REFUND_FIELDS);
    expectLimitHeaders(answer);
  });

  it('everything is optional: without a body refunds the rest, as it was written', async () => {
    const id = await settled();
    expect((await refund(id).expect(201)).body.amount).to.equal('10.50');
    await harness.work();
    expect(await read(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.50' });
  });

  it('an empty object refunds the rest after a partial refund', async () => {
    const id = await settled();
    await refund(id, { amount: '0.5' }).expect(201);
    expect((await refund(id, {}).expect(201)).body.amount).to.equal('10');
    await harness.work();
    expect(await read(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.50' });
  });

  it('a partial refund leaves the payment SETTLED', async () => {
    const id = await settled();
    await refund(id, { amount: '0.001001' }).expect(201);
    await harness.work();
    expect(await read(id)).to.include({ status: 'SETTLED', amount_refunded: '0.001001' });
  });

  it('what its coin cannot carry, or no more than its dust limit: 400 on amount, and nothing stored', async () => {
    const id = await settled();
    const before_ = await countRows(harness);
    const unsendable = { field: 'amount', constraint: 'multipleOf' };
    const dust = { field: 'amount', constraint: 'exclusiveMinimum' };
    for (const amount of ['0.000000000000000001', '1.0000001'])
      expectError(harness, await refund(id, { amount }), 400, unsendable);
    for (const amount of ['0.001', '0.000001']) expectError(harness, await refund(id, { amount }), 400, dust);
    expect(await countRows(harness)).to.deep.equal(before_);
  });

  it('goes to the address of the request, on the network of the refund', async () => {
    const id = await settled();
    const { body } = await refund(id, { amount: '1', address: MINE }).expect(201);
    expect(body).to.include({ status: 'PENDING', address: MINE });
    await harness.work();
    const [listed] = (await refunds(id)).data;
    expect(listed).to.include({ id: body.id, status: 'COMPLETED', address: MINE });
    expect(listed?.tx_hash).to.match(/^0x[0-9a-f]{64}$/);
  });

  it('an address that cannot take the money: 400 on address, and nothing stored', async () => {
    const id = await settled();
    const own = simulatedChain(harness.ctx);
    const before_ = await countRows(harness);
    for (const address of [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      `${MINE.slice(0, -1)}D`,
      own.derive('ethereum', { id }),
      own.derive('polygon', { id }),
      // A token's contract: what is sent there is lost.
      '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    ])
      expectError(harness, await refund(id, { address }), 400, { field: 'address', constraint: 'format' });
    expect(await countRows(harness)).to.deep.equal(before_);
  });

  it('lists all refunds of a payment, newest first; of another merchant: 404', async () => {
    const id = await settled();
    expect(await refunds(id)).to.deep.equal({ data: [], refund_address: null });
    const first = (await refund(id, { amount: '1' }).expect(201)).body;
    await harness.work();
    harness.advance(1);
    const second = (await refund(id, { amount: '2', reason: 'again' }).expect(201)).body;
    const { data } = await refunds(id);
    expect(data[0]).to.deep.equal(second);
    expect(data[1]).to.deep.equal({ ...first, status: 'COMPLETED', tx_hash: data[1]?.tx_hash });
    expect(data[1]?.tx_hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(data).to.have.length(2);
    const { apiKey } = await harness.addMerchant();
    expectError(harness, await harness.api('get', `/v1/payment/${id}/refunds`, apiKey), 404);
  });

  it('an EXPIRED payment goes back in the coins that came; money of two senders needs an address', async () => {
    const { id, token_id } = await createPayment(harness, { expiration_minutes: 5 });
    await pay(harness, id, { amount: '2', coin: 'USDC', network: 'polygon' });
    await pay(harness, id, { amount: '0.00002', coin: 'BTC', network: 'bitcoin' });
    harness.advance(300);
    await harness.work();
    const { body } = await refund(id).expect(201);
    const { data } = await refunds(id);
    const listed = data.map(
      ({ status, coin, network, amount, coin_amount, address }) =>
        [status, coin, network, coin_amount, amount, address] as const,
    );
    expect(data.map(({ id: one }) => one)).to.include(body.id);
    expect(listed).to.have.deep.members([
      ['NEEDS_ADDRESS', 'USDC', 'polygon', '2', '2', null],
      ['NEEDS_ADDRESS', 'BTC', 'bitcoin', '0.00002', '1.2', null],
    ]);
    const page = async () => (await supertest(harness.app).get(`/checkout/${token_id}`)).text;
    const addresses: Record<string, string> = { Polygon: MINE, Bitcoin: BITCOIN };
    for (let asked = 0; asked < 2; asked += 1) {
      const [, network = ''] = /Your <bdi dir="ltr">(\w+)<\/bdi> address for/.exec(await page()) ?? [];
      const given = addresses[network] ?? '';
      expect(await giveRefundAddress(harness.ctx, harness.adapters, token_id, given)).to.equal('saved');
      await harness.work();
      expect(await read(id)).to.include({ status: 'REFUNDED' });
    }
    expect(await page()).to.not.include('name="address"');
    expect((await refunds(id)).data.map(({ status, address }) => [status, address])).to.have.deep.members([
      ['COMPLETED', MINE],
      ['COMPLETED', BITCOIN],
    ]);
    expect(await read(id)).to.include({ amount_received: '3.2', amount_refunded: '3.2' });
  });

  it('more than what is left: 400 on amount, and nothing stored', async () => {
    const id = await settled();
    const before_ = await countRows(harness);
    expectError(harness, await refund(id, { amount: '10.500000000000000001' }), 400, MAXIMUM);
    expect(await countRows(harness)).to.deep.equal(before_);
    await refund(id, { amount: '10' }).expect(201);
    expectError(harness, await refund(id, { amount: '0.51' }), 400, MAXIMUM);
    await refund(id, { amount: '0.5' }).expect(201);
    // The whole amount is pending, and the payment is still SETTLED.
    expectError(harness, await refund(id, { amount: '0.01' }), 400, MAXIMUM);
    expectError(harness, await refund(id), 409);
    await harness.work();
    expectError(harness, await refund(id, { amount: '0.01' }), 409);
  });

  it('a status that does not allow it: 409, and nothing stored', async () => {
    const states: [status: string, id: string][] = [];
    states.push(['WAITING', (await createPayment(harness)).id]);
    const { id: pending } = await createPayment(harness);
    await harness.api('post', `/v1/sandbox/payments/${pending}/transfers`).send({}).expect(201);
    await harness.work();
    states.push(['PENDING', pending]);
    for (const [status, id] of states) {
      expect((await read(id)).status).to.equal(status);
      const before_ = await countRows(harness);
      expectError(harness, await refund(id), 409);
      expectError(harness, await refund(id, { amount: '1' }), 409);
      expectError(harness, await refund(id, { amount: '1000' }), 409);
      expect(await countRows(harness)).to.deep.equal(before_);
    }
  });

  it('EXPIRED without money: 409; with money, in full only', async () => {
    const empty = await createPayment(harness, { expiration_minutes: 5 });
    const underpaid = await createPayment(harness, { expiration_minutes: 5 });
    await pay(harness, underpaid.id, { amount: '4' });
    harness.advance(300);
    await harness.work();
    for (const { id } of [empty, underpaid]) expect((await read(id)).status).to.equal('EXPIRED');
    expectError(harness, await refund(empty.id), 409);
    expectError(harness, await refund(empty.id, { amount: '1' }), 409);
    expectError(harness, await refund(underpaid.id, { amount: '1' }), 409);
    expectError(harness, await refund(underpaid.id, { amount: '5' }), 400, MAXIMUM);
    expect((await refund(underpaid.id).expect(201)).body.amount).to.equal('4');
    expectError(harness, await refund(underpaid.id, { amount: '4' }), 409);
    await harness.work();
    expect(await read(underpaid.id)).to.include({ status: 'REFUNDED', amount_refunded: '4' });
    expectError(harness, await refund(underpaid.id), 409);
  });

  it('of 20 at once, each for more than half, one is accepted', async () => {
    const id = await settled();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(id, { amount: '6' })));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectError(harness, answer, 400, MAXIMUM);
  });
});
