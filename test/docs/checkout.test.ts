import { expect } from 'chai';
import { ALL_LANGUAGES } from '../../src/domain/languages/languages.ts';
import { RATE_LOCK_SECONDS } from '../../src/domain/payments/pricing/quotes.ts';
import { read } from '../support/documents.ts';

describe('docs/checkout.md', () => {
  const text = read('docs/checkout.md').replaceAll(/\s+/g, ' ');

  it('lists every language of the page, in their order', () => {
    const english = new Intl.DisplayNames(['en'], { type: 'language' });
    const names = ALL_LANGUAGES.map(({ id }) => english.of(id));
    expect(text).to.include(`The page speaks ${names.slice(0, -1).join(', ')} and ${names.at(-1)}:`);
  });

  it('states how long a price is locked', () => {
    expect(text).to.include(`locked for ${RATE_LOCK_SECONDS / 60} minutes`);
  });
});
