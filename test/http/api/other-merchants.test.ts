import { expect } from 'chai';
import type { Endpoint } from '../../../src/domain/api/endpoint.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import { countRows, createPayment, withoutPlace, type Answer } from '../../support/http.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';

/** What ids name, with an id of each that does not exist. */
const MISSING = {
  payment: `pay_${'0'.repeat(26)}`,
  refund: `ref_${'0'.repeat(26)}`,
  event: `evt_${'0'.repeat(26)}`,
  delivery: `dlv_${'0'.repeat(26)}`,
  endpoint: `whe_${'0'.repeat(26)}`,
  link: `lnk_${'0'.repeat(26)}`,
} as const;
type Thing = keyof typeof MISSING;
type Ids = Readonly<Record<Thing, string>>;

/** What the parameters of paths name, by the beginning of the path. The first that fits counts. */
const IN_PATHS: readonly (readonly [beginning: string, parameter: string, thing: Thing])[] = [
  ['/v1/payment/', 'refund_id', 'refund'],
  ['/v1/payment/', 'id', 'payment'],
  ['/v1/sandbox/payments/', 'id', 'payment'],
  ['/v1/events/', 'id', 'event'],
  ['/v1/webhooks/deliveries/', 'id', 'delivery'],
  ['/v1/webhooks/endpoints/', 'id', 'endpoint'],
  ['/v1/links/', 'id', 'link'],
];
/** What the ids in queries and bodies name, by their name, or by path and name. */
const IN_FIELDS: Readonly<Record<string, Thing>> = {
  payment_id: 'payment',
  event_id: 'event',
  endpoint_id: 'endpoint',
  '/v1/webhooks/endpoints/enable id': 'endpoint',
};
/** The merchant's own words, not ids of ours. */
const NO_IDS = new Set(['order_id']);

/** Bodies with which an endpoint would do what it is for. */
const BODIES: Readonly<Record<string, object>> = {
  '/v1/sandbox/payments/:id/advance': { by: '1m' },
  '/v1/webhooks/redeliver': { from_date: '2026-01-01' },
  '/v1/links/:id': { title: 'Coffee' },
  '/v1/payment/:id/refunds/:refund_id/announce': { tx_hash: `0x${'ab'.repeat(32)}` },
  '/v1/webhooks/endpoints/:id': { url: 'https://evil.example/' },
};

const parametersOf = ({ path }: Endpoint) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
const fieldsOf = (schema: unknown) => Object.keys((schema as { properties?: object })?.properties ?? {});
const idsOf = (schema: unknown) =>
  fieldsOf(schema).filter((name) => /(^|_)id$/.test(name) && !NO_IDS.has(name));
const inPath = (path: string, name: string) =>
  IN_PATHS.find(([beginning, parameter]) => path.startsWith(beginning) && parameter === name)?.[2];
const inField = (path: string, name: string) => IN_FIELDS[`${path} ${name}`] ?? IN_FIELDS[name];

/** The keys of a merchant are public, as are receivers' checks of them. */
const WITH_KEYS = ENDPOINTS.filter(({ auth }) => auth === 'required');
const OF_PATHS = WITH_KEYS.filter((one) => parametersOf(one).length > 0);
const OF_QUERIES = WITH_KEYS.flatMap((one) => idsOf(one.query).map((name) => [one, name] as const));
const OF_BODIES = WITH_KEYS.flatMap((one) => idsOf(one.body).map((name) => [one, name] as const));

