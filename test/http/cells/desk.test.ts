import { expect } from 'chai';
import supertest from 'supertest';
import { createSignInLink } from '../../../src/domain/people/factors/links.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import { visiblePrefix } from '../../../src/platform/values/cells.ts';
import { hiddenField, joinDesk, openBrowser, PASSWORD, type DeskPerson } from '../../support/desk.ts';
import { filled, thingsOf } from '../../support/desk-things.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import type { Harness } from '../../support/harness.ts';
import { openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const ROUTES = deskRoutes(
  { production: false },
  { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX },
);

/** What a page leads to, loads or posts to, on the desk. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\s(?:href|src|action|formaction)="(\/dashboard[^"]*)"/gi)].map(([, link = '']) => link);

/** Everything on a page that names the desk, but for the hidden field of where to go afterwards. */
const mentionsOf = (text: string): string[] =>
  [...text.matchAll(/(?<!value=")\/dashboard[^"<\s]*/gi)].map(([mention]) => mention);

describe('the desk of a service with CELL=b7', () => {
  let scene: ReceiptScene;
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    scene = await openReceiptScene({ CELL: 'b7' });
    ({ harness } = scene);
    ann = await joinDesk(harness, 'ann@shop.example');
  });
  afterEach(() => scene.close());

  const get = (path: string) => supertest(harness.app).get(path).redirects(0);
  const home = () => `/dashboard/b7/${harness.merchant.id}`;

  it('leads from every page to pages, forms and frames of its own cell alone, which are there', async () => {
    const things = await thingsOf(harness, harness.merchant, ann);
    const links = new Set<string>();
    let pages = 0;
    for (const { path } of ROUTES.filter(({ method }) => method === 'get')) {
      const { status, text, location } = await ann.get(filled(path, harness.merchant.id, things));
      for (const link of mentionsOf(text)) expect(link, path).to.match(/^\/dashboard\/b7(?=[/?&]|$)/);
      for (const link of linksOf(text)) links.add(link.split('?')[0] ?? '');
      if (location !== undefined) expect(location, path).to.match(/^\/dashboard\/b7(?=[/?]|$)/);
      if (status === 200) pages += 1;
    }
    expect(pages).to.be.above(25);
    expect(links.size).to.be.above(40);
    for (const link of links)
      expect((await ann.get(link)).status, link)
        .to.be.oneOf([200, 303, 404])
        .and.satisfy((status: number) => (status === 404 ? isForm(link) : true));
  });

  /** A form's path need not have a page. */
  const isForm = (link: string): boolean => {
    const path = link.replace('/dashboard/b7', '/dashboard');
    return ROUTES.some(
      (route) =>
        route.method === 'post' && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
    );
  };

  it('signs in, confirms and signs out there, with cookies of its own', async () => {
    const browser = openBrowser(harness);
    expect((await browser.get('/dashboard')).location).to.equal('/dashboard/b7/sign-in');
    const account = await browser.get('/dashboard/b7/account');
    expect(account.location).to.equal('/dashboard/b7/sign-in?to=%2Fdashboard%2Faccount');
    const page = await browser.get(account.location ?? '');
    const to = hiddenField(page.text, 'to');
    const begun = await browser.post('/dashboard/b7/sign-in', { email: ann.email, password: PASSWORD, to });
    expect([...browser.cookies.keys()]).to.deep.equal(['__Host-desk.b7']);
    expect(begun.set[0]).to.match(
      /^__Host-desk\.b7=[\w-]{32}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    harness.advance(30);
    const code = { code: ann.code(), to: hiddenField((await browser.get(begun.location ?? '')).text, 'to') };
    const proven = await browser.post('/dashboard/b7/second-factor', code);
    expect(proven.location).to.equal('/dashboard/b7/account');
    expect([...browser.cookies.keys()]).to.deep.equal(['__Host-desk.b7', '__Host-desk-device.b7']);
    expect((await browser.get('/dashboard/b7/account')).status).to.equal(200);
    const ended = await browser.post('/dashboard/b7/sign-out');
    expect(ended.location).to.equal('/dashboard/b7/sign-in?said=ended');
    expect([...browser.cookies.keys()]).to.deep.equal(['__Host-desk-device.b7']);
  });

  it('redirects what lacks the cell to its own prefix, form and query included', async () => {
    for (const [path, to] of [
      ['/dashboard', '/dashboard/b7'],
      ['/dashboard/', '/dashboard/b7/'],
      ['/dashboard/sign-in?said=ended', '/dashboard/b7/sign-in?said=ended'],
      ['/dashboard/links/x', '/dashboard/b7/links/x'],
      [`/dashboard/${harness.merchant.id}/people`, `${home()}/people`],
    ] as const) {
      const { status, headers } = await get(path);
      expect([status, headers.location, headers['cache-control']], path).to.deep.equal([307, to, 'no-store']);
    }
    const posted = await supertest(harness.app).post('/dashboard/sign-in').type('form').send({ email: 'a' });
    expect([posted.status, posted.headers.location]).to.deep.equal([307, '/dashboard/b7/sign-in']);
  });

  it("has no page of another cell's", async () => {
    for (const path of ['/dashboard/c3', '/dashboard/c3/account', '/dashboard/B7', '/dashboard/b71/sign-in'])
      expect((await get(path)).status, path).to.equal(404);
    expect((await ann.get(`/dashboard/c3/${harness.merchant.id}`)).status).to.equal(404);
  });

  it('is where mails and printed links lead', async () => {
    await ann.post(`${home()}/people/invite`, { email: 'bob@shop.example', role: 'support' });
    const other = openBrowser(harness, 'Another device');
    await other.post('/dashboard/b7/forgotten', { email: ann.email });
    await other.post('/dashboard/b7/sign-in', { email: ann.email, password: PASSWORD });
    harness.advance(30);
    await other.post('/dashboard/b7/second-factor', { code: ann.code() });
    await harness.work();
    const texts = scene.server.mails.map(({ source }) => source.replaceAll('=\r\n', ''));
    const links = texts.flatMap((text) => text.match(/https:\/\/pay\.example\/dashboard\S*/g) ?? []);
    expect(links.map((link) => link.replace(/[\w-]{32}$/, 'TOKEN')).toSorted()).to.deep.equal([
      'https://pay.example/dashboard/b7/account',
      'https://pay.example/dashboard/b7/invitations/TOKEN',
      'https://pay.example/dashboard/b7/passwords/TOKEN',
    ]);
    const printed = new URL(await createSignInLink(harness.ctx, ann.id));
    expect(printed.pathname).to.match(/^\/dashboard\/b7\/links\/[\w-]{32}$/);
    const used = await openBrowser(harness).post(printed.pathname);
    expect([used.status, used.location]).to.deep.equal([303, '/dashboard/b7']);
  });

  it('makes keys that say the cell, shows as much of them as of others, and revokes them by that', async () => {
    const page = `${home()}/developers/keys`;
    const asked = await ann.get(`${page}/new`);
    const form = { name: 'Till roll', 'payments:read': 'on', form: hiddenField(asked.text, 'form') };
    const { text } = await ann.post(`${page}/new`, form);
    const [key = ''] = /sk_test_b7_[\w-]{32}/.exec(text) ?? [];
    await harness.api('get', '/v1/payments', key).expect(200);
    const prefix = visiblePrefix(key);
    expect(prefix).to.match(/^sk_test_b7_[\w-]{5}$/);
    expect((await ann.get(page)).text)
      .to.include(`${prefix}…`)
      .and.not.include(key);
    const revoked = await ann.post(`${page}/${prefix}/revoke`);
    expect(revoked.location).to.equal(`${page}?was=${prefix}`);
    expect((await ann.get(revoked.location ?? '')).text).to.include(prefix);
    await harness
      .api('get', '/v1/webhooks/config', key)
      .expect((answer) => expect(answer.status).to.not.equal(200));
  });
});
