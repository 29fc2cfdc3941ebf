import { expect } from 'chai';
import { recordAction } from '../../../src/domain/audit/record.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import { setTimeZone } from '../../../src/domain/merchants/time-zone.ts';
import { encodeCursor } from '../../../src/platform/values/cursors.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';

describe('the payments at the desk', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
  });
  afterEach(() => harness.close());

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/payments${rest}`;

  it('are listed newest first, and narrowed by status, order and days', async () => {
    const first = await createPayment(harness, { order_id: 'order-1' });
    harness.advance(1);
    const second = await createPayment(harness, { order_id: 'order-2' });
    await pay(harness, second.id);
    const idsOf = async (query: string) => {
      const { status, text } = await ann.get(page(query));
      expect(status, query).to.equal(200);
      return [...text.matchAll(/<code>(pay_\w+)<\/code>/g)].map(([, id]) => id);
    };
    expect(await idsOf('')).to.deep.equal([second.id, first.id]);
    expect(await idsOf('?status=SETTLED&order_id=&from_date=&to_date=')).to.deep.equal([second.id]);
    expect(await idsOf('?order_id=order-1')).to.deep.equal([first.id]);
    expect(await idsOf('?from_date=2026-02-02')).to.deep.equal([]);
    expect(await idsOf('?to_date=2026-01-31')).to.deep.equal([second.id, first.id]);
  });

  it('are listed, and found, with their price in money where they have one', async () => {
    const price = { price_amount: '10.50', price_currency: 'EUR', pay_amount: undefined };
    const { pay_amount: amount } = await createPayment(harness, { order_id: 'in money', ...price });
    await createPayment(harness, { order_id: 'in coins', pay_amount: '7.25' });
    for (const query of ['', '?q=in']) {
      const { text } = await ann.get(page(query));
      const cells = [...text.matchAll(/<td data-head="Amount">([^]*?)<\/td>/g)];
      const shown = cells.map(([, cell = '']) =>
        cell
          .replaceAll(/<[^>]+>/g, ' ')
          .trim()
          .split(/\s+/),
      );
      expect(shown, query).to.have.deep.members([
        [String(amount), 'USDC', '10.50', 'EUR'],
        ['7.25', 'USDC'],
      ]);
    }
  });

  it('are shown since a day of the merchant’s time zone by a link that keeps the other filters', async () => {
    await setTimeZone(harness.ctx.db, harness.merchant.id, 'Asia/Tokyo');
    const orderAt = async (time: string) => {
      const { id } = await createPayment(harness, { order_id: time });
      await harness.ctx
        .db('payments')
        .where({ id })
        .update({ created_at: new Date(time) });
    };
    // Now it is 21:00 on January 31 in Tokyo, where a day begins at 15:00 UTC.
    for (const time of [
      '2026-01-30T15:00:00Z',
      '2026-01-30T14:59:59Z',
      '2026-01-24T15:00:00Z',
      '2026-01-24T14:59:59Z',
      '2026-01-01T15:00:00Z',
      '2026-01-01T14:59:59Z',
      '2025-12-31T15:00:00Z',
      '2025-12-31T14:59:59Z',
    ])
      await orderAt(time);
    const countOf = async (query: string) => {
      const { text } = await ann.get(page(query));
      return Number(/Payments found: (\d+)/.exec(text)?.[1]);
    };
    const counts = [];
    for (const range of ['today', '7', '30', 'month', 'ever']) counts.push(await countOf(`?range=${range}`));
    expect(counts).to.deep.equal([1, 3, 5, 7, 8]);
    expect(await countOf('?range=today&from_date=2026-01-24'), 'dates replace a range').to.equal(4);
    const { text } = await ann.get(page('?range=today&status=WAITING&order_id=a&cursor=x&from_date='));
    expect(text).to.include(`${page('?status=WAITING&#38;order_id=a&#38;range=7')}"`);
    expect(text).to.include(`${page('?status=WAITING&#38;order_id=a')}"`);
    expect(text).to.match(/name="range" value="today"/);
  });

  it('are read on by a link that keeps the filters', async () => {
    for (let i = 0; i < 21; i += 1) await createPayment(harness, { order_id: `order-${i}` });
    const { text } = await ann.get(page('?status=WAITING'));
    const [, next = ''] = /href="([^"]*cursor=[^"]*)"/.exec(text) ?? [];
    expect(next).to.include('status=WAITING');
    const older = await ann.get(next.replaceAll('&#38;', '&'));
    expect(older.text.match(/<code>pay_\w+<\/code>/g)).to.have.lengthOf(1);
  });

  it('say what is wrong with a filter, as the API does', async () => {
    for (const query of [
      '?status=GONE',
      '?from_date=yesterday',
      '?from_date=2026-02-01&to_date=2026-01-01',
      '?cursor=x',
    ]) {
      const { status, text } = await ann.get(page(query));
      expect(status, query).to.equal(400);
      expect(text).to.include('role="alert"');
    }
  });

  it('are shown each with all that happened, in its order', async () => {
    const { id } = await createPayment(harness, { order_id: '<b>order</b>', metadata: { sku: '<i>x</i>' } });
    await pay(harness, id);
    const { text } = await ann.get(page(`/${id}`));
    expect(text).to.not.include('<b>order').and.not.include('<i>x');
    const happened = [
      'Payment created',
      'Transfer seen',
      'Money is on its way',
      'Confirmed in full',
      'Settled',
    ];
    const places = happened.map((what) => text.indexOf(`>${what}<`));
    expect(places).to.not.include(-1);
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
    expect(text)
      .to.include('SETTLED')
      .and.include('final')
      .and.match(/0x[0-9a-f]{64}/);
  });

  it('show an owner money and people, and webhooks or everything behind a link', async () => {
    const webhooks = { webhookUrl: 'http://127.0.0.1:9/', enabled: true };
    await setWebhookConfig(harness.ctx.db, harness.merchant.id, webhooks, harness.ctx.now());
    const { id } = await createPayment(harness);
    await pay(harness, id);
    const whatOf = async (query: string) => {
      const { text } = await ann.get(page(`/${id}${query}`));
      expect(text).to.include(`href="${page(`/${id}?show=all#timeline`)}"`);
      return new Set([...text.matchAll(/data-head="What">(?:<a[^>]*>)?([^<]*)</g)].map(([, what]) => what));
    };
    const owners = await whatOf('');
    expect(owners).to.include('Transfer seen').and.include('Settled');
    expect(owners).to.not.include('Ledger').and.not.include('Webhook');
    expect(await whatOf('?show=money')).to.deep.equal(owners);
    expect(await whatOf('?show=toString')).to.deep.equal(owners);
    expect([...(await whatOf('?show=webhooks'))]).to.deep.equal(['Webhook']);
    expect(await whatOf('?show=all')).to.deep.equal(new Set([...owners, 'Ledger', 'Webhook']));
  });

  it('show the next page of what happened within what was asked for', async () => {
    const { id } = await createPayment(harness);
    for (let i = 0; i < 101; i += 1)
      await recordAction(harness.ctx.db, {
        at: harness.ctx.now(),
        actor: 'test',
        kind: 'command',
        address: null,
        merchantId: harness.merchant.id,
        command: 'looked at',
        details: { payment_id: id },
      });
    const { text } = await ann.get(page(`/${id}?show=all`));
    const [, next = ''] = /href="([^"]*after=[^"]*)"/.exec(text) ?? [];
    expect(next).to.include('show=all');
    expect((await ann.get(next.replaceAll('&#38;', '&'))).text.match(/>looked at</g)).to.have.lengthOf(2);
  });

  it('begin with their amount, their price in money, their state and what one may do', async () => {
    const sue = await joinDesk(harness, 'sue@shop.example', { role: 'owner' });
    const price = { price_amount: '10.50', price_currency: 'EUR', pay_amount: undefined };
    const { id, pay_amount } = await createPayment(harness, { order_id: 'head-1', ...price });
    const headOf = async (person: DeskPerson) => {
      const { text } = await person.get(page(`/${id}`));
      const [, head = ''] = /<section class="card head">([^]*?)<\/section>/.exec(text) ?? [];
      expect(text.match(/<h1/g), 'headings').to.have.lengthOf(1);
      return head;
    };
    expect(await headOf(sue))
      .to.match(new RegExp(`<h1>[^]*${String(pay_amount)} USDC[^]*10.50 EUR[^]*</h1>`))
      .and.include('WAITING')
      .and.include('head-1')
      .and.include('/cancel"')
      .and.include('Copy the link')
      .and.include('/simulate"');
    expect(await headOf(ann))
      .to.not.include('/cancel"')
      .and.not.include('/simulate"');
    await pay(harness, id);
    expect(await headOf(sue))
      .to.include('SETTLED')
      .and.include('/refund"')
      .and.not.include('/cancel"');
  });

  it('take no place in what happened that no page has given', async () => {
    const { id } = await createPayment(harness);
    const places = [
      'x',
      ...[
        [-999_999_999_999_999, 0, 'x'],
        [999_999_999_999_999, 9, 'x'],
        [0, 0, 'x'.repeat(201)],
        [0, 'x', 'x'],
        [1],
      ].map(encodeCursor),
    ];
    for (const place of places) {
      const { status, text } = await ann.get(page(`/${id}?after=${place}`));
      expect(status, place).to.be.oneOf([200, 400]);
      expect(text).to.include('<html');
    }
  });

  it("are one's own: another merchant's is the same 404 as one that does not exist", async () => {
    const other = await harness.addMerchant();
    const { id } = await createPayment(harness, {}, other.apiKey);
    const theirs = await ann.get(page(`/${id}`));
    const none = await ann.get(page(`/pay_${'0'.repeat(26)}`));
    expect([theirs.status, theirs.text]).to.deep.equal([404, none.text]);
    expect((await ann.get(page('/x%00'))).text).to.equal(none.text);
  });
});
