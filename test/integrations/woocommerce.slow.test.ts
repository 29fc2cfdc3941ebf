import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { signWebhook } from '../../src/sdk/index.ts';
import { closeBrowser, openBrowser } from '../browser/browser.ts';
import { atPresent, createPresentHarness } from '../examples/real-deliveries.ts';
import { endAll, startProgram } from '../processes/service.ts';
import { ROOT } from '../support/documents.ts';
import type { Harness } from '../support/harness.ts';
import { listen, pay, type Listening } from '../support/http.ts';
import { until } from '../support/until.ts';
import { archived } from './plugin.ts';

/** A WordPress of tests, with WooCommerce active and a database that may be changed, and its address. */
const { WORDPRESS, WORDPRESS_URL = 'http://127.0.0.1:8181' } = process.env;
const suite = WORDPRESS === undefined ? describe.skip : describe;
const PLUGIN = join(ROOT, 'integrations/woocommerce');

const ADDRESS_OF_WEBHOOK = `${WORDPRESS_URL}/?wc-api=payment_checkout`;

interface Shop {
  readonly product: number;
  /** The pages of both checkouts. */
  readonly classic: number;
  readonly blocks: number;
  readonly hpos: boolean;
  readonly compatible: readonly string[];
  readonly gateways: readonly string[];
}

interface State {
  readonly status: string;
  readonly transaction: string;
  readonly refunded: string | number;
  readonly notes: readonly string[];
  readonly fault?: string;
}

