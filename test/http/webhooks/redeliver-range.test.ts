import { expect } from 'chai';
import {
  configure,
  deliveriesIn,
  createPaymentsWithDeliveries,
  startHoldingReceiver,
  type HoldingReceiver,
} from '../../support/deliveries.ts';
import { expectError } from '../../support/http.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/webhooks/redeliver', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  let begin: string;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    receiver = await startHoldingReceiver();
    receiver.open();
    await configure(harness, receiver.url);
    await harness.work();
    begin = harness.ctx.now().toISOString();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const ask = (body: object, apiKey?: string) =>
    harness.api('post', '/v1/webhooks/redeliver', apiKey).send(body);
  const redeliver = async (body: object = { from_date: begin }) =>
    (await ask(body).expect(202)).body as { count: number; done_by: string | null };
  /** Creates `count` payments, a second apart, whose events are delivered. */
  const deliver = async (count: number) => {
    const ids = await createPaymentsWithDeliveries(harness, shop, count);
    await harness.work();
    return ids;
  };
  const fail = (paymentIds: string[]) =>
    harness.ctx.db.raw(
      `UPDATE deliveries SET status = 'failed', failed_because = 'retries_exhausted',
         next_attempt_at = NULL WHERE payment_id = ANY (?)`,
      [paymentIds],
    );
  const posts = () => receiver.requests.map(({ headers }) => headers['webhook-id']);
  const statuses = async () => (await deliveriesIn(harness)).map(({ status }) => status);

  it('sends the failed deliveries of a time range again, and no others', async () => {
    const ids = await deliver(6);
    await fail(ids.slice(1, 5));
    const [from, to] = [1, 3].map((n) => new Date(Date.parse(begin) + n * 1000).toISOString());
    const posted = posts().length;
    const answer = await redeliver({ from_date: from, to_date: to });
    expect(answer.count, 'both ends count').to.equal(3);
    harness.advance(1);
    await harness.work();
    expect(posts()).to.have.length(posted + 3);
    expect((await deliveriesIn(harness)).map(({ status }) => status)).to.deep.equal([
      'delivered',
      'delivered',
      'delivered',
      'delivered',
      'failed',
      'delivered',
    ]);
    expect(await redeliver({ from_date: from, to_date: to })).to.deep.equal({ count: 0, done_by: null });
  });

  it('sends all again on request, at each request', async () => {
    const ids = await deliver(3);
    await fail(ids.slice(0, 1));
    for (const times of [2, 3]) {
      expect((await redeliver({ from_date: begin, which: 'all' })).count).to.equal(3);
      expect((await redeliver({ from_date: begin, which: 'all' })).count, 'pending ones stay').to.equal(0);
      harness.advance(1);
      await harness.work();
      expect(posts()).to.have.length(3 * times);
    }
    expect(await statuses()).to.deep.equal(['delivered', 'delivered', 'delivered']);
  });

  it('sends events that were recorded while webhooks were off', async () => {
    await deliver(1);
    await configure(harness, receiver.url, false);
    for (let made = 0; made < 2; made += 1) await shop.create();
    await harness.work();
    await configure(harness, receiver.url);
    expect(await statuses()).to.deep.equal(['delivered', 'failed', 'failed']);
    expect((await redeliver()).count).to.equal(2);
    harness.advance(1);
    await harness.work();
    expect(posts()).to.have.length(3);
    expect(await redeliver()).to.include({ count: 0 });
  });

  it('sends events whose deliveries were deleted for their age', async () => {
    harness.advance(3_600);
    const [old = ''] = await deliver(2);
    await harness.ctx.db.raw('DELETE FROM deliveries WHERE payment_id = ?', [old]);
    expect(await redeliver(), 'a young one has its delivery, or gets it').to.include({ count: 0 });
    harness.advance(31 * 86_400);
    expect(await redeliver()).to.include({ count: 1 });
  });

  it('sends 50 a second, however often it is asked for, and whatever is delivered meanwhile', async () => {
    await deliver(40);
    const before = posts().length;
    for (let asked = 0; asked < 10; asked += 1) {
      await redeliver({ from_date: begin, which: 'all' });
      harness.advance(0.1);
      await harness.work();
    }
    expect(posts().length - before).to.be.within(40, 51);
  });

  it('sends 50 a second, so that a new event comes in between', async () => {
    const ids = await deliver(30);
    await fail(ids);
    const before = posts().length;
    const now = harness.ctx.now().getTime();
    const answer = await redeliver();
    expect(answer).to.deep.equal({ count: 30, done_by: new Date(now + 29 * 20).toISOString() });
    await harness.work();
    expect(posts()).to.have.length(before + 1);
    harness.advance(0.1);
    await harness.work();
    expect(posts()).to.have.length(before + 6);
    const fresh = await shop.create();
    await harness.work();
    const [event] = await shop.events(fresh);
    expect(posts().at(-1)).to.equal(event?.id);
    harness.advance(0.48);
    await harness.work();
    expect(posts()).to.have.length(before + 31);
  });

  it('with an Idempotency-Key restarts once', async () => {
    await deliver(2);
    const body = { from_date: begin, which: 'all' };
    const once = async () => (await ask(body).set('Idempotency-Key', 'range').expect(202)).text;
    const first = await once();
    harness.advance(1);
    await harness.work();
    expect(await once()).to.equal(first);
    await harness.work();
    expect(posts()).to.have.length(4);
  });

  it("does not restart other merchants' deliveries", async () => {
    await fail(await deliver(2));
    const stranger = await harness.addMerchant();
    await harness
      .api('put', '/v1/webhooks/config', stranger.apiKey)
      .send({ webhookUrl: receiver.url, enabled: true })
      .expect(200);
    const answer = await ask({ from_date: begin, which: 'all' }, stranger.apiKey).expect(202);
    expect(answer.body).to.deep.equal({ count: 0, done_by: null });
    expect(await statuses()).to.deep.equal(['failed', 'failed']);
  });

  it('is rejected while webhooks are off', async () => {
    await fail(await deliver(1));
    await configure(harness, receiver.url, false);
    expectError(harness, await ask({ from_date: begin }), 409);
    expect(await statuses()).to.deep.equal(['failed']);
  });

  for (const [what, body, field, constraint] of [
    ['no from_date', {}, 'from_date', 'required'],
    ['an invalid date', { from_date: 'yesterday' }, 'from_date', 'format'],
    [
      'an end before its beginning',
      { from_date: '2026-02-02', to_date: '2026-02-01' },
      'from_date',
      'maximum',
    ],
    ['an unknown value of which', { from_date: '2026-02-02', which: 'some' }, 'which', 'enum'],
    ['an unknown field', { from_date: '2026-02-02', fast: true }, 'fast', 'additionalProperties'],
  ] as const)
    it(`${what}: 400`, async () => {
      expectError(harness, await ask(body), 400, { field, constraint });
    });
});
