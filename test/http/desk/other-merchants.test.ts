import { expect } from 'chai';
import { addApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { findTill } from '../../../src/domain/tills/store.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import type { DeskRoute } from '../../../src/http/desk/shell/route.ts';
import { invitePath, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import { createPayment } from '../../support/http.ts';
import { createLink } from '../../support/links.ts';
import { addWallet } from '../../support/wallets.ts';
import { addPasskey, Authenticator } from '../../support/passkeys.ts';
import { makeTill, pairingOf } from '../../support/tills.ts';
import { refundRow } from '../../support/refunds.ts';

/** The newest row's id, of what a person or a merchant has. */
async function idIn(harness: Harness, table: string, of: object): Promise<string> {
  const row = await harness.ctx.db(table).where(of).orderBy('id', 'desc').first<{ id: string }>('id');
  return row?.id ?? '';
}

let people = 0;
const join = (harness: Harness, { id }: TestMerchant) =>
  joinDesk(harness, `person-${(people += 1)}@shop.example`, { merchantId: id });

type Made = ReadonlyMap<string, string>;
/** What the parameters of paths name: makes one, of those before it in the path, and returns its id. */
const THINGS: Readonly<
  Record<string, (harness: Harness, merchant: TestMerchant, made: Made) => Promise<string>>
> = {
  payment: async (harness, { apiKey }) => (await createPayment(harness, {}, apiKey)).id,
  refund: async (harness, _merchant, made) => {
    const row = refundRow(made.get('payment') ?? '', harness.ctx.now(), { status: 'COMPLETED' });
    await harness.ctx.db('refunds').insert(row);
    return row.id;
  },
  view: async (harness, merchant) => {
    const keeper = { merchant_id: merchant.id, person_id: (await join(harness, merchant)).id };
    await harness.ctx.db('payment_views').insert({ ...keeper, name: 'Mine', filters: '' });
    return idIn(harness, 'payment_views', keeper);
  },
  link: async (harness, { apiKey }) => (await createLink(harness, {}, apiKey)).id,
  wallet: async ({ ctx }, { id }) => (await addWallet(ctx, id)).id,
  person: async (harness, merchant) => (await join(harness, merchant)).id,
  invitation: async (harness, { id }) => {
    await invitePath(harness, `guest-${(people += 1)}@shop.example`, { merchantId: id });
    return idIn(harness, 'invitations', { merchant_id: id });
  },
  session: async (harness, merchant) =>
    idIn(harness, 'person_sessions', { person_id: (await join(harness, merchant)).id }),
  key: async ({ ctx }, { id }) => (await addApiKey(ctx.config, ctx.db, id, [], ctx.now())).slice(0, 13),
  endpoint: async (harness, { apiKey }) => {
    const url = `https://receiver-${(people += 1)}.example/hooks`;
    const { body } = await harness
      .api('post', '/v1/webhooks/endpoints', apiKey)
      .send({ url, enabled: false });
    return (body as { id: string }).id;
  },
  delivery: async (harness, { id, apiKey }) => {
    await createPayment(harness, {}, apiKey);
    await harness.work();
    return idIn(harness, 'deliveries', { merchant_id: id });
  },
  passkey: async (harness, merchant) => {
    const person = await join(harness, merchant);
    await addPasskey(person, new Authenticator('http://localhost:3000'));
    return idIn(harness, 'passkeys', { person_id: person.id });
  },
  till: async (harness, { id }) => {
    // Ids of one moment have no order.
    harness.advance(1);
    return (await makeTill(harness, { merchantId: id })).id;
  },
  // Of the till that the path names before it.
  device: async (harness, { id }) => {
    const till = await findTill(harness.ctx.db, id, await idIn(harness, 'tills', { merchant_id: id }));
    if (till === null) throw new Error('the path names no till before its device');
    await pairingOf(harness, till);
    return idIn(harness, 'till_devices', { till_id: till.id });
  },
};
/** A person's, not a merchant's: that of a colleague is as far away. */
const PERSONAL = ['view', 'session', 'passkey'];
const DEPENDENCIES = { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX };
/** Of everybody: whoever has the token of a link may use it. And words of the desk's own. */
const NO_IDS = new Set(['merchant', 'token', 'need', 'mail', 'language']);
/** What each request writes, whatever it asks for. */
const TOUCHED = ['person_sessions', 'known_devices', 'key_request_counts', 'key_request_errors'];

const parametersOf = ({ path }: DeskRoute) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => !NO_IDS.has(name));
const ROUTES = deskRoutes({ production: false }, DEPENDENCIES).filter(
  (route) => parametersOf(route).length > 0,
);

describe("another merchant's ids, on every route of the desk that takes one", () => {
  let harness: Harness;
  let other: TestMerchant;
  let owner: DeskPerson;
  before(async () => {
    harness = await createHarness();
    other = await harness.addMerchant({ name: 'Other shop' });
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  after(() => harness.close());

  const thing = (name: string, merchant: TestMerchant, before: Made) => {
    const make = THINGS[name];
    if (make === undefined) throw new Error(`:${name} names something that this test does not know`);
    return make(harness, merchant, before);
  };
  const thingsOf = async (route: DeskRoute, merchant: TestMerchant) => {
    const made = new Map<string, string>();
    for (const name of parametersOf(route)) made.set(name, await thing(name, merchant, made));
    return made;
  };
  const ask = ({ method, path }: DeskRoute, ids: Made) => {
    const own = path.replace(/:(\w+)/g, (_, name: string) => ids.get(name) ?? harness.merchant.id);
    return method === 'get' ? owner.get(own) : owner.post(own, { role: 'read-only' });
  };
  /** Everything that is stored. */
  const stored = async () => {
    const { rows } = (await harness.ctx.db.raw(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r'`,
    )) as { rows: { name: string }[] };
    const tables = rows.map(({ name }) => name).filter((name) => !TOUCHED.includes(name));
    const texts = tables.map(async (name) => {
      const found = (await harness.ctx.db.raw('SELECT t::text AS row FROM ?? t ORDER BY 1', [name])) as {
        rows: unknown[];
      };
      return [name, JSON.stringify(found.rows)];
    });
    return Object.fromEntries(await Promise.all(texts)) as object;
  };

  it('is a list that the routes make: a new parameter says here what it names', () => {
    const names = new Set(ROUTES.flatMap(parametersOf));
    expect([...names].filter((name) => THINGS[name] === undefined)).to.deep.equal([]);
    expect(names).to.include('payment');
  });

  for (const route of ROUTES)
    it(`are as missing as those that do not exist: ${route.method} ${route.path}`, async () => {
      const [theirs, own] = [await thingsOf(route, other), await thingsOf(route, harness.merchant)];
      const before = await stored();
      const none = new Map(parametersOf(route).map((name) => [name, 'x'.repeat(30)]));
      const missing = await ask(route, none);
      expect(missing.status).to.equal(404);
      for (const ids of [
        theirs,
        // A character that Postgres stores nowhere.
        new Map(parametersOf(route).map((name) => [name, '%00'])),
        ...parametersOf(route).map((name) => new Map([...own, [name, theirs.get(name) ?? '']])),
      ]) {
        const answer = await ask(route, ids);
        expect([answer.status, answer.text]).to.deep.equal([404, missing.text]);
      }
      expect(await stored()).to.deep.equal(before);
      const found = await ask(route, own);
      if (!parametersOf(route).some((name) => PERSONAL.includes(name)))
        expect(found.status, found.text).to.not.equal(404);
    });
});
