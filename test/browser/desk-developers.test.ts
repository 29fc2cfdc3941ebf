import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { joinDesk } from '../support/desk.ts';
import type { Harness, TestMerchant } from '../support/harness.ts';
import { createPayment, type Listening } from '../support/http.ts';
import { startReceiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { withPage } from './browser.ts';
import { lookAt, tabTo } from './look.ts';
import { SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

describe('the pages for developers in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  /** Opens the pages of a merchant of its own, whose owner is signed in. */
  const withOwner = async (
    email: string,
    use: (page: Page, url: (rest?: string) => string, merchant: TestMerchant) => Promise<void>,
    refused = /status of 400/,
  ) => {
    const merchant = await harness.addMerchant();
    const { cookies } = await joinDesk(harness, email, { merchantId: merchant.id });
    const url = (rest = '') => `${server.url}/dashboard/${merchant.id}/developers${rest}`;
    await withPage(browser, { userAgent: 'Developing browser', refused }, async (page) => {
      const kept = [...cookies].map(([name, value]) => ({ name, value, url: server.url }));
      await page.context().addCookies(kept);
      await use(page, url, merchant);
    });
  };
  const keyIn = async (page: Page) => /sk_test_[\w-]{32}/.exec(await page.content())?.[0] ?? null;

  check('make a key by mouse, on a phone, which neither a reload nor the way back shows again', async () => {
    await withOwner('mouse-dev@shop.example', async (page, url) => {
      await page.setViewportSize({ width: 360, height: 800 });
      await page.goto(url());
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('link', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('Cash desk two');
      await page.getByLabel('payments:read').check();
      await page.getByLabel('Works for').selectOption('30 days');
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.locator('code', { hasText: /^sk_test_[\w-]{32}$/ }).waitFor();
      expect(page.url()).to.not.include('sk_test');
      await page.reload();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal(
        'This key was shown already',
      );
      expect(await keyIn(page)).to.equal(null);
      await page.getByRole('link', { name: 'Back to the keys' }).click();
      await page.getByText('Cash desk two').waitFor();
      // The browser has not kept it, and asks before it would send the form again.
      await page.goBack().catch(() => undefined);
      // What it shows instead comes a moment later, and until then has no content that could be read.
      let kept: string | null = 'not read';
      await until('the way back has ended', async () => {
        kept = await keyIn(page).catch(() => 'not read');
        return kept !== 'not read';
      });
      expect(kept).to.equal(null);
    });
  });

  check('set a URL and check the receiver by keyboard alone, without a script', async () => {
    const receiver = await startReceiver();
    try {
      await withOwner('keys-dev@shop.example', async (page, url) => {
        await page.goto(url());
        await tabTo(page, 'Name an endpoint');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/endpoints$/);
        await tabTo(page, 'Set it');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/default$/);
        await tabTo(page, 'URL');
        await page.keyboard.type(receiver.url);
        await page.keyboard.press('Enter');
        await page.waitForURL(/said=saved/);
        await tabTo(page, 'Receiver check');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/check$/);
        await tabTo(page, 'Check it');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'The receiver does something wrong.' }).waitFor();
        await page.getByText('does not verify the signature').waitFor();
      });
    } finally {
      await receiver.close();
    }
  });

  check(`have no fault that axe finds, on light and dark screens, and fit ${SMALL_AND_LARGE}`, async () => {
    const answer = { status: 500, body: `<script>alert(1)</script> ${'long'.repeat(100)}` };
    const receiver = await startReceiver({ answer: () => answer });
    try {
      await withOwner('looks-dev@shop.example', async (page, url, merchant) => {
        const { db, now } = harness.ctx;
        await page.goto(url('/check'));
        await look(page, 'no-receiver', null);
        await setWebhookConfig(db, merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
        const registered = harness.api('post', '/v1/webhooks/endpoints', merchant.apiKey).send({
          url: 'https://a-very-long-name-of-a-receiver.subsidiary.shop.example/hooks/of/payments',
          description: 'The books',
          event_types: ['checkout.settled', 'checkout.refunded'],
          enabled: false,
        });
        const { id } = (await registered).body as { id: string };
        for (let i = 0; i < 3; i += 1) await createPayment(harness, {}, merchant.apiKey);
        await harness.api('get', '/v1/payment/x', merchant.apiKey);
        await harness.work();
        await db('deliveries').where({ merchant_id: merchant.id }).update({
          status: 'failed',
          failed_because: 'retries_exhausted',
          next_attempt_at: null,
          finished_at: now(),
        });
        const delivery = await db('deliveries')
          .where({ merchant_id: merchant.id, attempts: 1 })
          .first<{ id: string }>('id');
        for (const [name, path] of [
          ['start', ''],
          ['keys', '/keys'],
          ['new-key', '/keys/new'],
          ['revoke-key', `/keys/${merchant.apiKey.slice(0, 13)}/revoke`],
          ['key-addresses', `/keys/${merchant.apiKey.slice(0, 13)}/addresses`],
          ['endpoints', '/endpoints'],
          ['new-endpoint', '/endpoints/new'],
          ['endpoint', `/endpoints/${id}`],
          ['default-endpoint', '/endpoints/default'],
          ['secret', `/endpoints/${id}/secret`],
          ['delete-endpoint', `/endpoints/${id}/delete`],
          ['deliveries', '/deliveries'],
          ['delivery', `/deliveries/${delivery?.id}`],
          ['replay', '/replay'],
          ['replay-count', '/replay?from_date=2026-01-31&which=failed'],
          ['check', '/check'],
          ['stories', '/stories'],
          ['requests', '/requests'],
        ] as const)
          await look(page, name, url(path));
        await page.goto(url('/check'));
        await page.getByRole('button', { name: 'Check it' }).click();
        await look(page, 'check-report', null);
        await page.goto(url('/keys/new'));
        await page.getByRole('button', { name: 'Create the key' }).click();
        await look(page, 'new-key-fault', null);
        await page.getByLabel('payments:read').check();
        await page.getByRole('button', { name: 'Create the key' }).click();
        await look(page, 'key-made', null);
        await page.goto(url('/endpoints/new'));
        await page.getByLabel('URL').fill('nowhere');
        await page.getByRole('button', { name: 'Add an endpoint' }).click();
        await look(page, 'endpoint-fault', null);
      });
    } finally {
      await receiver.close();
    }
  });

  /** Null: what the page shows already. */
  const look = (page: Page, name: string, url: string | null) => lookAt(page, `desk-dev-${name}`, url);
});
