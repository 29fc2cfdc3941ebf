import { expect } from 'chai';
import { sweepRequests } from '../../../src/domain/merchants/requests/sweep.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { until } from '../../support/until.ts';

describe('the requests of keys at the desk', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'developer' });
  });
  afterEach(() => harness.close());

  const page = (rest = '/requests') => `/dashboard/${harness.merchant.id}/developers${rest}`;
  /** Waits until so many requests are stored: a process stores them together, a moment later. */
  const stored = (count: number) =>
    until(`${count} requests are stored`, async () => {
      const [row] = (await harness.ctx.db('key_request_counts').sum('count')) as { sum: string | null }[];
      return Number(row?.sum ?? 0) === count;
    });
  const cellsOf = (text: string) =>
    [...text.matchAll(/<td data-head="[^"]*">([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]*>/g, '').trim(),
    );

  it('are counted by key, day and outcome, with the errors and why they were refused', async () => {
    await createPayment(harness);
    await createPayment(harness);
    const refused = await harness
      .api('post', '/v1/payment')
      .send({ pay_amount: 'secret', order_id: 'secret' });
    await harness.api('get', '/v1/payment/pay_secret?token=secret');
    await harness.api('get', '/v1/payment/pay_secret');
    await stored(5);
    const { text } = await ann.get(page());
    const prefix = `${harness.merchant.apiKey.slice(0, 13)}…`;
    const cells = cellsOf(text);
    expect(cells.slice(0, 6)).to.deep.equal(['2026-01-31', prefix, '2', '3', '0', '0']);
    expect(text).to.include('validation: pay_amount pattern').and.include('POST /v1/payment');
    expect(text).to.include('/v1/payment/:id').and.include('payment_not_found');
    expect(text)
      .to.include((refused.body as { request_id: string }).request_id)
      .and.not.include('secret');
    const rows = JSON.stringify(await harness.ctx.db('key_request_errors').select());
    expect(rows).to.not.include('secret').and.not.include(harness.merchant.apiKey);
  });

  it('are counted for a key that is refused for its address or its age, and for nobody without a valid key', async () => {
    const created = await ann.post(page('/keys/new'), {
      'payments:read': 'on',
      addresses: '192.0.2.1',
      days: '',
    });
    const key = /sk_test_[\w-]{32}/.exec(created.text)?.[0] ?? expect.fail('no key');
    await harness.api('get', '/v1/payments', key).expect(403);
    await harness.ctx.db('api_keys').update({ allowed_addresses: null, expires_at: harness.ctx.now() });
    harness.advance(11);
    await harness.api('get', '/v1/payments', key).expect(401);
    await harness.api('get', '/v1/payments', `sk_test_${'x'.repeat(32)}`).expect(401);
    await harness.api('get', '/v1/payments', null).expect(401);
    await stored(2);
    expect((await ann.get(page())).text)
      .to.include('403')
      .and.include('401');
  });

  it('keep the latest fifty errors of a key', async () => {
    for (let i = 0; i < 60; i += 1) await harness.api('get', '/v1/payment/x').expect(404);
    await stored(60);
    await harness.api('get', '/v1/refunds').expect(404);
    await stored(61);
    await until('the latest fifty are left', async () => {
      const rows = await harness.ctx.db('key_request_errors').orderBy('id', 'desc').select('route');
      return rows.length === 50 && rows[0]?.route === 'none';
    });
  });

  it("are one's own", async () => {
    const other = await harness.addMerchant();
    await createPayment(harness, {}, other.apiKey);
    await harness.api('get', '/v1/payment/x', other.apiKey).expect(404);
    await stored(2);
    expect((await ann.get(page())).text)
      .to.include('No key was used')
      .and.include('No request went wrong');
  });

  it('are shown for seven days, and deleted then', async () => {
    await harness.api('get', '/v1/payment/x').expect(404);
    await stored(1);
    harness.advance(7 * 86_400 + 3_600);
    expect(await sweepRequests(harness.ctx)).to.equal(2);
    expect(await sweepRequests(harness.ctx)).to.equal(0);
  });
});
