import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { expectError } from '../../support/http.ts';

const PATH = '/v1/checkout/appearance';

const NOTHING = {
  name: null,
  support_url: null,
  accent_color: null,
  accent_used: null,
  display_currency: null,
  methods: null,
  embed_origins: [],
  logo: null,
  updated_at: null,
};

const CHOICES = {
  name: 'Café Ōtsuka',
  support_url: 'https://shop.example/help?x=1',
  accent_color: '#c8102e',
  display_currency: 'EUR',
  methods: [
    { coin: 'USDT', network: 'tron' },
    { coin: 'BTC', network: 'bitcoin' },
  ],
  embed_origins: ['https://shop.example', 'https://www.shop.example:8443'],
};

describe('the appearance of the checkout in the API', () => {
  let harness: Harness;
  let strict: Harness;
  before(async () => {
    harness = await createHarness();
    strict = await createHarness({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false', NODE_ENV: 'test' });
  });
  after(async () => {
    await harness.close();
    await strict.close();
  });

  const set = (body: object, key?: string) => harness.api('put', PATH, key).send(body);

  it('is all defaults until something is set', async () => {
    const { apiKey } = await harness.addMerchant();
    const { body, status } = await harness.api('get', PATH, apiKey);
    expect([status, body]).to.deep.equal([200, NOTHING]);
  });

  it('is replaced as a whole: what a request leaves out, or sets to null, is its default', async () => {
    const { apiKey } = await harness.addMerchant();
    const set200 = await set(CHOICES, apiKey);
    const expected = {
      ...NOTHING,
      ...CHOICES,
      accent_used: { light: '#c8102e', dark: set200.body.accent_used.dark as string },
      updated_at: harness.ctx.now().toISOString(),
    };
    expect([set200.status, set200.body]).to.deep.equal([200, expected]);
    expect(expected.accent_used.dark)
      .to.match(/^#[0-9a-f]{6}$/)
      .and.not.equal('#c8102e');
    expect((await harness.api('get', PATH, apiKey)).body).to.deep.equal(expected);
    const { body } = await set({ name: 'Other', methods: null }, apiKey);
    expect(body).to.deep.equal({ ...NOTHING, name: 'Other', updated_at: expected.updated_at });
  });

  it('can be sent back as it was read', async () => {
    const { apiKey } = await harness.addMerchant();
    await set(CHOICES, apiKey);
    const { body } = await harness.api('get', PATH, apiKey);
    const again = await set(body as object, apiKey);
    expect([again.status, again.body]).to.deep.equal([200, body]);
  });

  it("is each merchant's own", async () => {
    const [one, other] = [await harness.addMerchant(), await harness.addMerchant()];
    await set({ name: 'One' }, one.apiKey);
    expect((await harness.api('get', PATH, other.apiKey)).body).to.deep.equal(NOTHING);
  });

  it('is read with payments:read, and set with checkout:write', async () => {
    const reader = await harness.addMerchant({ permissions: ['payments:read'] });
    const writer = await harness.addMerchant({ permissions: ['checkout:write'] });
    await harness.api('get', PATH, reader.apiKey).expect(200);
    expectError(harness, await set({}, reader.apiKey), 403);
    await set({}, writer.apiKey).expect(200);
    expectError(harness, await harness.api('get', PATH, writer.apiKey), 403);
    for (const method of ['put', 'delete'] as const)
      expectError(harness, await harness.api(method, '/v1/checkout/logo', reader.apiKey), 403);
  });

  const FAULTS: readonly (readonly [name: string, body: object, field: string, constraint: string])[] = [
    ['an unknown field', { nmae: 'x' }, 'nmae', 'additionalProperties'],
    ['an empty name', { name: '' }, 'name', 'minLength'],
    ['a name of spaces', { name: '  ' }, 'name', 'pattern'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name', 'maxLength'],
    ['a name with NUL', { name: 'a\0' }, 'name', 'pattern'],
    ['a support link that runs a script', { support_url: 'javascript:alert(1)' }, 'support_url', 'format'],
    ['a support link with a password', { support_url: 'https://a:b@shop.example' }, 'support_url', 'format'],
    ['mailto without an address', { support_url: 'mailto:' }, 'support_url', 'format'],
    ['mailto with copies', { support_url: 'mailto:a@b.example?bcc=c@d.example' }, 'support_url', 'format'],
    ['mailto with two addresses', { support_url: 'mailto:a@b.example,c@d.example' }, 'support_url', 'format'],
    ['a colour by name', { accent_color: 'red' }, 'accent_color', 'pattern'],
    ['a colour of three digits', { accent_color: '#f00' }, 'accent_color', 'pattern'],
    ['a colour that ends the rule', { accent_color: '#ff0000;}' }, 'accent_color', 'pattern'],
    ['a coin as currency', { display_currency: 'BTC' }, 'display_currency', 'enum'],
    ['an unknown currency', { display_currency: 'eur' }, 'display_currency', 'enum'],
    ['no methods', { methods: [] }, 'methods', 'minItems'],
    [
      'a method twice',
      { methods: [CHOICES.methods[0], { network: 'tron', coin: 'USDT' }] },
      'methods',
      'uniqueItems',
    ],
    ['an unknown coin', { methods: [{ coin: 'DOGE', network: 'tron' }] }, 'methods.0.coin', 'enum'],
    ['a coin where it is not', { methods: [{ coin: 'BTC', network: 'tron' }] }, 'methods.0.network', 'enum'],
    [
      'a method with more',
      { methods: [{ ...CHOICES.methods[0], fee: 1 }] },
      'methods.0.fee',
      'additionalProperties',
    ],
    [
      '21 origins',
      { embed_origins: Array.from({ length: 21 }, (_, n) => `https://s${n}.example`) },
      'embed_origins',
      'maxItems',
    ],
    [
      'an origin twice',
      { embed_origins: ['https://a.example', 'https://a.example'] },
      'embed_origins',
      'uniqueItems',
    ],
    ['null for origins', { embed_origins: null }, 'embed_origins', 'type'],
  ];
  for (const [name, body, field, constraint] of FAULTS)
    it(`refuses ${name}, names the field, and keeps what was set`, async () => {
      const { apiKey } = await harness.addMerchant();
      await set(CHOICES, apiKey);
      const before = (await harness.api('get', PATH, apiKey)).body as object;
      expectError(harness, await set(body, apiKey), 400, { field, constraint });
      expect((await harness.api('get', PATH, apiKey)).body).to.deep.equal(before);
    });

  const ORIGINS = {
    'a path': 'https://shop.example/',
    'a wildcard': 'https://*.shop.example',
    'a host that ends the directive': "https://shop.example;script-src'unsafe-inline'",
    'a second origin': 'https://a.example https://b.example',
    capitals: 'https://Shop.example',
    'the default port': 'https://shop.example:443',
    'another scheme': 'ftp://shop.example',
    'a user': 'https://a@shop.example',
    'no scheme': 'shop.example',
    'every page': '*',
    'a keyword': "'self'",
    'an IPv6 address, which no policy can name': 'https://[2001:db8::1]',
  };
  for (const [name, origin] of Object.entries(ORIGINS))
    it(`refuses ${name} as an origin`, async () => {
      const answer = await set({ embed_origins: ['https://shop.example', origin] });
      expectError(harness, answer, 400, { field: 'embed_origins.1', constraint: 'format' });
    });

  it('takes http only where private networks are allowed', async () => {
    const http = { embed_origins: ['http://localhost:3000'], support_url: 'http://localhost:3000/help' };
    await set(http).expect(200);
    for (const [field, body] of [
      ['embed_origins.0', { embed_origins: http.embed_origins }],
      ['support_url', { support_url: http.support_url }],
    ] as const)
      expectError(strict, await strict.api('put', PATH).send(body), 400, { field, constraint: 'format' });
    await strict
      .api('put', PATH)
      .send({ ...CHOICES, support_url: 'mailto:help@shop.example' })
      .expect(200);
  });

  it('refuses methods on networks that do not serve the merchant', async () => {
    const { apiKey } = await harness.addMerchant({ mode: 'live' });
    const { methods } = CHOICES;
    expectError(harness, await set({ methods }, apiKey), 400, { field: 'methods.0', constraint: 'enum' });
  });
});
