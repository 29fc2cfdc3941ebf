import { expect } from 'chai';
import { erasePersonalData } from '../../../src/domain/ops/personal-data/erase.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay, type Payment } from '../../support/http.ts';

describe('the search of payments at the desk', () => {
  let harness: Harness;
  let ann: DeskPerson;
  let other: string;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
    other = (await harness.addMerchant()).apiKey;
  });
  afterEach(() => harness.close());

  const page = () => `/dashboard/${harness.merchant.id}/payments`;
  const search = async (text: string) => {
    const { status, text: shown } = await ann.get(`${page()}?q=${encodeURIComponent(text)}`);
    expect(status, text).to.equal(200);
    return { shown, ids: [...shown.matchAll(/<code>(pay_\w+)<\/code>/g)].map(([, id]) => id) };
  };
  const idsOf = async (text: string) => (await search(text)).ids;
  /** The same payment at another merchant, which is found by nobody else. */
  const both = async (fields: object): Promise<Payment> => {
    await createPayment(harness, fields, other);
    return createPayment(harness, fields);
  };

  it('finds one by its order, its mail address and its metadata, whole and by how they begin, in either case', async () => {
    const { id } = await both({
      order_id: 'Shop-1001',
      customer_email: 'Carla@Buyer.example',
      metadata: { sku: 'Blue Jacket', empty: '', note: '100%_"\\' },
    });
    harness.advance(1);
    const later = await both({ order_id: 'shop-1002' });
    for (const text of [
      'shop-1001',
      'SHOP-1001',
      'carla@buyer.example',
      'carla',
      'blue jacket',
      'BLUE',
      '100%_"\\',
    ])
      expect(await idsOf(text), text).to.deep.equal([id]);
    expect(await idsOf('  shop-100 ')).to.deep.equal([later.id, id]);
    for (const text of ['hop-1001', 'buyer.example', 'jacket', '%', '_', '\\', 'nothing'])
      expect(await idsOf(text), text).to.deep.equal([]);
    expect((await search('nothing')).shown).to.include('Nothing was found.');
  });

  it('finds one by its id, its link, its address and the transactions of its transfers and refunds', async () => {
    const made = await both({});
    const { id } = made;
    await pay(harness, id);
    const refund = { amount: '1', to_sender: true };
    await harness.api('post', `/v1/payment/${id}/refund`).send(refund).expect(201);
    await harness.work();
    const of = async (table: string, column: string, key: string) => {
      const [value] = await harness.ctx
        .db(table)
        .where({ [key]: id })
        .pluck<string>(column);
      if (value === undefined) throw new Error(`${table} has no row`);
      return value;
    };
    const address = await of('payments', 'address', 'id');
    const [came, sent] = [
      await of('transfers', 'tx_hash', 'payment_id'),
      await of('refunds', 'tx_hash', 'payment_id'),
    ];
    for (const text of [
      id,
      made.token_id,
      made.checkout_url,
      `${made.checkout_url}?lang=de`,
      address,
      address.toLowerCase(),
      came,
      came.toUpperCase().replace('0X', ''),
      sent,
    ])
      expect(await idsOf(text), text).to.deep.equal([id]);
  });

  it('shows what fits exactly first, then the newest, at most 50, and says that there is more', async () => {
    const exact = await createPayment(harness, { order_id: 'a' });
    for (let i = 0; i < 52; i += 1) {
      harness.advance(1);
      await createPayment(harness, { order_id: `a-${i}`, metadata: { sku: 'ab' } });
    }
    const { ids, shown } = await search('a');
    expect(ids).to.have.lengthOf(50);
    expect(shown).to.include('There is more: the first 50 are shown.');
    expect(new Set(ids).size).to.equal(50);
    expect((await search('a-1')).ids).to.have.lengthOf(11);
    const { ids: few } = await search('A-5');
    expect(few).to.have.lengthOf(3);
    expect(ids[0]).to.equal(exact.id);
  });

  for (const [what, fields, text] of [
    ['a link', { order_id: 'lnk_busy' }, 'lnk_busy'],
    ['a mail address', { customer_email: 'ann@buyer.example' }, 'ann@buyer.example'],
    ['metadata', { metadata: { sku: 'Blue' } }, 'blue'],
  ] as const)
    it(`shows the newest 50 of ${what} that has more, and of what begins so beside them`, async () => {
      const { id } = await createPayment(harness, fields);
      // An hour apart, as their ids are.
      await harness.ctx.db.raw(
        `INSERT INTO payments
         SELECT c.* FROM payments p, generate_series(1, 60) i, LATERAL jsonb_populate_record(p,
           jsonb_build_object('id', 'pay_Z' || lpad(i::text, 25, '0'), 'token_id', 'copy' || i,
             'created_at', p.created_at + i * interval '1 hour')) c
         WHERE p.id = ?`,
        [id],
      );
      const newest = Array.from({ length: 50 }, (_, i) => `pay_Z${String(60 - i).padStart(25, '0')}`);
      for (const typed of [text, text.slice(0, -1)]) expect(await idsOf(typed), typed).to.deep.equal(newest);
      expect((await search(text)).shown).to.include('There is more: the first 50 are shown.');
    });

  it('takes any text, and shows none of it as markup', async () => {
    for (const text of [
      '<script>alert(1)</script>',
      '\0',
      '\u{10FFFF}',
      "'; DROP TABLE payments; --",
      'x'.repeat(501),
    ]) {
      const { ids, shown } = await search(text);
      expect(ids).to.deep.equal([]);
      expect(shown).to.not.include('<script>');
    }
    expect((await ann.get(`${page()}?q=%ED%A0%80`)).status).to.equal(200);
  });

  it('finds nothing any more by what was erased', async () => {
    const { id } = await createPayment(harness, {
      customer_email: 'carla@buyer.example',
      metadata: { name: 'Carla Buyer' },
    });
    await pay(harness, id);
    expect([await idsOf('carla@'), await idsOf('carla b')]).to.deep.equal([[id], [id]]);
    expect(await erasePersonalData(harness.ctx.db, id)).to.equal(null);
    expect([await idsOf('carla@'), await idsOf('carla b')]).to.deep.equal([[], []]);
    expect(await harness.ctx.db('payment_terms').select()).to.deep.equal([]);
  });

  it('keeps no terms of a payment that is deleted, nor those of another that has the same', async () => {
    const [first, second] = [
      await createPayment(harness, { metadata: { a: 'same', b: 'same' } }),
      await createPayment(harness, { metadata: { a: 'same' } }),
    ];
    const terms = () => harness.ctx.db('payment_terms').orderBy('payment_id').pluck('payment_id');
    expect(await terms()).to.have.members([first.id, second.id]);
    await harness.ctx.db('quotes').where({ payment_id: first.id }).delete();
    await harness.ctx.db('payments').where({ id: first.id }).delete();
    expect(await terms()).to.deep.equal([second.id]);
  });
});
