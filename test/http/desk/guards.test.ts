import { expect } from 'chai';
import supertest from 'supertest';
import { may, ROLES, type Role } from '../../../src/domain/people/rights/roles.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import type { DeskRoute } from '../../../src/http/desk/shell/route.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import { TREASURY } from '../../support/wallets.ts';
import { joinDesk, openBrowser, OWN, type DeskBrowser, type DeskPerson } from '../../support/desk.ts';
import { filled, thingsOf, type Things } from '../../support/desk-things.ts';

const DEPENDENCIES = { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX };
const ROUTES = deskRoutes({ production: false }, DEPENDENCIES);
const nameOf = ({ method, path }: DeskRoute) => `${method} ${path}`;
const POSTS = ROUTES.filter(({ method }) => method === 'post');
const OF_MERCHANTS = ROUTES.filter((route) => route.access === 'member');

/** The tables that a form of the desk may write. */
const TABLES = [
  'tills',
  'till_devices',
  'people',
  'memberships',
  'invitations',
  'totp_factors',
  'recovery_codes',
  'passkeys',
  'password_links',
  'operator_actions',
  'merchants',
  'merchant_faces',
  'mail_texts',
  'payment_links',
  'wallets',
  'endpoint_registrations',
  'webhook_secrets',
  'endpoint_secrets',
  'deliveries',
  'payments',
  'refunds',
  'transfers',
  'sim_transfers',
  'idempotency_keys',
  'payment_views',
];
/** But for the use of a key, which is recorded without waiting. */
const KEYS = ['key_hash', 'revoked_at', 'permissions', 'expires_at', 'allowed_addresses'];

describe('every route of the desk', () => {
  let harness: Harness;
  let other: TestMerchant;
  let owner: DeskPerson;
  let things: Things;
  const people = new Map<Role, DeskPerson>();
  before(async () => {
    harness = await createHarness();
    other = await harness.addMerchant({ name: 'Other shop' });
    owner = await joinDesk(harness, 'owner@shop.example');
    things = await thingsOf(harness, harness.merchant, owner);
    await joinDesk(harness, 'victim@other.example', { merchantId: other.id });
    people.set('owner', owner);
    for (const role of ['developer', 'support', 'read-only'] as const)
      people.set(role, await joinDesk(harness, `${role}@shop.example`, { role }));
  });
  after(() => harness.close());

  const pathOf = ({ path }: DeskRoute, merchant: string) => filled(path, merchant, things);
  const FORM = {
    role: 'owner',
    time_zone: 'Asia/Tokyo',
    email: 'eve@evil.example',
    title: 'Owned',
    subject: 'Owned',
    underpaid: 'accept',
    tolerance: '100',
    kind: 'forwarder',
    value: TREASURY,
    address: TREASURY,
  };
  const ask = (browser: DeskBrowser, route: DeskRoute, path: string) => {
    if (route.method === 'get') return browser.get(path);
    return route.takesFile === true
      ? browser.upload(path, 'logo', Buffer.from('no image'))
      : browser.post(path, FORM);
  };
  /** Where a form of the route is, for who sends it with another type of content. */
  const OWN_TYPE = (route: DeskRoute) => (route.takesFile === true ? 'multipart/form-data' : null);
  const stored = async () => {
    const rows = TABLES.map(async (table) => JSON.stringify(await harness.ctx.db(table).select()));
    const keys = JSON.stringify(await harness.ctx.db('api_keys').orderBy('key_hash').select(KEYS));
    return [...(await Promise.all(rows)), keys].join('\n');
  };

  it('has a name of its own, and is in front of every other that its path matches', () => {
    const names = ROUTES.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    const shapes = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
    expect(new Set(shapes).size).to.equal(shapes.length);
  });

  for (const route of OF_MERCHANTS)
    it(`gives the same 404 for another merchant's id as for one that does not exist: ${nameOf(route)}`, async () => {
      const before = await stored();
      const none = `mer_${'0'.repeat(26)}`;
      const missing = await ask(owner, route, pathOf(route, none));
      for (const id of [other.id, 'x', '%00', other.id.toLowerCase()]) {
        const answer = await ask(owner, route, pathOf(route, id));
        expect([answer.status, answer.text], id).to.deep.equal([404, missing.text]);
      }
      expect(await stored()).to.equal(before);
    });

  for (const route of ROUTES.filter(({ access }) => access !== 'anybody'))
    it(`leads who is not signed in to the page for that, and does nothing: ${nameOf(route)}`, async () => {
      const before = await stored();
      const answer = await ask(openBrowser(harness), route, pathOf(route, harness.merchant.id));
      expect([answer.status, answer.location?.split('?')[0]]).to.deep.equal([303, '/dashboard/sign-in']);
      expect(await stored()).to.equal(before);
    });

  for (const route of OF_MERCHANTS)
    it(`is for the roles that have its right alone: ${nameOf(route)}`, async () => {
      for (const role of ROLES) {
        const person = people.get(role);
        if (person === undefined || route.access !== 'member') throw new Error(role);
        if (may(role, route.right)) continue;
        const before = await stored();
        const answer = await ask(person, route, pathOf(route, harness.merchant.id));
        expect(answer.status, role).to.equal(403);
        expect(await stored(), role).to.equal(before);
      }
    });

  const FOREIGN: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:3000' },
    { Origin: 'https://evil.example' },
    { Origin: 'http://localhost:3001' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'none', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'none', Origin: 'null' },
  ];
  for (const route of POSTS)
    it(`refuses a form of another page, whoever is signed in: ${nameOf(route)}`, async () => {
      const before = await stored();
      for (const headers of FOREIGN) {
        const path = pathOf(route, harness.merchant.id);
        const answer = await owner.post(path, { role: 'read-only', email: 'eve@evil.example' }, headers);
        expect([answer.status, answer.set], JSON.stringify(headers)).to.deep.equal([403, []]);
      }
      expect(await stored()).to.equal(before);
    });

  for (const route of POSTS)
    it(`takes a form alone, and no other type of content: ${nameOf(route)}`, async () => {
      const before = await stored();
      const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      for (const type of [
        'application/json',
        'text/plain',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/x-www-form-urlencoded2',
        ...(OWN_TYPE(route) === null ? [] : ['application/x-www-form-urlencoded']),
      ].filter((one) => one.split(';')[0] !== OWN_TYPE(route))) {
        const request = supertest(harness.app).post(pathOf(route, harness.merchant.id)).set(OWN);
        const sent = request.set('Cookie', cookie).set('Content-Type', type).send('role=read-only');
        expect((await sent).status, type).to.equal(415);
      }
      expect(await stored()).to.equal(before);
    });

  for (const route of ROUTES.filter(({ method }) => method === 'get'))
    it(`is not cached, framed or referred to elsewhere: ${nameOf(route)}`, async () => {
      const { headers } = await owner.get(pathOf(route, harness.merchant.id));
      expect(headers['cache-control']).to.equal('no-store');
      const policy = headers['content-security-policy'];
      // What the desk shows in a frame of its own runs no script, and has no form.
      const isFramed = route.path.endsWith('/preview');
      expect(policy).to.match(isFramed ? /form-action 'none'.*ancestors 'self'/ : /frame-ancestors 'none'/);
      expect(policy).to.match(/default-src 'none'/);
      // Scripts are named by their hash, or there are none.
      expect(policy).to.not.match(/unsafe|script-src(?! 'sha256-[\w+/=]+'[; ])/);
      expect(headers['referrer-policy']).to.equal('same-origin');
    });
});

