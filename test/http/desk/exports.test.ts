import { expect } from 'chai';
import { storeRates } from '../../../src/domain/chain/rates/store.ts';
import type { RatedId } from '../../../src/domain/chain/rates/rates.ts';
import { exportRows } from '../../../src/domain/exports/rows.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { exported } from '../../support/exports.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { openShop } from '../../support/shop.ts';

const KINDS = ['payments', 'transfers', 'refunds', 'ledger'] as const;
type Row = Readonly<Record<string, string>>;

describe('exports at the desk', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
  });
  afterEach(() => harness.close());

  const page = () => `/dashboard/${harness.merchant.id}/exports`;
  const ask = (fields: Row, person = ann) =>
    person.post(page(), { kind: 'payments', format: 'ndjson', currency: 'USD', ...fields });
  /** The rows of a whole file. */
  const download = async (fields: Row) => {
    const { status, text } = await ask(fields);
    expect(status, text).to.equal(200);
    const lines = text.split('\n').map((line) => (line === '' ? null : (JSON.parse(line) as Row)));
    expect(lines.pop()).to.equal(null);
    expect(lines.pop()).to.deep.equal({ end: true, rows: lines.length });
    return lines.flatMap((line) => (line === null ? [] : [line]));
  };
  const entries = () =>
    harness.ctx.db('operator_actions').where({ command: 'export' }).orderBy('number').select();

  /** Three payments, each with transfers, a refund and entries of the ledger. */
  const sell = async () => {
    const shop = await openShop(harness);
    for (const order_id of ['a', '=1+1', 'c']) {
      const id = await shop.create({ order_id });
      await shop.pay(id, { amount: '6' });
      await shop.pay(id, { amount: '4.5' });
      await shop.mine(20);
      await harness.work();
      for (const amount of ['1', '2'])
        await harness
          .api('post', `/v1/payment/${id}/refund`)
          .send({ amount, address: `0x${'1'.repeat(40)}` })
          .expect(201);
      harness.advance(60);
    }
  };

  it('are files with a header, in which text that begins like a formula is none', async () => {
    await sell();
    const { text, headers } = await ask({ format: 'csv' });
    expect(headers).to.include({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="test-payments-begin-2026-01-31.csv"',
    });
    const [head = '', ...lines] = text.split('\r\n');
    expect(head).to.match(/^id,order_id,.*,value,value_currency,value_rate,cursor$/);
    expect(lines).to.have.lengthOf(5);
    expect(lines.map((line) => line.split(',')[1])).to.deep.equal(['a', "'=1+1", 'c', '3', undefined]);
    expect(lines[3]).to.equal(`end,3${','.repeat(head.split(',').length - 2)}`);
  });

  for (const kind of KINDS)
    it(`go on behind each row of ${kind}, and have every row once`, async () => {
      await sell();
      const rows = await download({ kind });
      expect(rows).to.have.length.above(2);
      expect(new Set(rows.map(({ cursor }) => cursor)).size).to.equal(rows.length);
      for (const [i, { cursor = '' }] of rows.entries())
        expect(await download({ kind, after: cursor }), cursor).to.deep.equal(rows.slice(i + 1));
      const { text, headers } = await ask({ kind, format: 'csv', after: rows[0]?.cursor ?? '' });
      expect(text).to.not.include('value_currency');
      expect(headers['content-type']).to.equal('text/csv; charset=utf-8; header=absent');
      const operators = await exported(harness.ctx, kind, {
        merchantId: harness.merchant.id,
        from: null,
        to: null,
      });
      expect(operators, 'the command has the same rows').to.deep.equal(rows);
    });

  it('keep the order of the payments, whatever their ids say', async () => {
    const shop = await openShop(harness);
    for (const order_id of ['a', 'b', 'c']) await shop.pay(await shop.create({ order_id }));
    await shop.mine(20);
    await harness.ctx.db.raw(
      `UPDATE payments SET created_at = created_at - CASE order_id WHEN 'b' THEN interval '2 h'
         WHEN 'c' THEN interval '1 h' ELSE interval '0' END`,
    );
    harness.advance(60);
    const orders = (await download({})).map(({ order_id }) => order_id);
    expect(orders).to.deep.equal(['b', 'c', 'a']);
    const rows = await download({ kind: 'transfers' });
    expect(rows).to.have.lengthOf(3);
    for (const [i, { cursor = '' }] of rows.entries())
      expect(await download({ kind: 'transfers', after: cursor })).to.deep.equal(rows.slice(i + 1));
  });

  it('are read in parts where a payment has any number of rows, and go on within it', async () => {
    const shop = await openShop(harness);
    for (const order_id of ['a', 'b', 'c']) await shop.pay(await shop.create({ order_id }));
    await shop.mine(20);
    await harness.ctx.db.raw(
      `INSERT INTO transfers OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(t, jsonb_build_object('tx_hash', t.tx_hash || i,
         'place', 1000 + i))).*
       FROM transfers t, generate_series(1, 4500) AS i
       WHERE payment_id = (SELECT id FROM payments WHERE order_id = 'b')`,
    );
    harness.advance(60);
    const rows = await download({ kind: 'transfers' });
    expect(rows).to.have.lengthOf(4_503);
    expect(new Set(rows.map(({ cursor }) => cursor)).size).to.equal(4_503);
    for (const i of [0, 1, 1_999, 2_000, 2_001, 4_500, 4_501, 4_502])
      expect(await download({ kind: 'transfers', after: rows[i]?.cursor ?? '' })).to.deep.equal(
        rows.slice(i + 1),
      );
    const all = { merchantId: harness.merchant.id, from: null, to: null };
    for await (const page of exportRows(harness.ctx, 'transfers', all))
      expect(page).to.have.length.at.most(2_000);
  });

  it('are of the days that are asked for, and leave out what may still be committed', async () => {
    harness.advance(-86_400);
    await createPayment(harness, { order_id: 'friday' });
    harness.advance(86_400);
    await createPayment(harness, { order_id: 'saturday' });
    const orders = async (fields: Row) => (await download(fields)).map(({ order_id }) => order_id);
    expect(await orders({})).to.deep.equal(['friday']);
    expect(await orders({ to: '2026-01-31' })).to.deep.equal(['friday']);
    harness.advance(31);
    expect(await orders({})).to.deep.equal(['friday', 'saturday']);
    expect(await orders({ from: '2026-01-31' })).to.deep.equal(['saturday']);
    expect(await orders({ to: '2026-01-30' })).to.deep.equal(['friday']);
    expect(await orders({ from: '2026-01-30', to: '2026-01-31' })).to.deep.equal(['friday', 'saturday']);
    expect(await orders({ from: '2026-02-01' })).to.deep.equal([]);
  });

  it('say what is wrong with a form, and let nothing out', async () => {
    const stranger = await harness.addMerchant();
    const theirs = await createPayment(harness, {}, stranger.apiKey);
    harness.advance(60);
    for (const fields of [
      { kind: 'events' },
      { kind: 'keys' },
      { format: 'xml' },
      { currency: 'XXX' },
      { from: 'yesterday' },
      { to: '2026-02-30' },
      { from: '2026-02-01', to: '2026-01-01' },
      { after: 'x' },
      { after: 'pay_00000000000000000000000000.1' },
      { after: `${theirs.id}.0` },
    ] as Row[]) {
      const { status, text } = await ask(fields);
      expect(status, JSON.stringify(fields)).to.equal(400);
      expect(text).to.include('role="alert"').and.to.not.include('&#38;lt;');
    }
    expect(await entries()).to.have.lengthOf(0);
  });

  it('are written down in the audit log, with what was let out to whom', async () => {
    await download({ kind: 'refunds', from: '2026-01-01', currency: 'EUR' });
    const [entry, ...others] = await entries();
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({
      merchant_id: harness.merchant.id,
      kind: 'person',
      actor: ann.id,
      details: {
        kind: 'refunds',
        format: 'ndjson',
        currency: 'EUR',
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-31T11:59:30.000Z',
        after: null,
      },
    });
  });

  it('are served at a suspended merchant, which can take its books along', async () => {
    await createPayment(harness);
    harness.advance(60);
    await harness.ctx.db('merchants').update({ suspended_at: harness.ctx.now() });
    expect(await download({})).to.have.lengthOf(1);
  });

  it('of the audit log are for owners, oldest first, with the hashes, and go on behind a number', async () => {
    const path = `/dashboard/${harness.merchant.id}/audit/export`;
    const owner = await joinDesk(harness, 'owner@shop.example');
    expect((await ann.post(path, { format: 'csv' })).status).to.equal(403);
    const rowsOf = async (after: string) => {
      const { text } = await owner.post(path, { format: 'ndjson', after });
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
    };
    const [first, ...rest] = await rowsOf('');
    expect(first).to.include({ number: 1, command: 'invitation accepted', cursor: '1' });
    const stored = await harness.ctx
      .db('operator_actions')
      .where({ number: 1 })
      .first<{ hash: Buffer }>('hash');
    expect(first?.hash).to.equal(stored?.hash.toString('hex'));
    expect(rest.at(-2)).to.deep.include({
      command: 'export',
      details: { kind: 'audit', format: 'ndjson', after: '0' },
    });
    expect(rest.at(-1)).to.deep.equal({ end: true, rows: rest.length });
    expect((await rowsOf('1')).slice(0, rest.length - 1)).to.deep.equal(rest.slice(0, -1));
    for (const fields of [{ format: 'xml' }, { format: 'csv', after: '-1' }] as Row[])
      expect((await owner.post(path, fields)).status).to.equal(400);
  });
});

