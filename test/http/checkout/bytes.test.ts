import { expect } from 'chai';
import { COINS_ON_NETWORKS } from '../../../src/domain/chain/coins.ts';
import { NETWORKS } from '../../../src/domain/chain/networks.ts';
import { ALL_LANGUAGES } from '../../../src/domain/languages/languages.ts';
import { createApp } from '../../../src/http/app.ts';
import { PageStreams } from '../../../src/http/checkout/page-streams.ts';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../../support/checkout.ts';
import { openEvents } from '../../support/event-stream.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { photo } from '../../support/images.ts';
import { listen, send, type Listening } from '../../support/http.ts';

/** A page's body, whatever compresses it. */
const MAX_PAGE = 10_000;
/** The first flight of a connection is ten segments of at most 1,460 bytes: headers and body fit it. */
const FIRST_FLIGHT = 14_600;
const MAX_PAYMENT = 60_000;

/** Of a customer who asks for much: each character is three bytes, of which little repeats. */
const DESCRIPTION =
  '宇治抹茶と和菓子の詰め合わせ、季節の贈り物用包装、熨斗つき。のし紙の表書きは御祝、名入れは大塚でお願いいたします。配達は十二月二十日の午前を希望します。' +
  '不在のときは宅配箱に入れてください。領収書は会社名で発行し、請求先の部署へ郵送してください。冷蔵便での発送を希望、保冷剤を多めに入れ、割れ物として扱い、上積みはしないでください。';

/** The settlement coin, USDC on Ethereum, is not offered: all others are, so the customer must choose. */
async function wearEverything(harness: Harness): Promise<void> {
  const isOwn = ({ coin, network }: { coin: string; network: string }) =>
    coin === 'USDC' && network === 'ethereum';
  await harness
    .api('put', '/v1/checkout/appearance')
    .send({
      // In a wallet's link and code each of these characters is nine.
      name: '大塚茶舗 京都宇治本店 オンラインショップ',
      support_url: 'https://shop.example/help',
      accent_color: '#ffee00',
      display_currency: 'EUR',
      methods: COINS_ON_NETWORKS.filter((method) => !isOwn(method)),
    })
    .expect(200);
  const image = await photo(160);
  await harness.api('put', '/v1/checkout/logo').set('Content-Type', 'image/jpeg').send(image).expect(200);
}

/** These streams poll when a test calls `pollOnce`. */
const NEVER = { intervalMs: 3_600_000 };

