import { expect } from 'chai';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { joinDesk, openBrowser } from '../../support/desk.ts';
import { withCell } from '../../support/cells.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { buyByLink, createLink, pathOf } from '../../support/links.ts';
import { captureLog } from '../../support/logs.ts';
import { makeTill, openTillBrowser, pairingOf } from '../../support/tills.ts';
import { until } from '../../support/until.ts';

describe('what was made before CELL was set', () => {
  let before: Harness;
  let now: Harness;
  beforeEach(async () => {
    before = await createHarness();
    now = withCell(before, 'b7');
  });
  afterEach(() => before.close());

  it('works on: keys, checkout pages, links, tills, sessions at the desk', async () => {
    const { id, token_id: token } = await createPayment(before);
    const link = await createLink(before);
    const till = await makeTill(before);
    const pairing = await pairingOf(before, till);
    const device = await openTillBrowser(before, till);
    const ann = await joinDesk(before, 'ann@shop.example');
    expect([before.merchant.apiKey, token, ann.cookies.get('desk')].join(' ')).to.match(
      /^sk_test_[\w-]{32} [\w-]{32} [\w-]{32}$/,
    );

    await now.api('get', `/v1/payment/${id}`).expect(200);
    await now.api('get', `/checkout/${token}`, null).expect(200);
    await now.api('get', pathOf(link), null).expect(200);
    expect(await buyByLink(now, link)).to.match(/^b7\.[\w-]{32}$/);
    await now.api('get', pairing, null).expect(200);
    const [counter, desk] = [openBrowser(now), openBrowser(now)];
    for (const [name, value] of device.cookies) counter.cookies.set(name, value);
    expect((await counter.get('/till')).text).to.include('id="sell"');
    for (const [name, value] of ann.cookies) desk.cookies.set(name, value);
    const old = await desk.get(`/dashboard/b7/${now.merchant.id}`);
    expect([old.status, old.set]).to.deep.equal([200, []]);
  });

  it('has a key whose random part begins as a cell does, beside one of that cell', async () => {
    const lookalike = `sk_test_b7_${'x'.repeat(29)}`;
    const { db } = before.ctx;
    await db('api_keys')
      .where({ key_hash: hashApiKey(before.merchant.apiKey) })
      .update({ key_hash: hashApiKey(lookalike) });
    await now.api('get', '/v1/payments', lookalike).expect(200);
    await now.api('get', '/v1/payments', `${lookalike}xxx`).expect(401);
  });
});

describe('the log of a service with a cell', () => {
  it('holds no key, no token and no cookie, and names the route', async () => {
    const harness = await createHarness({ CELL: 'b7' });
    const captured = captureLog();
    const service = withCell({ ...harness, ctx: { ...harness.ctx, log: captured.log } }, 'b7');
    try {
      const { token_id: token } = await createPayment(harness);
      const secret = 'SECRET'.repeat(5);
      const paths = [
        `/checkout/${token}`,
        `/checkout/b7.${secret}`,
        `/l/b7.${secret}/nowhere`,
        `/till/pair/b7.${secret}`,
        `/till/pair/b7.${secret}/nowhere`,
        `/dashboard/b7/invitations/${secret}/nowhere`,
        `/dashboard/invitations/${secret}`,
      ];
      for (const path of paths) await service.api('get', path, null);
      await service.api('get', `/v1/payment/sk_live_b7_${secret}xx`, harness.merchant.apiKey);
      const lines = () => captured.lines('request');
      await until('every request is logged', () => lines().length > paths.length);
      expect(captured.text()).to.not.match(/SECRET/);
      expect(captured.text()).to.not.include(token).and.not.include(harness.merchant.apiKey);
      const routes = lines().map(({ route, path }) => (route === 'none' ? path : route));
      expect(routes).to.include.members([
        '/checkout/:token',
        '/l/:token/nowhere',
        '/till/pair/:token/nowhere',
        '/dashboard/b7/invitations/:token/nowhere',
      ]);
      expect(lines().at(-1)?.key).to.match(/^sk_test_b7_[\w-]{5}$/);
    } finally {
      await harness.close();
    }
  });
});
