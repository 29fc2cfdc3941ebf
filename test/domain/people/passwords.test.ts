import { expect } from 'chai';
import { hashPassword, isPassword } from '../../../src/domain/people/passwords/hashing.ts';
import { passwordFault } from '../../../src/domain/people/passwords/rules.ts';

describe('passwords', () => {
  it('are refused where they are short, long, common or a short text again and again, and for nothing else', () => {
    expect(['', 'eleven char', 'é'.repeat(11)].map(passwordFault)).to.deep.equal(Array(3).fill('tooShort'));
    expect(passwordFault('ab '.repeat(90))).to.equal('tooLong');
    for (const common of ['Password1234', '123456789012', 'QWERTYUIOP123', 'aaaaaaaaaaaaa', 'abcabcabcabc'])
      expect(passwordFault(common), common).to.equal('tooCommon');
    for (const fine of ['three green boats', '            x', 'ünïcödé wörds', '0000000000001'])
      expect(passwordFault(fine), fine).to.equal(null);
  });

  it('are stored as argon2id with a salt of their own, and are the same however an accent was typed', async () => {
    const [one, two] = [
      await hashPassword('caf\u00e9 creme brulee'),
      await hashPassword('caf\u00e9 creme brulee'),
    ];
    expect(one)
      .to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      .and.not.equal(two);
    expect(await isPassword('cafe\u0301 creme brulee', one)).to.equal(true);
    expect(await isPassword('cafe creme brulee', one)).to.equal(false);
  });

  it('of nobody are hashed as well, and are never right', async () => {
    expect(await isPassword('anything', null)).to.equal(false);
  });

  it('are hashed two at a time; what would wait behind too many is refused', async () => {
    const all = await Promise.allSettled(Array.from({ length: 80 }, () => isPassword('x', null)));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused).to.have.lengthOf(80 - 2 - 64);
    expect(await isPassword('x', null)).to.equal(false);
  });
});
