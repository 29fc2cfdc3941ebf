import { expect } from 'chai';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { exported } from '../../support/exports.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { openShop } from '../../support/shop.ts';

type Row = Readonly<Record<string, string>>;
const DAY_SECONDS = 86_400;

describe('the export of a list of payments', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
  });
  afterEach(() => harness.close());

  const home = () => `/dashboard/${harness.merchant.id}`;
  /** The page that the button of a list leads to; null: the list has no button. */
  const openExport = async (query: string) => {
    const { text } = await ann.get(`${home()}/payments?${query}`);
    const to = /href="([^"]*\/exports\?[^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&');
    if (to === undefined) return null;
    const opened = await ann.get(to);
    return opened.location === undefined ? opened : ann.get(opened.location);
  };
  const filtersOf = async (query: string) =>
    hiddenField((await openExport(query))?.text ?? '', 'filters').replaceAll('&#38;', '&');
  const post = (fields: Row) =>
    ann.post(`${home()}/exports`, { kind: 'payments', format: 'ndjson', currency: 'USD', ...fields });
  const download = async (fields: Row) => {
    const { status, text } = await post(fields);
    expect(status, text).to.equal(200);
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(rows.pop()).to.deep.equal({ end: true, rows: rows.length });
    return rows;
  };
  const ordersOf = async (query: string) =>
    (await download({ filters: await filtersOf(query) })).map(({ order_id }) => order_id);
  /** Five payments of three orders, an hour between two; of each order the first one is settled. */
  const sell = async () => {
    const shop = await openShop(harness);
    for (const order_id of ['a', 'b&=', 'a', 'b&=', 'c']) {
      const paid = await harness.ctx.db('payments').where({ order_id }).first<{ id: string }>('id');
      const id = await shop.create({ order_id });
      if (paid === undefined) await shop.pay(id);
      await shop.mine(20);
      await harness.work();
      harness.advance(600);
    }
  };

  it('has the payments that its filters fit, and no other, in both formats and each kind', async () => {
    await sell();
    expect(await ordersOf('')).to.deep.equal(['a', 'b&=', 'a', 'b&=', 'c']);
    expect(await ordersOf('status=SETTLED')).to.deep.equal(['a', 'b&=', 'c']);
    expect(await ordersOf('status=SETTLED&status=WAITING&status=SETTLED')).to.have.lengthOf(5);
    expect(await ordersOf('order_id=a')).to.deep.equal(['a', 'a']);
    expect(await ordersOf('order_id=b%26%3D&status=WAITING')).to.deep.equal(['b&=']);
    const filters = await filtersOf('order_id=b%26%3D&status=SETTLED');
    const [transfer, ...more] = await download({ kind: 'transfers', filters });
    const sold = { order_id: 'b&=', status: 'SETTLED' };
    const { id } = (await harness.ctx.db('payments').where(sold).first<{ id: string }>('id')) ?? { id: '' };
    expect([transfer?.payment_id, more]).to.deep.equal([id, []]);
    const { text, headers } = await post({ format: 'csv', filters });
    expect(text.split('\r\n')[1]).to.match(new RegExp(`^${id},b&=,`));
    expect(headers['content-disposition']).to.equal(
      'attachment; filename="test-payments-filtered-begin-2026-01-31.csv"',
    );
  });

  it('is of the days of the list, whose ranges stay where they were for who goes on tomorrow', async () => {
    harness.advance(-DAY_SECONDS);
    await createPayment(harness, { order_id: 'friday' });
    harness.advance(DAY_SECONDS);
    await createPayment(harness, { order_id: 'saturday' });
    harness.advance(1);
    await createPayment(harness, { order_id: 'saturday too' });
    harness.advance(60);
    expect(await ordersOf('from_date=2026-01-31')).to.deep.equal(['saturday', 'saturday too']);
    expect(await ordersOf('to_date=2026-01-30')).to.deep.equal(['friday']);
    await harness.ctx.db('merchants').where({ id: harness.merchant.id }).update({ time_zone: 'Asia/Tokyo' });
    const filters = await filtersOf('range=today&status=WAITING');
    expect(new URLSearchParams(filters).get('from_date')).to.equal('2026-01-30T15:00:00.000Z');
    const [first] = await download({ filters });
    harness.advance(DAY_SECONDS);
    ann = await joinDesk(harness, 'ben@shop.example');
    const rest = await download({ filters, after: first?.cursor ?? '' });
    expect([first, ...rest].map((row) => row?.order_id)).to.deep.equal(['saturday', 'saturday too']);
  });

  for (const filters of ['status=WAITING&status=EXPIRED', 'order_id=one', 'order_id=one&status=WAITING'])
    it(`goes on behind each row: ${filters}`, async () => {
      for (let i = 0; i < 30; i += 1)
        await createPayment(harness, { order_id: i % 3 === 0 ? 'other' : 'one' });
      await harness.ctx.db.raw(
        `UPDATE payments SET status = 'EXPIRED' WHERE id IN (SELECT id FROM payments ORDER BY id LIMIT 4)`,
      );
      await harness.ctx.db.raw(`UPDATE payments SET status = 'FAILED' WHERE order_id = 'other'`);
      harness.advance(60);
      const rows = await download({ filters });
      expect(rows).to.have.length.within(15, 30);
      for (const at of [0, 1, 9, rows.length - 1])
        expect(await download({ filters, after: rows[at]?.cursor ?? '' })).to.deep.equal(rows.slice(at + 1));
    });

  it('shows what it is filtered by, keeps that when something is wrong, and can be left', async () => {
    await createPayment(harness, { order_id: '<b>' });
    const page = await openExport('status=WAITING&order_id=%3Cb%3E');
    expect(page?.text).to.include('<bdi>WAITING</bdi>').and.include('<bdi>&#60;b&#62;</bdi>');
    expect(page?.text).to.not.include('type="date"');
    const filters = await filtersOf('status=WAITING&order_id=%3Cb%3E');
    const wrong = await post({ filters, format: 'xml' });
    expect([wrong.status, hiddenField(wrong.text, 'filters').replaceAll('&#38;', '&')]).to.deep.equal([
      400,
      filters,
    ]);
    const all = await openExport('');
    expect(all?.text).to.include('type="date"').and.not.include('name="filters"');
    expect(await openExport('order_id=none'), 'an empty list').to.equal(null);
    expect(await openExport('q=none'), 'a search').to.equal(null);
  });

  it('takes no filter that no list has', async () => {
    await createPayment(harness);
    harness.advance(60);
    for (const filters of [
      'status=GONE',
      'from_date=yesterday',
      'from_date=2026-02-01&to_date=2026-01-01',
      'range=today',
      'order_id=%00',
    ]) {
      const { status, text } = await post({ filters });
      expect(status, filters).to.equal(400);
      expect(text).to.include('role="alert"');
    }
  });

  it('is in the audit log with its filters', async () => {
    await createPayment(harness);
    harness.advance(60);
    await download({ filters: 'status=WAITING&order_id=a&from_date=2026-01-01' });
    const entry = await harness.ctx
      .db('operator_actions')
      .where({ command: 'export' })
      .first<{ details: object }>();
    expect(entry?.details).to.deep.include({
      status: ['WAITING'],
      order_id: 'a',
      from: '2026-01-01T00:00:00.000Z',
    });
  });

  it('has no row of another merchant, and none of a payment that moved on before it was read', async () => {
    const stranger = await harness.addMerchant();
    await createPayment(harness, { order_id: 'a' }, stranger.apiKey);
    await createPayment(harness, { order_id: 'a' });
    harness.advance(60);
    expect(await download({ filters: 'order_id=a' })).to.have.lengthOf(1);
    expect(await download({ filters: 'status=WAITING' })).to.have.lengthOf(1);
    expect(await download({ filters: 'order_id=a&status=WAITING' })).to.have.lengthOf(1);
    const merchantId = harness.merchant.id;
    const all = { merchantId, from: null, to: null, orderId: 'a' };
    expect(await exported(harness.ctx, 'payments', { ...all, statuses: ['SETTLED'] })).to.deep.equal([]);
  });
});
