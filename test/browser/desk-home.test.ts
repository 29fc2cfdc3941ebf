import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { addSeconds } from '../../src/platform/clock.ts';
import { SETTLE_TIMES } from '../../src/domain/overview/counts/settle-times.ts';
import { joinDesk, type DeskPerson } from '../support/desk.ts';
import type { Harness, TestMerchant } from '../support/harness.ts';
import { createPayment, type Listening } from '../support/http.ts';
import { refundRow } from '../support/refunds.ts';
import { withPage } from './browser.ts';
import { fitsSmallAndLarge, SMALL_AND_LARGE } from './fits.ts';
import { lookAt } from './look.ts';
import { showPages } from './pages.ts';

const DAYS = 90;

describe('the home page of the desk in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  /** Shows pages to somebody who is signed in, with or without scripts. */
  const withPerson = (
    person: DeskPerson,
    use: (page: Page) => Promise<void>,
    { javaScriptEnabled = true } = {},
  ) =>
    withPage(browser, { userAgent: 'Walking browser', javaScriptEnabled }, async (page) => {
      const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: server.url }));
      await page.context().addCookies(cookies);
      await use(page);
    });
  const homeOf = ({ id }: Pick<TestMerchant, 'id'>, query = '') => `${server.url}/dashboard/${id}${query}`;

  /** A shop with some of everything that waits, and with 90 days of payments that rise and fall. */
  const busyShop = async (mode: 'test' | 'live', coins: readonly string[]) => {
    const { db, now } = harness.ctx;
    const shop = await harness.addMerchant({ name: mode === 'live' ? 'Live shop' : 'Busy shop', mode });
    // A live payment needs a real network: this one is of before the shop went live.
    const payer = mode === 'live' ? await harness.addMerchant() : shop;
    const payment = await createPayment(harness, { order_id: 'a-very-long-name-of-an-order' }, payer.apiKey);
    const refunds = (['NEEDS_ADDRESS', 'AWAITING_SIGNATURE'] as const).map((status, i) => ({
      ...refundRow(payment.id, now(), { status, address: i === 0 ? null : '0x1', reason: 'broken' }),
      id: `ref_${shop.id}_${i}`,
    }));
    await db('refunds').insert(refunds);
    await db('refunds')
      .whereIn(
        'id',
        refunds.map(({ id }) => id),
      )
      .update({ merchant_id: shop.id });
    await db('payments').where({ id: payment.id }).update({ merchant_id: shop.id });
    const rows = coins.flatMap((coin, at) =>
      Array.from({ length: DAYS - 2 }, (_, i) => {
        const created = Math.round(60 + 40 * Math.sin(i / 5) + (i % 7) * 6 + at * 20);
        const settled = Math.round(created * (0.82 + 0.1 * Math.cos(i / 9)));
        const times = Array.from({ length: SETTLE_TIMES }, (__, k) => (k === 6 + (i % 9) ? settled : 0));
        const volume = String(settled * 73.25);
        const quarter = addSeconds(now(), -(i + 1) * 86_400);
        return {
          merchant_id: shop.id,
          quarter,
          coin,
          created,
          created_settled: settled,
          settled,
          volume,
          times,
        };
      }),
    );
    await db('payment_counts').insert(rows);
    return { ...shop, payment: payment.id };
  };

  const look = async (page: Page, name: string, url: string | null) => {
    await lookAt(page, `desk-${name}`, url);
    if (url === null) await fitsSmallAndLarge(page, name);
  };

  check(`has no fault that axe finds, on light and dark screens, and fits ${SMALL_AND_LARGE}`, async () => {
    const fresh = await harness.addMerchant({ name: 'New shop' });
    const busy = await busyShop('test', ['USDC']);
    const live = await busyShop('live', ['USDC', 'USDT']);
    const people = await Promise.all(
      [fresh, busy, live].map(({ id }, i) => joinDesk(harness, `home-${i}@shop.example`, { merchantId: id })),
    );
    const [newcomer, ann, bob] = people;
    if (newcomer === undefined || ann === undefined || bob === undefined) throw new Error('nobody');
    await withPerson(newcomer, async (page) => {
      await look(page, 'home-new', homeOf(fresh));
    });
    await withPerson(ann, async (page) => {
      for (const days of [7, 30, 90]) await look(page, `home-busy-${days}`, homeOf(busy, `?days=${days}`));
      await page.goto(homeOf(busy, '?days=7'));
      for (const summary of await page.locator('.chart summary').all()) await summary.click();
      await look(page, 'home-tables', null);
      for (const need of ['refund_address', 'refund_held'])
        await look(page, `waiting-${need}`, homeOf(busy, `/waiting/${need}`));
    });
    await withPerson(bob, async (page) => {
      await look(page, 'home-live', homeOf(live));
      await look(page, 'waiting-network', homeOf(live, '/waiting/network'));
    });
  });

  check('leads by keyboard alone from what waits to its payment, and from range to range', async () => {
    const shop = await busyShop('test', ['USDC']);
    const ann = await joinDesk(harness, 'keys@shop.example', { merchantId: shop.id });
    await withPerson(ann, async (page) => {
      await page.goto(homeOf(shop));
      const follow = async (name: RegExp) => {
        await page.getByRole('link', { name }).first().focus();
        await page.keyboard.press('Enter');
      };
      await follow(/Refunds that wait for an address/);
      await page.waitForURL(/waiting\/refund_address$/);
      await follow(/^pay_/);
      await page.waitForURL(new RegExp(`/payments/${shop.payment}$`));
      await page.goto(homeOf(shop));
      await follow(/^90 days$/);
      await page.waitForURL(/days=90$/);
      expect(await page.locator('svg .day').count()).to.equal(3 * 90);
      const summary = page.locator('.chart summary').first();
      await summary.focus();
      await page.keyboard.press('Enter');
      expect(await page.getByRole('table').first().isVisible()).to.equal(true);
    });
  });

  check('works without JavaScript: ranges, tables and the time zone', async () => {
    const shop = await busyShop('test', ['USDC']);
    const ann = await joinDesk(harness, 'plain@shop.example', { merchantId: shop.id });
    await withPerson(
      ann,
      async (page) => {
        await page.goto(homeOf(shop));
        await page.getByRole('link', { name: '7 days' }).click();
        await page.waitForURL(/days=7$/);
        await page.locator('.chart summary').first().click();
        expect(await page.getByRole('table').first().getByRole('row').count()).to.equal(8);
        await page.getByRole('combobox').selectOption('Pacific/Kiritimati');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.waitForURL(/said=timeZone$/);
        expect(await page.getByText('Days of the time zone Pacific/Kiritimati').isVisible()).to.equal(true);
      },
      { javaScriptEnabled: false },
    );
  });

  check('says in words what a chart shows, to who cannot see it', async () => {
    const shop = await busyShop('test', ['USDC']);
    const ann = await joinDesk(harness, 'ears@shop.example', { merchantId: shop.id });
    await withPerson(ann, async (page) => {
      await page.goto(homeOf(shop, '?days=7'));
      const names = await page.getByRole('img').evaluateAll((images) =>
        images.map((image) =>
          (image.getAttribute('aria-labelledby') ?? '')
            .split(' ')
            .map((id: string) => image.ownerDocument.getElementById(id)?.textContent)
            .join(' '),
        ),
      );
      expect(names[0]).to.match(/^Volume in USDC: [\d,.]+ USDC What the payments cost/);
      expect(names[1]).to.match(/^From created to settled: \d+% [\d,]+ of [\d,]+ payments/);
      expect(names[2]).to.match(/^Time to settle: [\d.]+ (s|min|h) /);
    });
  });
});
