import { expect } from 'chai';
import { countRows, createPayment, expectError, expectLimitHeaders } from '../../support/http.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { NOBODY } from '../../support/simulator.ts';

describe('POST /v1/sandbox/payments/:id/replace', () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
  });
  after(() => harness.close());

  const replace = (id: string, body?: object) => {
    const request = harness.api('post', `/v1/sandbox/payments/${id}/replace`);
    return body === undefined ? request : request.send(body);
  };
  const paid = async (...amounts: string[]) => {
    const id = await shop.create();
    const sent = [];
    for (const amount of amounts) {
      sent.push(await shop.pay(id, { amount }));
      await harness.work();
    }
    return { id, sent };
  };

  it('spends the transfer elsewhere: the payment fails as replaced', async () => {
    const { id, sent } = await paid('10.50');
    const answer = await replace(id).expect(200);
    expect(answer.body).to.include({
      payment_id: id,
      tx_hash: sent[0]?.tx_hash,
      coin: 'USDC',
      network: 'ethereum',
      amount: '10.50',
      replaced_at: harness.ctx.now().toISOString(),
    });
    expect(answer.body.replaced_by)
      .to.match(/^0x[0-9a-f]{64}$/)
      .and.not.equal(sent[0]?.tx_hash);
    expect(Object.keys(answer.body)).to.deep.equal([
      'payment_id',
      'tx_hash',
      'coin',
      'network',
      'amount',
      'replaced_by',
      'replaced_at',
    ]);
    expectLimitHeaders(answer);
    await harness.work();
    expect(await shop.story(id)).to.deep.equal(['created WAITING', 'pending PENDING', 'failed FAILED']);
    expect((await shop.payment(id)).exceptions).to.deep.equal(['replaced']);
  });

  it('spends one of two transfers elsewhere: the payment waits for the rest, and settles with it', async () => {
    const { id, sent } = await paid('4.00', '6.50');
    await replace(id, { transfer: 2 }).expect(200);
    await harness.work();
    const waiting = await shop.payment(id);
    expect(waiting).to.include({ status: 'PENDING', fully_funded: false, tx_hash: sent[0]?.tx_hash });
    expect(waiting.amount_received).to.match(/^4(\.0+)?$/);
    expect(waiting.exceptions).to.deep.equal(['replaced', 'underpaid']);
    expect((await shop.pay(id)).amount).to.equal('6.5');
    await harness.work();
    await shop.mine(12);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    expect((await shop.payment(id)).exceptions).to.deep.equal(['replaced']);
  });

  it('speed_up pays the same address instead, with the same money from the same sender', async () => {
    const { id, sent } = await paid('4.00', '6.50');
    const answer = await replace(id, { transfer: 1, speed_up: true }).expect(200);
    expect(answer.body).to.include({ payment_id: id, tx_hash: sent[0]?.tx_hash, amount: '4.00' });
    const { transfers } = await shop.chain.poll('ethereum', null, NOBODY, harness.ctx.now());
    const [old, replacement] = [answer.body.tx_hash, answer.body.replaced_by].map((hash) =>
      transfers.find(({ txHash }) => txHash === hash),
    );
    expect(old).to.deep.include({ replacedBy: replacement?.txHash, droppedAt: harness.ctx.now() });
    expect(replacement).to.deep.equal({
      ...old,
      txHash: answer.body.replaced_by,
      seenAt: harness.ctx.now(),
      droppedAt: null,
      replacedBy: null,
      reason: null,
    });
    expect(old?.sender).to.match(/^0x[0-9a-f]{40}$/);
    expectError(harness, await replace(id, { speed_up: 'yes' }), 400, {
      field: 'speed_up',
      constraint: 'type',
    });
  });

  it('speed_up: false spends the money elsewhere', async () => {
    const { id } = await paid('10.50');
    const { body } = await replace(id, { speed_up: false }).expect(200);
    const { transfers } = await shop.chain.poll('ethereum', null, NOBODY, harness.ctx.now());
    expect(transfers.map(({ txHash }) => txHash))
      .to.include(body.tx_hash)
      .and.not.include(body.replaced_by);
  });

  it('replaces the latest transfer that is not dropped, or the selected one', async () => {
    const latest = await paid('4', '6.50');
    expect((await replace(latest.id).expect(200)).body.tx_hash).to.equal(latest.sent[1]?.tx_hash);
    await harness.work();
    expect((await replace(latest.id, {}).expect(200)).body.tx_hash).to.equal(latest.sent[0]?.tx_hash);
    const named = await paid('4', '6.50');
    expect((await replace(named.id, { transfer: 1 }).expect(200)).body.tx_hash).to.equal(
      named.sent[0]?.tx_hash,
    );
  });

  it('works on the chain of an isolated payment', async () => {
    const { id } = await paid('10.50');
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1s' }).expect(200);
    await replace(id).expect(200);
    await harness.work();
    expect((await shop.payment(id)).status).to.equal('FAILED');
  });

  it('nothing to replace: 409, and nothing is stored', async () => {
    const unpaid = await shop.create();
    const { id } = await paid('10.50');
    await replace(id).expect(200);
    await harness.work();
    const before_ = await countRows(harness);
    for (const answer of [
      await replace(unpaid),
      await replace(id),
      await replace(id, { transfer: 1 }),
      await replace(id, { transfer: 2 }),
    ]) {
      expectError(harness, answer, 409);
      expect(answer.body.message).to.include('no such transfer to replace');
    }
    expect(await countRows(harness)).to.deep.equal(before_);
  });

  it('an Idempotency-Key replaces once, however often and however closely it is used', async () => {
    const { id } = await paid('4', '6.50');
    const once = () => replace(id).set('Idempotency-Key', 'k');
    const answers = await Promise.all(Array.from({ length: 10 }, () => once().expect(200)));
    await harness.work();
    const again = await once().expect(200);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(new Set([...answers, again].map(({ text }) => text)).size).to.equal(1);
    const { amount_received } = await shop.payment(id);
    expect(amount_received).to.equal('4');
  });

  it('a transfer that is not a number from 1 on: 400', async () => {
    const id = await shop.create();
    for (const [transfer, constraint] of [
      [0, 'minimum'],
      ['1', 'type'],
      [1.5, 'type'],
    ] as const)
      expectError(harness, await replace(id, { transfer }), 400, { field: 'transfer', constraint });
    expectError(harness, await replace(id, { hash: 'x' }), 400, {
      field: 'hash',
      constraint: 'additionalProperties',
    });
  });

  it("another merchant's payment: 404", async () => {
    const stranger = await harness.addMerchant();
    const { id } = await createPayment(harness, {}, stranger.apiKey);
    expectError(harness, await replace(id), 404);
  });
});
