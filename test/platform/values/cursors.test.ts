import { expect } from 'chai';
import { decodeCursor, encodeCursor } from '../../../src/platform/values/cursors.ts';

const PATTERNS = { time: /^\d{1,15}$/, id: /^pay_\w+$/ };

describe('a cursor', () => {
  it('gives the parts back that it was made of, by name', () => {
    expect(decodeCursor(encodeCursor([17, 'pay_1']), PATTERNS)).to.deep.equal({ time: '17', id: 'pay_1' });
  });

  it('is text that a URL holds as it is', () => {
    expect(encodeCursor([17, 'pay_ÿ?~'])).to.match(/^[\w-]+$/);
  });

  for (const [what, text] of Object.entries({
    'a part too few': '17',
    'a part too many': '17.pay_1.x',
    'a part of another form': 'x.pay_1',
    'parts in another order': 'pay_1.17',
    'a line feed at the end': '17.pay_1\n',
    nothing: '',
  }))
    it(`is refused with ${what}`, () => {
      expect(decodeCursor(Buffer.from(text).toString('base64url'), PATTERNS)).to.equal(null);
    });

  it('is refused when it is no base64url', () => {
    expect(decodeCursor('%%%', PATTERNS)).to.equal(null);
  });
});
