import { expect } from 'chai';
import { ICON } from '../../../../src/domain/checkout/markup/icons.ts';
import { messagePage } from '../../../../src/domain/checkout/page/messages.ts';
import { ALL_LANGUAGES } from '../../../../src/domain/languages/languages.ts';

const ABOUT = { path: '/checkout/token', query: '?lang=de', isTest: true };

describe('a page without a payment', () => {
  it('wears the sheet, the mark and the tones of the checkout page, in every language', () => {
    for (const language of ALL_LANGUAGES)
      for (const message of ['missing', 'maintenance', 'error', 'limited', 'closed', 'tooLong'] as const) {
        const page = messagePage(message, language);
        expect(page).to.match(/<main>\s*<div class="sheet message">/);
        expect(page).to.match(/<div class="status (care|bad)">\s*<h1>/);
        expect(page.match(/<h1/g)).to.have.lengthOf(1);
        expect(page).to.include(`src="${ICON.path}"`);
      }
  });

  it('leads back to the payment where it is about one', () => {
    for (const language of ALL_LANGUAGES) {
      const page = messagePage('closed', language, ABOUT);
      expect(page).to.include('<a class="button main" href="/checkout/token?lang=de">');
      expect(page).to.include('id="test"');
    }
  });
});