suite(`the plugin in a real shop${WORDPRESS === undefined ? ', not run: WORDPRESS names none' : ''}`, () => {
  const site = WORDPRESS ?? '';
  const plugin = join(site, 'wp-content/plugins/payment-checkout');
  let harness: Harness;
  let service: Listening;

  before(async () => {
    rmSync(plugin, { recursive: true, force: true });
    cpSync(archived(), plugin, { recursive: true });
    harness = await createPresentHarness();
    service = await listen(harness.app);
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: ADDRESS_OF_WEBHOOK, enabled: true })
      .expect(200);
  });
  after(async () => {
    await closeBrowser();
    await service.close();
    await harness.close();
    rmSync(plugin, { recursive: true });
  });
  beforeEach(async () => {
    const { host } = new URL(WORDPRESS_URL);
    const server = startProgram(['php', '-S', host, '-t', site], {}, { cwd: site });
    await server.says(/Development Server/);
  });
  afterEach(endAll);

  const start = (action: string, given: object) =>
    startProgram(['php', join(PLUGIN, 'tests/real.php'), site, action, JSON.stringify(given)], {
      WORDPRESS_URL,
    });
  async function act<Result>(action: string, given: object = {}): Promise<Result> {
    const program = start(action, given);
    expect(await program.ended(), program.output()).to.equal(0);
    return JSON.parse(program.printed().trim().split('\n').at(-1) ?? '') as Result;
  }
  const state = (id: number) => act<State>('state', { id });
  const paymentOf = async (id: number) => {
    const { body } = await harness.api('get', `/v1/payments?order_id=${id}`).expect(200);
    return (
      (body as { data: { id: string; checkout_url: string; price: object | null }[] }).data[0] ??
      expect.fail()
    );
  };
  const eventsOf = async (id: string) => {
    const { body } = await harness.api('get', `/v1/payment/${id}/events`).expect(200);
    return (body as { data: { id: string }[] }).data;
  };
  const install = (hpos: boolean) =>
    act<{ fault: string | null }>('install', {
      hpos,
      base_url: service.url,
      api_key: harness.merchant.apiKey,
      webhook_secret: harness.merchant.webhookSecret,
      pricing: hpos ? 'price' : 'par',
    });

  for (const hpos of [true, false])
    describe(
      hpos
        ? "with orders in WooCommerce's own tables, and prices in money"
        : 'with orders in posts, and prices in coins',
      () => {
        let shop: Shop;
        beforeEach(async () => {
          expect(await install(hpos)).to.deep.equal({ fault: null });
          shop = await act<Shop>('prepare');
          expect(shop).to.include({ hpos });
          expect(shop.compatible).to.include.members(['custom_order_tables', 'cart_checkout_blocks']);
          expect(shop.gateways).to.include('payment_checkout');
        });

        it('completes an order by real deliveries, and refunds a part and the rest', async () => {
          const made = await act<{ id: number; result: string; redirect: string }>('order');
          const payment = await paymentOf(made.id);
          expect(made).to.include({ result: 'success', redirect: payment.checkout_url });
          if (hpos) expect(payment.price).to.include({ amount: '25', currency: 'USD' });
          else expect(payment.price).to.equal(null);
          await pay(harness, payment.id);
          const paid = await state(made.id);
          expect(paid.status, paid.notes.join('\n')).to.be.oneOf(['processing', 'completed']);
          expect(paid.transaction).to.equal(payment.id);
          expect(paid.notes.filter((note) => note.includes('Money was seen'))).to.have.length(1);

          for (const [amount, refunded] of [
            ['10.00', '10.00'],
            ['15.00', '25.00'],
          ] as const) {
            const after = await act<State>('refund', { id: made.id, amount });
            expect(after.fault).to.equal(undefined);
            expect(Number(after.refunded)).to.equal(Number(refunded));
            await harness.work();
            harness.advance(2);
            await harness.work();
          }
          const { body } = await harness.api('get', `/v1/payment/${payment.id}`).expect(200);
          expect(body).to.include({ amount_refunded: body.pay_amount, status: 'REFUNDED' });
          const sentBack = (await state(made.id)).notes.filter((note) => note.includes('was sent back'));
          expect(sentBack).to.have.length(2);
        });

        it('takes an order of the checkout block to the page of its payment', async () => {
          const visit = visitor();
          const api = '/?rest_route=/wc/store/v1';
          const nonce = (await visit(`${api}/cart`)).headers.get('nonce') ?? expect.fail('no nonce');
          const post = (path: string, body: object) =>
            visit(`${api}${path}`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json', Nonce: nonce },
              body: JSON.stringify(body),
            });
          await post('/cart/add-item', { id: shop.product, quantity: 1 });
          const answer = await post('/checkout', {
            billing_address: ADDRESS,
            payment_method: 'payment_checkout',
          });
          const { order_id: id, payment_result: result } = (await answer.json()) as {
            order_id: number;
            payment_result: { redirect_url: string };
          };
          expect(result.redirect_url).to.equal((await paymentOf(id)).checkout_url);
        });

        it('takes an order of the classic checkout to the page of its payment', async () => {
          const visit = visitor();
          await visit(`/?add-to-cart=${shop.product}`);
          const page = await (await visit(`/?page_id=${shop.classic}`)).text();
          const [, nonce = expect.fail(page)] = /checkout-nonce" value="(\w+)"/.exec(page) ?? [];
          const fields = Object.entries(ADDRESS).map(([name, value]) => [`billing_${name}`, value]);
          const answer = await visit('/?wc-ajax=checkout', {
            method: 'POST',
            body: new URLSearchParams({
              ...Object.fromEntries(fields),
              payment_method: 'payment_checkout',
              'woocommerce-process-checkout-nonce': nonce,
            }),
          });
          const made = (await answer.json()) as { result: string; order_id: number; redirect: string };
          expect(made).to.include({
            result: 'success',
            redirect: (await paymentOf(made.order_id)).checkout_url,
          });
        });

        it('is chosen in the checkout block by a customer, who comes to the page of the payment', async () => {
          const context = await (await openBrowser()).newContext();
          const page = await context.newPage();
          // The page of the service is another test's.
          await page.route(
            (url) => url.pathname.startsWith('/checkout/'),
            (route) => route.fulfill({ body: 'the page of the payment' }),
          );
          await page.goto(`${WORDPRESS_URL}/?add-to-cart=${shop.product}`);
          await page.goto(`${WORDPRESS_URL}/?page_id=${shop.blocks}`);
          await page.getByText('You choose the coin on the next page.').waitFor();
          await page.getByLabel('Email address').fill(ADDRESS.email);
          for (const label of ['First name', 'Last name', 'Address', 'City', 'ZIP Code'] as const)
            await page.getByLabel(label, { exact: true }).first().fill(FIELDS[label]);
          // The block tells the shop of the address, and takes no order meanwhile.
          const told = page.waitForResponse((answer) => answer.url().includes('/wc/store/v1/batch'));
          await page.getByLabel('ZIP Code', { exact: true }).first().blur();
          await told;
          await page.getByRole('button', { name: 'Place Order' }).click();
          await page.getByText('the page of the payment').waitFor();
          const { body } = await harness.api('get', '/v1/payments?limit=100').expect(200);
          const urls = (body as { data: { checkout_url: string }[] }).data.map((one) => one.checkout_url);
          expect(urls).to.include(page.url());
          await context.close();
        });

        it('passes the receiver check', async () => {
          const { ask, close } = await atPresent(harness);
          const examined = await ask('/v1/webhooks/examine', {});
          await close();
          expect(examined.passed, JSON.stringify(examined)).to.equal(true);
        });

        it('lets a delivery wait for another of the same order, and handles what comes twice once', async () => {
          const { id } = await act<{ id: number }>('order');
          const [event] = await eventsOf((await paymentOf(id)).id);
          const rawBody = JSON.stringify({ ...event, type: 'checkout.pending' });
          const deliver = async () => {
            const secrets = harness.merchant.webhookSecret;
            const headers = signWebhook({ eventId: String(event?.id), rawBody, secrets });
            return (await fetch(ADDRESS_OF_WEBHOOK, { method: 'POST', headers, body: rawBody })).status;
          };
          const other = start('hold', { id });
          await other.says('held');
          const delivered = deliver();
          await until(
            'the delivery waits',
            async () => (await act<{ count: number }>('waiting')).count === 1,
          );
          expect((await state(id)).status).to.equal('pending');
          other.signal('SIGKILL');
          expect(await delivered).to.equal(200);
          expect(await deliver()).to.equal(200);
          expect((await state(id)).notes.filter((note) => note.includes('Money was seen'))).to.have.length(1);
        });
      },
    );
});

/** A customer, who keeps cookies. */
function visitor(): (path: string, request?: RequestInit) => Promise<Response> {
  const cookies = new Map<string, string>();
  return async (path, request = {}) => {
    const headers = new Headers(request.headers);
    headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(WORDPRESS_URL + path, { ...request, headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    if (!answer.ok) expect.fail(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
}

const FIELDS = {
  'First name': 'Ann',
  'Last name': 'Lee',
  Address: '1 Road',
  City: 'Austin',
  'ZIP Code': '78701',
};
const ADDRESS = {
  first_name: 'Ann',
  last_name: 'Lee',
  address_1: '1 Road',
  city: 'Austin',
  state: 'TX',
  postcode: '78701',
  country: 'US',
  email: 'ann@example.com',
  phone: '5550100',
};
