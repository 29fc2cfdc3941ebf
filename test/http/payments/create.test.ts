import { expect } from 'chai';
import { countRows, createPayment, ORDER, pay, type Payment } from '../../support/http.ts';
import { recordQueries } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A new payment, and the same payment once it is settled. */
interface Sample {
  readonly created: Payment;
  readonly settled: Payment;
}

/** The specification's table, row by row, then the contract's additions; each in its order. */
const FIELDS: readonly [field: string, meaning: string, check: (sample: Sample) => void][] = [
  [
    'id',
    'a unique identifier, assigned by the service',
    ({ created }) => expect(created.id).to.match(/^pay_[0-9A-HJKMNP-TV-Z]{26}$/),
  ],
  [
    'token_id',
    'the public checkout token: at least 128 random bits, URL-safe',
    ({ created }) => expect(created.token_id).to.match(/^[A-Za-z0-9_-]{22,}$/),
  ],
  [
    'order_id',
    "the merchant's identifier, echoed",
    ({ created }) => expect(created.order_id).to.equal('order 1'),
  ],
  [
    'checkout_url',
    'the hosted payment page, with the token in it',
    ({ created }) =>
      expect(created.checkout_url).to.equal(`https://pay.example/checkout/${created.token_id}`),
  ],
  [
    'status',
    'WAITING at first, SETTLED in the end',
    ({ created, settled }) => expect([created.status, settled.status]).to.deep.equal(['WAITING', 'SETTLED']),
  ],
  [
    'pay_amount',
    'the amount to pay, as it was written',
    ({ created }) => expect(created.pay_amount).to.equal('10.50'),
  ],
  [
    'pay_currency',
    "the merchant's settlement coin",
    ({ created }) => expect(created.pay_currency).to.equal('USDC'),
  ],
  [
    'pay_network',
    "the merchant's settlement network",
    ({ created }) => expect(created.pay_network).to.equal('ethereum'),
  ],
  [
    'actually_paid',
    'null until completed, then the amount paid',
    ({ created, settled }) =>
      expect([created.actually_paid, settled.actually_paid]).to.deep.equal([null, '10.50']),
  ],
  [
    'actually_paid_currency',
    'null until completed, then the coin paid with',
    ({ created, settled }) =>
      expect([created.actually_paid_currency, settled.actually_paid_currency]).to.deep.equal([null, 'USDC']),
  ],
  [
    'created_at',
    'the time of creation',
    ({ created }) => expect(created.created_at).to.equal('2026-01-31T12:00:00.000Z'),
  ],
  [
    'expires_at',
    'the time of expiration',
    ({ created }) => expect(created.expires_at).to.equal('2026-01-31T13:00:00.000Z'),
  ],
  [
    'settled_at',
    'null until settled, then the time of settlement',
    ({ created, settled }) => {
      expect(created.settled_at).to.equal(null);
      expect(settled.settled_at).to.match(ISO);
    },
  ],
  [
    'metadata',
    "the merchant's own keys",
    ({ created }) => expect(created.metadata).to.deep.equal({ sku: 'A-1' }),
  ],
  ['exceptions', 'an array', ({ created }) => expect(created.exceptions).to.deep.equal([])],
  [
    'amount_received',
    'a decimal string',
    ({ created, settled }) =>
      expect([created.amount_received, settled.amount_received]).to.deep.equal(['0', '10.50']),
  ],
  ['amount_refunded', 'a decimal string', ({ created }) => expect(created.amount_refunded).to.equal('0')],
  [
    'sequence',
    "the number of the latest event: an integer that grows with the payment's steps",
    ({ created, settled }) => expect([created.sequence, settled.sequence]).to.deep.equal([1, 4]),
  ],
  [
    'cancelled_at',
    'null until the merchant cancels the payment',
    ({ created, settled }) =>
      expect([created.cancelled_at, settled.cancelled_at]).to.deep.equal([null, null]),
  ],
  [
    'settlement',
    'what is planned, and the amount once it is settled',
    ({ created, settled }) => {
      const planned = { mode: 'simulated', coin: 'USDC', network: 'ethereum', amount: null };
      expect([created.settlement, settled.settlement]).to.deep.equal([
        planned,
        { ...planned, amount: '10.50' },
      ]);
    },
  ],
  [
    'price',
    'null where no price in money was asked for',
    ({ created, settled }) => expect([created.price, settled.price]).to.deep.equal([null, null]),
  ],
];