describe('what an export says that amounts were worth', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const all = () => ({ merchantId: harness.merchant.id, from: null, to: null });

  it('is in the currency of the pages, or in the one that is asked for', async () => {
    await createPayment(harness, { pay_amount: '10.50' });
    const worth = async (currency: 'JPY' | null) => {
      const [row] = await exported(harness.ctx, 'payments', { ...all(), currency });
      return [row?.value, row?.value_currency, row?.value_rate];
    };
    expect(await worth(null)).to.deep.equal(['10.50', 'USD', '1']);
    await harness.api('put', '/v1/checkout/appearance').send({ display_currency: 'EUR' }).expect(200);
    expect(await worth(null)).to.deep.equal(['9.21', 'EUR', '0.877192982456140351']);
    expect(await worth('JPY')).to.deep.equal(['1591', 'JPY', '151.5151515151515152']);
  });

  it('is the price where there was one in that currency', async () => {
    const price = { price_amount: '10.5', price_currency: 'EUR', pay_amount: undefined };
    await createPayment(harness, price);
    const [euros] = await exported(harness.ctx, 'payments', { ...all(), currency: 'EUR' });
    expect(euros).to.include({ value: '10.5', value_currency: 'EUR', value_rate: euros?.price_rate });
    const [dollars] = await exported(harness.ctx, 'payments', { ...all(), currency: 'USD' });
    expect(dollars).to.include({ value: '11.97', value_currency: 'USD', value_rate: '1' });
  });

  it('is that of its hour on the real market, and of no other', async () => {
    const live = await harness.addMerchant({ mode: 'live' });
    const rate = (usd: string, seconds: number) => ({
      usd,
      sources: ['kraken'],
      at: addSeconds(harness.ctx.now(), seconds),
    });
    const store = (usdc: string, eur: string, seconds: number) =>
      storeRates(
        harness.ctx.db,
        new Map<RatedId, ReturnType<typeof rate>>([
          ['USDC', rate(usdc, seconds)],
          ['EUR', rate(eur, seconds)],
        ]),
      );
    await store('1', '1.25', 600);
    await store('0.5', '1.25', 1_200);
    await store('0.9', '1.2', 3_600);
    await createPayment(harness, { pay_amount: '100' });
    await harness.ctx.db('payments').update({ merchant_id: live.id });
    const valueAt = async (seconds: number) => {
      await harness.ctx.db('payments').update({ created_at: addSeconds(harness.ctx.now(), seconds) });
      const [row] = await exported(harness.ctx, 'payments', {
        ...all(),
        merchantId: live.id,
        currency: 'EUR',
      });
      return [row?.value, row?.value_rate];
    };
    expect(await valueAt(60), 'the first rate of its hour').to.deep.equal(['80.00', '0.8']);
    expect(await valueAt(3_500)).to.deep.equal(['80.00', '0.8']);
    expect(await valueAt(3_600)).to.deep.equal(['75.00', '0.75']);
    expect(await valueAt(10_800), 'none was stored since').to.deep.equal(['75.00', '0.75']);
    expect(await valueAt(3 * 3_600 + 3_600), 'too long ago').to.deep.equal([null, null]);
    expect(await valueAt(-60), 'before the first').to.deep.equal([null, null]);
  });
});
