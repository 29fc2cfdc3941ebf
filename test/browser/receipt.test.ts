import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { languageFor } from '../../src/domain/languages/languages.ts';
import { receiptMail } from '../../src/domain/receipts/render.ts';
import { PAID, PART, TOO_LATE, TOO_LITTLE } from '../support/receipt-samples.ts';
import { openBrowser, picture, withPage } from './browser.ts';
import { overflow, violations } from './axe.ts';
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
      for (const colorScheme of ['light', 'dark'] as const)
        check(`${name}, ${language}, ${colorScheme}: fits a phone, and axe finds nothing`, async () => {
          const { html } = receiptMail(receipt, languageFor(language));
          await withPage(browser, { width: 360, colorScheme }, async (page) => {
            await page.setContent(html);
            expect(await overflow(page)).to.equal(0);
            // A mail has no landmarks: it stands within somebody else's page.
            const found = (await violations(page)).filter(
              (violation) => !/^(region|landmark)/.test(violation),
            );
            expect(found).to.deep.equal([]);
            await picture(page, `receipt-${name}-${language}-${colorScheme}`);
          });
        });
});
