import { expect } from 'chai';
import { joinDesk, openBrowser, type DeskPerson } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createPayment } from '../../../support/http.ts';
import { openShop } from '../../../support/shop.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { useWallet } from '../../../support/wallets.ts';
import { createApp } from '../../../../src/http/app.ts';
import { lookingHealth } from '../../../support/health.ts';

const ON = 'on';

describe('the methods of a merchant at the desk', () => {
  let harness: Harness;
  let owner: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  afterEach(() => harness.close());

  const path = (id = harness.merchant.id) => `/dashboard/${id}/settings/methods`;
  const isOn = (text: string, method: string) => new RegExp(`name="${method}"[^>]*checked`).test(text);
  const appearance = async () =>
    (await harness.api('get', '/v1/checkout/appearance')).body as { methods: object[] | null; name: string };

  it('are all on while nothing was chosen', async () => {
    const { text } = await owner.get(path());
    expect([isOn(text, 'USDC/ethereum'), isOn(text, 'BTC/bitcoin'), isOn(text, 'TRX/tron')]).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('that are switched on are all that the page of a payment offers, and the rest of the choices stays', async () => {
    await harness.api('put', '/v1/checkout/appearance').send({ name: 'Tea & co' }).expect(200);
    await owner.post(path(), { 'USDC/ethereum': ON, 'BTC/bitcoin': ON });
    const { methods, name } = await appearance();
    expect(methods).to.have.deep.members([
      { coin: 'USDC', network: 'ethereum' },
      { coin: 'BTC', network: 'bitcoin' },
    ]);
    expect(name).to.equal('Tea & co');
    const { text } = await owner.get(path());
    expect([isOn(text, 'BTC/bitcoin'), isOn(text, 'TRX/tron')]).to.deep.equal([true, false]);
    const { checkout_url } = await createPayment(harness);
    const page = await harness.api('get', new URL(checkout_url).pathname, null);
    expect(page.text).to.include('Bitcoin').and.not.include('Tronix');
    const entry = await harness.ctx
      .db('operator_actions')
      .where({ command: 'checkout appearance', kind: 'person' })
      .first<{ details: Record<string, unknown> }>();
    expect(entry?.details.before).to.include({ name: 'Tea & co', methods: null });
  });

  it('keep the order that the API has set, and with everything on have none', async () => {
    const order = [
      { coin: 'BTC', network: 'bitcoin' },
      { coin: 'USDC', network: 'ethereum' },
    ];
    await harness.api('put', '/v1/checkout/appearance').send({ methods: order }).expect(200);
    await owner.post(path(), { 'USDC/ethereum': ON, 'BTC/bitcoin': ON });
    expect((await appearance()).methods).to.deep.equal(order);
    await owner.post(path(), { 'USDC/ethereum': ON, 'BTC/bitcoin': ON, 'ETH/ethereum': ON });
    expect((await appearance()).methods).to.deep.equal([...order, { coin: 'ETH', network: 'ethereum' }]);
    const { text } = await owner.get(path());
    const all = [...text.matchAll(/type="checkbox"\s+id="([^"]+)"/g)].map(([, name = '']) => [name, ON]);
    await owner.post(path(), Object.fromEntries(all) as Record<string, string>);
    expect((await appearance()).methods).to.equal(null);
  });

  it('are never none at all', async () => {
    const answer = await owner.post(path(), {});
    expect([answer.status, (await appearance()).methods]).to.deep.equal([400, null]);
  });

  describe('of a live merchant on a real network', () => {
    it('are accepted by an owner where there is a wallet, and offered then', async () => {
      const { ctx } = harness;
      const network = openRealNetwork(harness, await openShop(harness), undefined, 'ethereum', ['bitcoin']);
      const live = await harness.addMerchant({ mode: 'live' });
      await useWallet(ctx, live.id);
      const app = createApp(
        { ...ctx, config: { ...ctx.config, simulateLive: false } },
        {
          redis: null,
          admin: null,
          adapters: network.adapters,
          sandbox: null,
          health: lookingHealth(ctx, network.adapters),
        },
      );
      const desk = { ...harness, app };
      const boss = await joinDesk(desk, 'boss@shop.example', { merchantId: live.id });
      const before = (await boss.get(path(live.id))).text;
      expect(before).to.include(`action="${path(live.id)}/accept"`);
      expect(before)
        .to.match(/name="BTC\/bitcoin"[^>]*disabled/)
        .and.include('Needs a wallet on this network');
      expect([isOn(before, 'USDC/ethereum'), isOn(before, 'ETH/ethereum')]).to.deep.equal([true, false]);
      await boss.post(`${path(live.id)}/accept`, {
        'USDC/ethereum': ON,
        'ETH/ethereum': ON,
        'BTC/bitcoin': ON,
      });
      const row = await ctx.db('merchants').where({ id: live.id }).first<Record<string, unknown>>();
      expect(row?.accepted_methods).to.deep.equal([{ coin: 'ETH', network: 'ethereum' }]);
      const refused = await boss.post(`${path(live.id)}/accept`, {});
      expect(refused.status).to.equal(400);
      const kept = await ctx.db('merchants').where({ id: live.id }).first<Record<string, unknown>>();
      expect(kept?.accepted_methods).to.deep.equal(row?.accepted_methods);
      const after = (await boss.get(path(live.id))).text;
      expect([isOn(after, 'USDC/ethereum'), isOn(after, 'ETH/ethereum')]).to.deep.equal([true, true]);
      const dev = await joinDesk(desk, 'dev@shop.example', { merchantId: live.id, role: 'developer' });
      const theirs = (await dev.get(path(live.id))).text;
      expect(theirs).to.include('Only an owner accepts another coin').and.not.include('/accept"');
      expect((await openBrowser(desk).get(path(live.id))).status).to.equal(303);
    });
  });
});