describe('specification: Payment', () => {
  let harness: Harness;
  let sample: Sample;
  let listed: Payment;

  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1', PUBLIC_URL: 'https://pay.example' });
    const created = await createPayment(harness, { metadata: { sku: 'A-1' } });
    await pay(harness, created.id);
    const { body: settled } = await harness.api('get', `/v1/payment/${created.id}`).expect(200);
    const { body: list } = await harness.api('get', '/v1/payments').expect(200);
    sample = { created, settled };
    listed = list.data[0];
  });
  after(() => harness.close());

  for (const [field, meaning, check] of FIELDS) it(`has ${field}: ${meaning}`, () => check(sample));

  it('has these fields and no others, in this order, when created, read and listed', () => {
    const names = FIELDS.map(([field]) => field);
    expect(Object.keys(sample.created)).to.deep.equal(names);
    expect(Object.keys(sample.settled)).to.deep.equal(names);
    expect(Object.keys(listed)).to.deep.equal(names);
  });

  it('is the same payment when read and when listed', () => {
    expect(listed).to.deep.equal(sample.settled);
  });
});

const OPTIONAL_FIELDS = {
  order_description: 'Two shirts',
  callback_url: 'https://shop.example/hooks',
  success_url: 'https://shop.example/thanks?a=1#b',
  cancel_url: 'https://shop.example/cancelled',
  expiration_minutes: 30,
  customer_email: 'ann@example.com',
  metadata: { b: '1', a: '2' },
};

