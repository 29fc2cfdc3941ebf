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

describe('docs/contract.md, "checkout.js"', () => {
  const contract = read('docs/contract.md');
  const section = contract.slice(contract.indexOf('\n## checkout.js'), contract.indexOf('\n## Events'));
  const scripts = read('assets/embed/checkout.js') + read('assets/embed/framed.js');
  const all = (text: string, pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();

  it('names every message, and every event and callback of a modal', () => {
    const messages = all(scripts, /'(checkout\.\w+)'/g);
    expect(messages)
      .to.have.length(5)
      .and.deep.equal(all(section, /type: '(checkout\.\w+)'/g));
    const kinds = all(scripts, /report\('(\w+)'/g);
    expect(kinds.map((kind) => `checkout:${kind}`)).to.deep.equal(all(section, /`(checkout:\w+)`/g));
    expect(all(scripts, /report\('\w+', (\w+)\)/g)).to.deep.equal(all(section, /\b(on[A-Z]\w+)/g));
    for (const name of ['data-checkout', 'PaymentCheckout']) {
      expect(scripts).to.include(name);
      expect(section).to.include(`\`${name}`);
    }
  });
});
