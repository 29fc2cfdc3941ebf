import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import supertest from 'supertest';
import { invite } from '../../../src/domain/people/members/invitations.ts';
import { takeGuess } from '../../../src/domain/people/sessions/buckets.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { invitePath, joinDesk, openBrowser, OWN, PASSWORD } from '../../support/desk.ts';
import { listen } from '../../support/http.ts';
import { waitingFor } from '../../support/locks.ts';

const DEPENDENCIES = { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX };
const ROUTES = deskRoutes({ production: false }, DEPENDENCIES);

describe('what an outsider tries at the desk', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const people = () => `/dashboard/${harness.merchant.id}/people`;

  it('gets no error for a character that Postgres does not hold, in a path, a query or a form', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const names = ['to', 'email', 'password', 'code', 'secret', 'role', 'present', 'next', 'name', 'id'];
    const fields = Object.fromEntries(names.map((name) => [name, `a\0@b.example`]));
    const query = ['to', 'said', 'before', 'after', 'status', 'order_id', 'from_date', 'q', 'page'];
    for (const { method, path } of ROUTES) {
      const own = path.replace(':merchant', harness.merchant.id).replaceAll(/:\w+/g, 'x%00y');
      const asked = `${own}?${query.map((name) => `${name}=%00`).join('&')}`;
      const answer = method === 'get' ? await ann.get(asked) : await ann.post(own, fields);
      expect(answer.status, `${method} ${path}`).to.be.below(500);
    }
  });

  it('gets a page that is neither cached nor framed, whatever is wrong with the request', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const post = () => supertest(harness.app).post('/dashboard/sign-in').set(OWN);
    const form = 'application/x-www-form-urlencoded';
    const answers: readonly (readonly [number, supertest.Test])[] = [
      [
        413,
        post()
          .type('form')
          .send(`email=${'a'.repeat(50_000)}`),
      ],
      [413, post().type('form').send('a=1&'.repeat(60))],
      [415, post().set('Content-Type', `${form}; charset=utf-16`).send('email=a')],
      [400, post().set('Content-Type', form).set('Content-Encoding', 'gzip').send('email=a')],
      [415, post().set('Content-Type', form).set('Content-Encoding', 'zstd').send('email=a')],
      [415, post().set('Content-Type', 'application/json').send('{}')],
      [403, supertest(harness.app).post('/dashboard/sign-in').type('form').send('email=a')],
      [303, supertest(harness.app).get('/dashboard/%E0%A4%A')],
      [404, supertest(harness.app).get('/dashboard/a/%00')],
      [404, supertest(harness.app).get('/dashboard/no/such/page')],
      [404, supertest(harness.app).put('/dashboard/sign-in')],
      [404, supertest(harness.app).delete(`/dashboard/${harness.merchant.id}`)],
      [404, supertest(harness.app).patch(people())],
    ];
    for (const [status, request] of answers) {
      const { method, url } = request as unknown as { method: string; url: string };
      const answer = await request;
      const headers = answer.headers as Record<string, string>;
      const which = `${method} ${new URL(url).pathname} ${status}`;
      expect(answer.status, which).to.equal(status);
      expect(headers['cache-control'], which).to.equal('no-store');
      expect(headers['content-security-policy'], which).to.include("frame-ancestors 'none'");
      expect(headers['x-content-type-options'], which).to.equal('nosniff');
      expect(answer.text, which).to.not.match(/node_modules|at .*\.ts:|SELECT/);
      if (status >= 400)
        expect(answer.text, which).to.include('<body class="desk').and.include('href="/dashboard"');
    }
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
  });

  it('reads that a form is too long, and not that it is of another page', async () => {
    const post = () => supertest(harness.app).post('/dashboard/sign-in').set(OWN).type('form');
    for (const form of [`email=${'a'.repeat(50_000)}`, 'a=1&'.repeat(60)]) {
      const { status, text } = await post().send(form);
      expect(status).to.equal(413);
      expect(text).to.include('That was too long').and.to.not.include('not one of the page’s own');
    }
  });

  for (const [what, status, env] of [
    ['asks too often', 429, { RATE_LIMIT_SCALE: '0.01' }],
    ['comes during a maintenance', 503, { MAINTENANCE: 'true' }],
  ] as const)
    it(`gets a page that nobody shows in a frame when they ${what}`, async () => {
      const other = await createHarness(env);
      try {
        const browser = openBrowser(other);
        await browser.get('/dashboard/sign-in');
        await browser.get('/dashboard/sign-in');
        const { headers, ...answer } = await browser.get('/dashboard/sign-in');
        expect(answer.status).to.equal(status);
        expect(headers['content-security-policy']).to.include("frame-ancestors 'none'");
        expect(headers['cache-control']).to.equal('no-store');
        expect(answer.text).to.include('<body class="desk');
      } finally {
        await other.close();
      }
    });

  it('waits for the end of a maintenance on a page that loads itself again, but for a form', async () => {
    const other = await createHarness({ MAINTENANCE: 'true' });
    try {
      const browser = openBrowser(other);
      const path = '/dashboard/sign-in';
      const page = await browser.get(path);
      expect(page.text).to.include(`http-equiv="refresh" content="${page.headers['retry-after']}"`);
      expect(page.text).to.include('This page does so by itself.');
      const form = await browser.post(path, { email: 'ann@shop.example', password: 'x' });
      expect(form.status).to.equal(503);
      expect(form.text).to.include('Try again in a minute.').and.not.include('http-equiv="refresh"');
    } finally {
      await other.close();
    }
  });

  it('is led back from what is missing: to the payments of their own shop, and else to the desk', async () => {
    const sue = await joinDesk(harness, 'sue@shop.example', { role: 'support' });
    const other = await harness.addMerchant({ name: 'Elsewhere' });
    const back = `href="/dashboard/${harness.merchant.id}/payments">Back to the payments<`;
    for (const path of ['/payments/pay_x', '/no/such/page', '/people/none']) {
      const { status, text } = await sue.get(`/dashboard/${harness.merchant.id}${path}`);
      expect(status, path).to.equal(404);
      expect(text, path)
        .to.include(back)
        .and.include('There is no such page')
        .and.include('aria-label="Shop"');
    }
    for (const path of [`/dashboard/${other.id}/payments`, '/dashboard/no/such/page']) {
      const { status, text } = await sue.get(path);
      expect([status, text.includes('Elsewhere')], path).to.deep.equal([404, false]);
      expect(text, path).to.include('href="/dashboard">Back to the dashboard<').and.not.include(back);
    }
  });

  it('changes nothing by a method that no form has', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const stored = async () =>
      JSON.stringify([await harness.ctx.db('memberships'), await harness.ctx.db('operator_actions')]);
    const before = await stored();
    const server = await listen(harness.app);
    try {
      for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'SEARCH', 'TRACE'])
        for (const path of ['/dashboard/sign-out', `${people()}/${ann.id}/remove`, '/dashboard/account']) {
          const status = await new Promise<number>((resolve, reject) => {
            const headers = { ...OWN, Cookie: cookie };
            const request = httpRequest(`${server.url}${path}`, { method, headers }, (response) => {
              response.resume();
              resolve(response.statusCode ?? 0);
            });
            request.on('error', reject).end();
          });
          expect(status, `${method} ${path}`).to.be.below(500);
        }
    } finally {
      await server.close();
    }
    expect(await stored()).to.equal(before);
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
  });

  it('is nobody with many cookies of one name, or with one that is too long', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const token = ann.cookies.get('desk') ?? '';
    const ask = (cookie: string) => supertest(harness.app).get('/dashboard/account').set('Cookie', cookie);
    for (const cookie of [`desk=${'x'.repeat(32)}; desk=${token}`, `desk=${token}x`, `desk="${token}"`])
      expect((await ask(cookie)).status).to.equal(303);
    expect((await ask(`desk=${token}; other=${'x'.repeat(12_000)}`)).status).to.equal(200);
  });

  it('invites nobody with a request that waited while they were removed', async () => {
    await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example');
    const by = { kind: 'person', actor: bob.id, address: '192.0.2.1' } as const;
    const asked = { merchantId: harness.merchant.id, email: 'eve@evil.example', role: 'owner' } as const;
    const invited = await waitingFor(
      harness.ctx.db,
      (tx) => tx('merchants').where({ id: harness.merchant.id }).forUpdate().select(),
      () => invite(harness.ctx, asked, by),
      (tx) => tx('memberships').where({ person_id: bob.id }).delete(),
    );
    expect(invited).to.equal('notOwner');
    expect(await harness.ctx.db('invitations').select()).to.deep.equal([]);
  });

  for (const [what, change] of [
    ['is removed', 'remove'],
    ['is an owner no more', 'role'],
  ] as const)
    it(`has no way back in by an invitation of an owner who ${what}`, async () => {
      const ann = await joinDesk(harness, 'ann@shop.example');
      const bob = await joinDesk(harness, 'bob@shop.example');
      const ofAnn = await invitePath(harness, 'guest@shop.example');
      await bob.post(`${people()}/invite`, { email: 'bob-too@evil.example', role: 'owner' });
      const { text } = await ann.get(people());
      expect(text).to.include('bob-too@evil.example');
      await ann.post(`${people()}/${bob.id}/${change}`, { role: 'support' });
      const left = await harness.ctx.db('invitations').select<{ email: string }[]>('email');
      expect(left).to.deep.equal([{ email: 'guest@shop.example' }]);
      expect((await openBrowser(harness).get(ofAnn)).status).to.equal(200);
    });

  it('keeps nobody out who has signed in before, however many accounts they guess at', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const { now } = harness.ctx;
    // As if 65,536 made-up accounts had been guessed at until no guess was left for any.
    await harness.ctx.db.raw(
      'INSERT INTO sign_in_buckets (slot, tokens, at) SELECT slot, 0, ? FROM generate_series(0, 65535) slot ON CONFLICT (slot) DO UPDATE SET tokens = 0, at = excluded.at',
      [now()],
    );
    const right = { email: ann.email, password: PASSWORD };
    expect(await takeGuess(harness.ctx, 'password', ann.email, null)).to.equal(false);
    expect((await openBrowser(harness).post('/dashboard/sign-in', right)).status).to.equal(400);
    expect((await ann.post('/dashboard/sign-in', right)).status).to.equal(303);
    expect(
      (await ann.post('/dashboard/second-factor', { code: ann.recoveryCodes[0] ?? '' })).status,
    ).to.equal(303);
  });
});
