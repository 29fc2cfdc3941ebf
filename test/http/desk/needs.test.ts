import { expect } from 'chai';
import { addSeconds } from '../../../src/platform/clock.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { refundRow } from '../../support/refunds.ts';

describe('what needs a person, on the home page', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
  });
  afterEach(() => harness.close());

  const path = (rest = '', id = harness.merchant.id) => `/dashboard/${id}${rest}`;
  /** Each kind that the page shows, with its number, of whom the links lead to. */
  const needs = async (merchant: Pick<TestMerchant, 'id'> = harness.merchant, who = ann) => {
    const { status, text } = await who.get(path('', merchant.id));
    expect(status).to.equal(200);
    const found = text.matchAll(/waiting\/(\w+)"\s*><strong>([^<]*)</g);
    return Object.fromEntries([...found].map(([, need, count]) => [need, count]));
  };
  const listed = async (need: string) => {
    const { status, text } = await ann.get(path(`/waiting/${need}`));
    expect(status).to.equal(200);
    return [...text.matchAll(/<code>(pay_\w+)<\/code>/g)].map(([, id]) => id);
  };
  const insertRefund = (id: string, own: object, seconds = 0) =>
    harness.ctx.db('refunds').insert(refundRow(id, addSeconds(harness.ctx.now(), seconds), own));

  it('is nothing where nothing waits', async () => {
    await pay(harness, (await createPayment(harness)).id);
    expect(await needs()).to.deep.equal({});
    expect((await ann.get(path())).text).to.include('Nothing waits for anybody.');
  });

  it('are refunds that wait for an address or a signature, or contradict what was found', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) ids.push((await createPayment(harness)).id);
    const [first = '', second = '', signed = '', offered = '', held = '', done = ''] = ids;
    await insertRefund(first, { status: 'NEEDS_ADDRESS', reason: '<b>broken</b>' }, -60);
    await insertRefund(second, { status: 'NEEDS_ADDRESS' });
    await insertRefund(signed, { status: 'AWAITING_SIGNATURE', address: '0x1' });
    const now = harness.ctx.now();
    await insertRefund(offered, { status: 'AWAITING_SIGNATURE', address: '0x1', offered_at: now });
    await insertRefund(held, { status: 'HELD', address: '0x1' });
    await insertRefund(done, { status: 'COMPLETED', address: '0x1' });
    expect(await needs()).to.deep.equal({ refund_address: '2', refund_signature: '1', refund_held: '1' });
    expect(await listed('refund_address')).to.deep.equal([second, first]);
    expect(await listed('refund_signature')).to.deep.equal([signed]);
    const { text } = await ann.get(path('/waiting/refund_address'));
    expect(text).to.include('2 USDC').and.include('&#60;b&#62;broken').and.not.include('<b>broken');
    await harness.ctx.db('refunds').update({ status: 'COMPLETED', address: '0x1' });
    expect(await needs()).to.deep.equal({});
    expect((await ann.get(path('/waiting/refund_address'))).text).to.include('Nothing waits for anybody.');
  });

  it('is the money of payments that ended underpaid, until it goes back', async () => {
    const { id } = await createPayment(harness, { pay_amount: '10' });
    await pay(harness, id, { amount: '4' });
    expect(await needs()).to.deep.equal({});
    harness.advance(3_600);
    await harness.work();
    expect(await needs()).to.deep.equal({ money_left: '1' });
    const { text } = await ann.get(path('/waiting/money_left'));
    expect(text).to.include(id).and.include('4 USDC').and.include('underpaid');
    await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(201);
    expect(await needs()).to.deep.equal({});
  });

  it('are payments whose transfers are quarantined, each once', async () => {
    const { id } = await createPayment(harness);
    const row = {
      payment_id: id,
      network: 'ethereum',
      transfers: '[]',
      rates: '{}',
      set_aside_at: harness.ctx.now(),
    };
    await harness.ctx.db('unapplied_transfers').insert([row, row]);
    expect(await needs()).to.deep.equal({ quarantined: '1' });
    expect(await listed('quarantined')).to.deep.equal([id]);
  });

  it('are endpoints that are disabled or paused, while their merchant has webhooks on', async () => {
    const { db, now } = harness.ctx;
    const { id } = harness.merchant;
    const config = { webhookUrl: 'https://shop.example/hooks?key=1', enabled: true };
    await harness.api('put', '/v1/webhooks/config').send(config).expect(200);
    const own = { merchant_id: id, failing_since: now() };
    await db('webhook_endpoints')
      .insert({ ...own, id, circuit_open_until: now() })
      .onConflict('id')
      .merge();
    await db('webhook_endpoints').insert([
      {
        ...own,
        id: `${id} gone`,
        url: 'https://other.example/<i>',
        disabled_at: now(),
        disabled_reason: 'gone',
      },
      { ...own, id: `${id} well`, url: 'https://well.example/' },
    ]);
    expect(await needs()).to.deep.equal({ endpoint: '2' });
    const { text } = await ann.get(path('/waiting/endpoint'));
    expect(text).to.include('https://shop.example/hooks').and.include('Paused').and.include('410 Gone');
    expect(text).to.include('other.example/&#60;i').and.not.include('well.example');
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ ...config, enabled: false })
      .expect(200);
    expect(await needs()).to.deep.equal({});
  });

  it('are networks of a live shop that no watcher reads, and of no test shop', async () => {
    const live = await harness.addMerchant({ name: 'Live shop', mode: 'live' });
    const bob = await joinDesk(harness, 'bob@shop.example', { merchantId: live.id });
    expect(await needs(live, bob)).to.deep.equal({ network: '1' });
    expect((await bob.get(path('/waiting/network', live.id))).text).to.include('Not read yet');
    const chain = 'ethereum/live';
    const scanned_until = harness.ctx.now();
    await harness.ctx.db('chain_cursors').insert({ chain, cursor: '1', head: 1, scanned_until });
    expect(await needs(live, bob)).to.deep.equal({});
    harness.advance(3_600);
    expect((await bob.get(path('/waiting/network', live.id))).text).to.include('Not read<');
    await harness.ctx.db('chain_cursors').where({ chain }).update({ halted_at: harness.ctx.now() });
    expect((await bob.get(path('/waiting/network', live.id))).text).to.include('Halted');
    expect(await needs()).to.deep.equal({});
  });

  it('are counted up to a hundred', async () => {
    const { id } = await createPayment(harness);
    const rows = Array.from({ length: 101 }, (_, i) => ({
      ...refundRow(id, harness.ctx.now(), { status: 'NEEDS_ADDRESS' }),
      id: `ref_${i}`,
    }));
    await harness.ctx.db('refunds').insert(rows.slice(0, 100));
    expect(await needs()).to.deep.equal({ refund_address: '100' });
    await harness.ctx.db('refunds').insert(rows.slice(100));
    expect(await needs()).to.deep.equal({ refund_address: '100 or more' });
    expect(await listed('refund_address')).to.have.lengthOf(100);
    expect((await ann.get(path('/waiting/refund_address'))).text).to.include('The newest 100 are shown.');
  });

  it("is one's own shop's, and of no other kind", async () => {
    const other = await harness.addMerchant();
    const { id } = await createPayment(harness, {}, other.apiKey);
    await insertRefund(id, { status: 'NEEDS_ADDRESS' });
    expect(await needs()).to.deep.equal({});
    expect(await listed('refund_address')).to.deep.equal([]);
    expect((await ann.get(path('/waiting/nothing'))).status).to.equal(404);
  });
});