describe("another merchant's ids, on every endpoint that takes one", () => {
  let harness: Harness;
  let stranger: TestMerchant;
  let theirs: Ids;
  let own: Ids;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    stranger = await harness.addMerchant({ name: 'Stranger' });
    theirs = await thingsOf(harness.merchant);
    own = await thingsOf(stranger);
  });
  after(() => harness.close());

  /** Has a payment that was paid and refunded, and its events sent. */
  const thingsOf = async ({ apiKey }: TestMerchant): Promise<Ids> => {
    const ask = async (method: 'get' | 'post', path: string, body?: object) => {
      const request = harness.api(method, path, apiKey);
      const { status, text, body: answered } = await (body === undefined ? request : request.send(body));
      expect(status, text).to.be.below(300);
      return answered as Record<string, string> & { data: Record<string, string>[] };
    };
    const { id: endpoint = '' } = await ask('post', '/v1/webhooks/endpoints', {
      url: 'http://127.0.0.1:1024/',
    });
    const { id: link = '' } = await ask('post', '/v1/links', { title: 'Tea', prices: [{ amount: '1' }] });
    const { id: payment } = await createPayment(harness, {}, apiKey);
    await ask('post', `/v1/sandbox/payments/${payment}/transfers`, {});
    await ask('post', `/v1/sandbox/payments/${payment}/advance`, { by: '10m' });
    const address = `0x${'1'.repeat(40)}`;
    const { id: refund = '' } = await ask('post', `/v1/payment/${payment}/refund`, { amount: '1', address });
    const { data: events } = await ask('get', `/v1/payment/${payment}/events`);
    const { data: deliveries } = await ask('get', `/v1/webhooks/deliveries?payment_id=${payment}`);
    const [event, delivery] = [events[0]?.id ?? '', deliveries[0]?.id ?? ''];
    return { payment, refund, event, delivery, endpoint, link };
  };

  const pathOf = (path: string, ids: Ids) =>
    path.replace(/:(\w+)/g, (_, name: string) => ids[inPath(path, name) ?? 'payment']);
  const ask = (
    { method, path }: Endpoint,
    { apiKey }: TestMerchant,
    ids: Ids,
    more: { readonly query?: string; readonly body?: object } = {},
  ): Promise<Answer> => {
    const request = harness.api(method, `${pathOf(path, ids)}${more.query ?? ''}`, apiKey);
    return Promise.resolve(method === 'get' ? request : request.send({ ...BODIES[path], ...more.body }));
  };
  /** Without what differs between two responses about two ids. */
  const shapeOf = ({ status, text }: Answer, ids: Ids) => {
    const body = JSON.parse(text) as Record<string, unknown>;
    const shown = JSON.stringify('statusCode' in body ? withoutPlace(body) : body);
    return [status, Object.entries(ids).reduce((all, [thing, id]) => all.replaceAll(id, thing), shown)];
  };

  it('is a list that the endpoints make: a new parameter or field says here what it names', () => {
    const paths = OF_PATHS.flatMap((one) => parametersOf(one).map((name) => [one.path, name] as const));
    expect(paths.filter(([path, name]) => inPath(path, name) === undefined)).to.deep.equal([]);
    const fields = [...OF_QUERIES, ...OF_BODIES].map(([{ path }, name]) => [path, name] as const);
    expect(fields.filter(([path, name]) => inField(path, name) === undefined)).to.deep.equal([]);
    expect([paths.length, OF_QUERIES.length, OF_BODIES.length].every((count) => count > 0)).to.equal(true);
  });

  for (const endpoint of OF_PATHS)
    it(`are as missing as those that do not exist: ${endpoint.method} ${endpoint.path}`, async () => {
      const before_ = await countRows(harness);
      const missing = await ask(endpoint, stranger, MISSING);
      expect(missing.status, missing.text).to.equal(404);
      for (const name of parametersOf(endpoint)) {
        // One's own payment with another's refund, and the other way round.
        const thing = inPath(endpoint.path, name) ?? 'payment';
        for (const ids of [theirs, { ...own, [thing]: theirs[thing] }])
          expect(shapeOf(await ask(endpoint, stranger, ids), ids), name).to.deep.equal(
            shapeOf(await ask(endpoint, stranger, { ...ids, [thing]: MISSING[thing] }), {
              ...ids,
              [thing]: MISSING[thing],
            }),
          );
      }
      expect(await countRows(harness)).to.deep.equal(before_);
    });

  for (const [endpoint, name] of OF_QUERIES)
    it(`find nothing in a query: ${endpoint.method} ${endpoint.path}?${name}=`, async () => {
      const thing = inField(endpoint.path, name) ?? 'payment';
      const found = await ask(endpoint, stranger, theirs, { query: `?${name}=${theirs[thing]}` });
      const missing = await ask(endpoint, stranger, theirs, { query: `?${name}=${MISSING[thing]}` });
      expect(shapeOf(found, theirs)).to.deep.equal(shapeOf(missing, MISSING));
      const mine = await ask(endpoint, harness.merchant, theirs, { query: `?${name}=${theirs[thing]}` });
      expect(shapeOf(mine, theirs), 'its own merchant finds something').to.not.deep.equal(
        shapeOf(missing, MISSING),
      );
    });

  for (const [endpoint, name] of OF_BODIES)
    it(`do nothing in a body: ${name} of ${endpoint.method} ${endpoint.path}`, async () => {
      const thing = inField(endpoint.path, name) ?? 'payment';
      const before_ = await countRows(harness);
      const found = await ask(endpoint, stranger, theirs, { body: { [name]: theirs[thing] } });
      const missing = await ask(endpoint, stranger, theirs, { body: { [name]: MISSING[thing] } });
      expect(shapeOf(found, theirs)).to.deep.equal(shapeOf(missing, MISSING));
      expect(await countRows(harness)).to.deep.equal(before_);
      const mine = await ask(endpoint, harness.merchant, theirs, { body: { [name]: theirs[thing] } });
      expect(shapeOf(mine, theirs), 'its own merchant finds it').to.not.deep.equal(shapeOf(missing, MISSING));
    });

  it('are found by their own merchant: what was asked for exists', async () => {
    // What is deleted is asked for no more.
    const isLast = ({ method }: Endpoint) => Number(method === 'delete');
    for (const endpoint of OF_PATHS.toSorted((one, other) => isLast(one) - isLast(other))) {
      const { status, text } = await ask(endpoint, harness.merchant, theirs);
      expect(status, `${endpoint.method} ${endpoint.path} ${text}`).to.not.equal(404);
    }
  });
});