describe('specification: POST /v1/payment', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const stored = async (id: unknown): Promise<Record<string, unknown>> => {
    const { rows } = (await harness.ctx.db.raw(`SELECT * FROM payments WHERE id = ?`, [String(id)])) as {
      rows: Record<string, unknown>[];
    };
    return rows[0] ?? {};
  };
  const create = (fields: object = {}) => createPayment(harness, fields);

  it('returns 201 with a payment that is WAITING, with nothing paid', async () => {
    expect(await create()).to.include({
      status: 'WAITING',
      actually_paid: null,
      actually_paid_currency: null,
      settled_at: null,
    });
  });

  it('accepts every optional field and stores it', async () => {
    const { id } = await create(OPTIONAL_FIELDS);
    const { expiration_minutes: _minutes, ...columns } = OPTIONAL_FIELDS;
    const row = await stored(id);
    expect(row).to.deep.include(columns);
    expect(Object.keys(row.metadata as object)).to.deep.equal(['b', 'a']);
    expect(row.expires_at).to.deep.equal(new Date('2026-01-31T12:30:00Z'));
  });

  it('stores null for every optional field that is left out', async () => {
    const row = await stored((await create()).id);
    for (const column of ['order_description', 'callback_url', 'success_url', 'cancel_url', 'customer_email'])
      expect(row[column], column).to.equal(null);
  });

  it('writes payment, event, quote, deadline and dispatch job, each once', async () => {
    const before = await countRows(harness);
    await create();
    const after = await countRows(harness);
    const added = Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]);
    expect(Object.fromEntries(added)).to.deep.equal({
      payments: 1,
      events: 1,
      quotes: 1,
      refunds: 0,
      refund_addresses: 0,
      conversions: 0,
      scheduled_jobs: 2,
      deliveries: 0,
      transfers: 0,
      sim_transfers: 0,
      idempotency_keys: 0,
    });
  });

  it('creates a unique id and token per payment; ids are in the order of time', async () => {
    const first = await create();
    harness.advance(1);
    const second = await create();
    expect(second.id > first.id).to.equal(true);
    expect(second.token_id).to.not.equal(first.token_id);
  });

  for (const amount of [
    '1',
    '0.1',
    '10.50',
    '0.000000000000000001',
    '999999999999999999.999999999999999999',
    '100000000000000000',
  ])
    it(`returns pay_amount "${amount}" unchanged, now and later`, async () => {
      const { id, pay_amount } = await create({ pay_amount: amount });
      const { body } = await harness.api('get', `/v1/payment/${id}`).expect(200);
      expect([pay_amount, body.pay_amount]).to.deep.equal([amount, amount]);
    });

  const TEXTS: readonly [name: string, orderId: string][] = [
    ['255 characters', 'x'.repeat(255)],
    ['255 characters outside the basic plane, which are 510 UTF-16 units', '😀'.repeat(255)],
    ['one character', '1'],
    ['quotes, markup, a backslash and a per cent sign', `'"<b>\\%`],
    ['control characters other than NUL', 'a\u0001\n\u007f\u2028'],
    ['right-to-left marks, combining and private-use characters', '\u202eabc\u0301\ue000'],
    ['a noncharacter', '\uffff'],
  ];
  for (const [name, orderId] of TEXTS)
    it(`returns order_id unchanged: ${name}`, async () => {
      const { id, order_id } = await create({ order_id: orderId });
      const { body } = await harness.api('get', `/v1/payment/${id}`).expect(200);
      expect([order_id, body.order_id]).to.deep.equal([orderId, orderId]);
    });

  it('accepts an order_description of 1000 characters', async () => {
    const { id } = await create({ order_description: '€'.repeat(1000) });
    expect((await stored(id)).order_description).to.equal('€'.repeat(1000));
  });

  for (const minutes of [5, 1440])
    it(`accepts expiration_minutes ${minutes}`, async () => {
      const { created_at, expires_at } = await create({ expiration_minutes: minutes });
      expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).to.equal(minutes * 60_000);
    });

  it('uses a default expiration of 60 minutes', async () => {
    const { created_at, expires_at } = await create();
    expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).to.equal(3_600_000);
  });

  it('accepts 50 metadata keys of 40 characters with values of 500', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => String(index).padStart(40, 'k'));
    const metadata = Object.fromEntries(keys.map((key) => [key, 'é'.repeat(500)]));
    expect((await create({ metadata })).metadata).to.deep.equal(metadata);
  });

  it('accepts metadata keys that every object inherits', async () => {
    const metadata = JSON.parse('{"constructor":"1","toString":"2","hasOwnProperty":"3"}') as object;
    expect((await create({ metadata })).metadata).to.deep.equal(metadata);
  });

  it('accepts URLs of 2048 characters', async () => {
    const url = `https://shop.example/${'a'.repeat(2048 - 'https://shop.example/'.length)}`;
    const { id } = await create({ callback_url: url, success_url: url, cancel_url: url });
    expect(await stored(id)).to.include({ callback_url: url, success_url: url, cancel_url: url });
  });

  it("uses the settlement coin and network of the key's merchant", async () => {
    const other = await harness.addMerchant({ currency: 'BTC', network: 'bitcoin' });
    const { body } = await harness.api('post', '/v1/payment', other.apiKey).send(ORDER).expect(201);
    expect(body).to.include({ pay_currency: 'BTC', pay_network: 'bitcoin' });
  });

  it('costs one round trip to Postgres with a known key, with and without an Idempotency-Key', async () => {
    await create();
    expect(await recordQueries(() => create())).to.have.length(1);
    const withKey = () =>
      harness.api('post', '/v1/payment').set('Idempotency-Key', 'k').send(ORDER).expect(201);
    expect(await recordQueries(withKey)).to.have.length(1);
  });
});
