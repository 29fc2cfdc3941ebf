import { expect } from 'chai';
import { createSearch, type Section } from '../../../src/http/docs/search.ts';

const section = (heading: string, text: string, page = 'A page'): Section => ({
  address: `#${heading}`,
  page,
  heading,
  text,
});

describe('the search of the documentation', () => {
  const headings = (sections: readonly Section[], query: string) =>
    createSearch(sections)(query).map(({ heading }) => heading.join(''));

  it('puts words of their own before beginnings of words, and these before what stands within words', () => {
    const within = section('one', 'Pay in cryptocurrency.');
    const beginning = section('two', 'Some currencylike thing.');
    const whole = section('three', 'pay_currency is a coin.');
    expect(headings([within, beginning, whole], 'currency')).to.deep.equal(['three', 'two', 'one']);
  });

  it('finds a name by its words, and words by the name that joins them', () => {
    const name = section('Headers', 'The header X-API-Key is yours.');
    const apart = section('Keys', 'A key of the reading API.');
    expect(headings([apart, name], 'api key')).to.deep.equal(['Headers', 'Keys']);
    expect(headings([apart, name], 'x-api-key')).to.deep.equal(['Headers']);
  });

  it('puts the section whose heading was typed first, and one that begins with the words before others', () => {
    const other = section('Status', 'It may be a 409 as well.');
    const first = section('conflict', '409 Conflict: the state does not allow it.');
    const typed = section('Refund', 'Sends money back.');
    const longer = section('Refund in part', 'Refund, refund, refund.');
    expect(headings([other, first], '409')).to.deep.equal(['conflict', 'Status']);
    expect(headings([longer, typed], 'refund')).to.deep.equal(['Refund', 'Refund in part']);
  });

  it('returns each hit as a piece of heading and excerpt, and the excerpt in whole words', () => {
    const long = section(
      'Rotate a secret',
      `${'before '.repeat(40)}the Secret, a secret ${'after '.repeat(40)}`,
    );
    const [found] = createSearch([long])('secret');
    expect(found?.heading).to.deep.equal(['Rotate a ', 'secret', '']);
    const [begin = '', hit, between, again, end = ''] = found?.excerpt ?? [];
    expect([hit, between, again]).to.deep.equal(['Secret', ', a ', 'secret']);
    expect(begin).to.match(/^… (before )+the $/);
    expect(end).to.match(/^( after)+ …$/);
  });
});
