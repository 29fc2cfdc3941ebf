import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { createPresentHarness } from '../examples/real-deliveries.ts';
import { startShop, type RunningShop } from '../examples/shop-process.ts';
import { endAll } from '../processes/service.ts';
import { freePort } from '../support/free-port.ts';
import type { Harness } from '../support/harness.ts';
import { listen, pay, type Listening, type Payment } from '../support/http.ts';
import { overflow, violations } from './axe.ts';
import { openBrowser, picture, withPage } from './browser.ts';

const PHONE = { width: 360, height: 740 };

describe('examples/shop, in a browser', () => {
  let harness: Harness;
  let service: Listening;
  let shop: RunningShop;
  let browser: Browser;
  before(async () => {
    const port = await freePort();
    harness = await createPresentHarness(0, { PUBLIC_URL: `http://127.0.0.1:${port}` });
    service = await listen(harness.app, port);
    shop = await startShop(harness, service.url);
    browser = await openBrowser();
  });
  after(async () => {
    await shop.close();
    await endAll();
    await service.close();
    await harness.close();
  });

  it('sells a shirt on a phone: product, checkout page, back to the order, which is fulfilled', async () => {
    await withPage(browser, { viewport: PHONE, shop: shop.url }, async (page) => {
      await page.goto(shop.url);
      expect(await violations(page)).to.deep.equal([]);
      expect(await overflow(page)).to.equal(0);
      await picture(page, 'shop-product');
      await page.getByRole('button', { name: 'Buy now' }).click();
      await page.locator('#amount').waitFor();
      expect(new URL(page.url()).origin).to.equal(service.url);

      const { data } = (await harness.api('get', '/v1/payments').expect(200)).body as { data: Payment[] };
      const [payment] = data;
      await page.goto(`${shop.url}/orders/${String(payment?.order_id)}`);
      await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
      await picture(page, 'shop-waiting');
      await pay(harness, payment?.id ?? '');
      await page.reload();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      await page.getByText('A parcel is on its way').waitFor();
      expect(await violations(page)).to.deep.equal([]);
      expect(await overflow(page)).to.equal(0);
      await picture(page, 'shop-paid');
    });
  });
});