describe('what is dangerous at the desk', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  for (const route of OF_MERCHANTS.filter((one) => one.access === 'member' && one.isFresh === true))
    it(`asks for the second factor again ten minutes after it was proven: ${nameOf(route)}`, async () => {
      const ann = await joinDesk(harness, 'ann@shop.example');
      harness.advance(600);
      const path = filled(route.path, harness.merchant.id, await thingsOf(harness, harness.merchant, ann));
      const send = (role: string) =>
        route.method === 'get' ? ann.get(path) : ann.post(path, { role, email: 'bob@shop.example' });
      const asked = await send('support');
      // A form is on a page of its own, or on its subject's.
      const isPage = ROUTES.some((one) => one.method === 'get' && one.path === route.path);
      const depth = path.includes('/settings/') ? 5 : 4;
      const page = isPage ? path : path.split('/').slice(0, depth).join('/');
      const confirm = `/dashboard/second-factor?to=${encodeURIComponent(page)}`;
      expect([asked.status, asked.location]).to.deep.equal([303, confirm]);
      expect(await harness.ctx.db('invitations').select()).to.have.lengthOf(0);
      expect((await ann.get(confirm)).text).to.include('Confirm that it is you');
      const proven = await ann.post('/dashboard/second-factor', { code: ann.code(), to: page });
      expect(proven.location).to.equal(`${page}?said=confirmed`);
      expect((await send('owner')).location).to.not.equal(confirm);
    });

  it('changes nothing at a suspended merchant, whose pages can be read', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    await harness.ctx.db('merchants').update({ suspended_at: harness.ctx.now() });
    const page = `/dashboard/${harness.merchant.id}/people`;
    expect((await ann.get(page)).status).to.equal(200);
    const answer = await ann.post(`${page}/invite`, { role: 'owner', email: 'bob@shop.example' });
    expect(answer.status).to.equal(403);
    expect(answer.text).to.include('suspended');
  });

  it('has cookies that neither scripts nor other sites get, and the checkout has none', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    harness.advance(30);
    const { set } = await ann.post('/dashboard/second-factor', { code: ann.code() });
    expect(set).to.have.lengthOf(2);
    for (const cookie of set)
      expect(cookie).to.match(/^desk(-device)?=[\w-]{32}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = await createHarness({ PUBLIC_URL: 'https://pay.example' });
    try {
      const bob = await joinDesk(secure, 'bob@shop.example');
      expect([...bob.cookies.keys()]).to.deep.equal(['__Host-desk', '__Host-desk-device']);
      secure.advance(30);
      const fields = { code: bob.code() };
      const own = { Origin: 'https://pay.example' };
      for (const cookie of (await bob.post('/dashboard/second-factor', fields, own)).set)
        expect(cookie).to.match(/^__Host-.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const plain = openBrowser(secure);
      plain.cookies.set('desk', bob.cookies.get('__Host-desk') ?? '');
      expect((await plain.get('/dashboard')).location).to.equal('/dashboard/sign-in');
    } finally {
      await secure.close();
    }
    const { body } = await harness.api('post', '/v1/payment').send({ pay_amount: '10', order_id: '1' });
    const { pathname } = new URL((body as { checkout_url: string }).checkout_url);
    expect((await ann.get(pathname)).set).to.deep.equal([]);
  });

  it('has no links that sign in by themselves in production', () => {
    const paths = deskRoutes({ production: true }, DEPENDENCIES).map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('/dashboard/links/'))).to.deep.equal([]);
  });
});