describe('the bytes of the checkout page on the wire', () => {
  let harness: Harness;
  let streams: PageStreams;
  let server: Listening;
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    streams = new PageStreams(harness.ctx, NEVER);
    const app = createApp(harness.ctx, {
      redis: null,
      admin: null,
      adapters: harness.adapters,
      sandbox: harness.sandbox,
      health: harness.health,
      live: streams,
    });
    server = await listen(app);
  });
  afterEach(async () => {
    streams.close();
    await server.close();
  });
  after(() => harness.close());

  const get = (path: string, encoding: string) => send(server, 'GET', path, { 'accept-encoding': encoding });
  const scriptPathIn = (page: string) => /\/checkout\/assets\/\w+\.js\b/.exec(page)?.[0] ?? '';

  for (const { id: language } of ALL_LANGUAGES)
    it(`${language}: one round trip shows a page that waits for money, with br and gzip`, async () => {
      for (const state of ['waiting', 'underpaid'])
        for (const encoding of ['br', 'gzip']) {
          const { token_id } = await paymentIn(harness, state);
          const earlier = server.sentBytes();
          const { headers, status } = await get(`/checkout/${token_id}?lang=${language}`, encoding);
          expect([status, headers['content-encoding']]).to.deep.equal([200, encoding]);
          const body = Number(headers['content-length']);
          expect(body, `${state}, ${encoding}`).to.be.within(1, MAX_PAGE - 1);
          expect(server.sentBytes() - earlier).to.be.within(body, FIRST_FLIGHT);
        }
    });

  for (const { id: language } of ALL_LANGUAGES)
    it(`${language}: so it does with all that a merchant can choose, before and after the choice of a coin`, async () => {
      await wearEverything(harness);
      const { token_id } = await paymentIn(harness, 'waiting', {
        order_description: DESCRIPTION,
      });
      const path = `/checkout/${token_id}?lang=${language}`;
      const isSmall = async () => {
        for (const encoding of ['br', 'gzip']) {
          const body = Number((await get(path, encoding)).headers['content-length']);
          expect(body, encoding).to.be.within(1, MAX_PAGE - 1);
        }
        return (await get(path, 'identity')).text;
      };
      expect(await isSmall()).to.include('id="methods"');
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      // On Solana code and link hold most; where all methods are on offer, so does the choice.
      for (const [coin, network] of [
        ['USDT', 'solana'],
        ['BTC', 'bitcoin'],
        ['USDT', 'tron'],
      ]) {
        const chosen = `coin=${coin}&network=${network}`;
        expect((await send(server, 'POST', `/checkout/${token_id}/coin`, form, chosen)).status).to.equal(303);
        const page = await isSmall();
        expect(page).to.include('id="amount"').and.include('≈').and.include('class="logo"');
        expect(page).to.include('id="play"').and.include('id="code-page"');
      }
      await harness.ctx.db('merchant_faces').delete();
    });

  for (const network of ['ethereum', 'tron'] as const)
    it(`a whole payment on ${network}, every block of it, is below 60 kB`, async () => {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const blocks = NETWORKS[network].confirmations;
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const chosen = `coin=USDT&network=${network}`;
      const { status } = await send(server, 'POST', `/checkout/${token_id}/coin`, form, chosen);
      expect(status).to.equal(303);
      const { text } = await get(`/checkout/${token_id}`, 'identity');
      // The plain page is read by this test only.
      const unseen = server.sentBytes();
      await get(`/checkout/${token_id}`, 'gzip');
      await get(scriptPathIn(text), 'gzip');
      const images = new Set(text.match(/\/checkout\/assets\/\w+\.svg/g));
      expect(images.size, 'the icon and the symbols').to.equal(2);
      for (const image of images) await get(image, 'gzip');
      const have = [...text.matchAll(/id="(\w+)"[^>]*data-part="([\w-]+)"/g)].map(
        ([, part = '', digest = '']) => `${part}.${digest}`,
      );
      expect(have).to.have.lengthOf.above(5);
      const version = /data-version="(\w+)"/.exec(text)?.[1] ?? '';
      const page = await openEvents(
        `${server.url}/checkout/${token_id}/events?version=${version}&lang=en&have=${have.join()}`,
      );
      try {
        const steps = [
          { ...CHECKOUT_STATES.seen },
          ...Array.from({ length: blocks - 1 }, (_, index) => ({ confirmations: index + 1 })),
          { ...CHECKOUT_STATES.converting, confirmations: blocks },
          { ...CHECKOUT_STATES.settled, confirmations: blocks },
        ];
        for (const [index, columns] of steps.entries()) {
          await setColumns(harness, id, columns);
          await streams.pollOnce();
          await page.receives(index + 1);
        }
        expect((await page.receives(steps.length)).data).to.include('Paid. Thank you!');
        expect(server.sentBytes() - unseen).to.be.within(MAX_PAGE, MAX_PAYMENT - 1);
      } finally {
        page.close();
      }
    });

  it('are fewer from the second page on: browsers keep the script', async () => {
    const pages = await Promise.all(['waiting', 'settled'].map((state) => paymentIn(harness, state)));
    const texts = await Promise.all(
      pages.map(async ({ token_id }) => (await get(`/checkout/${token_id}`, 'identity')).text),
    );
    const [path, ...others] = new Set(texts.map(scriptPathIn));
    expect(others).to.deep.equal([]);
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { status, headers } = await get(path ?? '', encoding);
      expect(status).to.equal(200);
      expect(headers).to.include({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
      expect(headers['content-encoding']).to.equal(encoding === 'identity' ? undefined : encoding);
    }
    const { text } = await get(path ?? '', 'identity');
    expect(text).to.include('EventSource');
  });

  it('of another release are not served, and nothing keeps the refusal', async () => {
    const { status, headers } = await get('/checkout/assets/00000000000000000000.js', 'gzip');
    expect([status, headers['cache-control']]).to.deep.equal([404, 'no-store']);
  });
});
