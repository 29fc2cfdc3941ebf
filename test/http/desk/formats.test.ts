import { expect } from 'chai';
import { percent } from '../../../src/http/desk/home/formats.ts';
import { EN } from '../../../src/http/desk/shell/texts.ts';

describe('a share at the desk', () => {
  it('is rounded down, and never below what it is', () => {
    for (let part = 0; part <= 100; part += 1) expect(percent(EN, part, 100)).to.equal(`${part}%`);
    expect(percent(EN, 999, 1_000)).to.equal('99%');
    expect(percent(EN, 1, 3)).to.equal('33%');
  });
});
