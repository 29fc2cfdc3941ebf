import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { languageFor } from '../../src/domain/languages/languages.ts';
import { receiptMail } from '../../src/domain/receipts/render.ts';
import { PAID, PART, TOO_LATE, TOO_LITTLE } from '../support/receipt-samples.ts';
import { openBrowser, pictures, withPage } from './browser.ts';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { sideBySide } from './side-by-side.ts';

const SAMPLES = {
  paid: { ...PAID, isTest: true },
  'refunded-in-part': { ...PART, merchantName: 'متجر القمر' },
  'too-little': { ...TOO_LITTLE, isTest: true },
  'too-late': { ...TOO_LATE, merchantName: 'متجر القمر' },
};

describe('a receipt as a mail program shows it', () => {
  const check = sideBySide();
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });

  for (const [name, receipt] of Object.entries(SAMPLES))
    for (const language of ['en', 'ar'])
      check(`${name}, ${language}: fits a phone, and axe finds nothing, light and dark`, async () => {
        const { html } = receiptMail(receipt, languageFor(language));
        await withPage(browser, { width: 360 }, async (page) => {
          await page.setContent(html);
          expect(await overflow(page)).to.equal(0);
          // A mail has no landmarks: it stands within somebody else's page.
          const found = (await violationsOnEachScreen(page)).filter(
            (violation) => !/^(region|landmark)/.test(violation),
          );
          expect(found).to.deep.equal([]);
          await pictures(page, (colorScheme) => `receipt-${name}-${language}-${colorScheme}`);
        });
      });
});
