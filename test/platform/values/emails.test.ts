import { expect } from 'chai';
import { isMailAddress } from '../../../src/platform/values/emails.ts';

describe('a mail address', () => {
  for (const address of [
    'ann@customer.example',
    "o'neil+shop.1@a-b.example",
    'ann@bücher.example',
    'ann@xn--bcher-kva.example',
    'ann@例え.テスト',
    'ann@مثال.إختبار',
    '用户@例え.example',
    'd’.x@x.example'.replace('’', "'"),
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
  ])
    it(`is ${address}`, () => expect(isMailAddress(address)).to.equal(true));

  for (const address of [
    '',
    '@',
    'ann',
    'ann@',
    '@customer.example',
    'ann@customer',
    'ann@@customer.example',
    'ann@b@customer.example',
    '.ann@customer.example',
    'a..b@customer.example',
    'ann@.example',
    'ann@customer..example',
    'ann@-x.example',
    'ann @customer.example',
    'ann@cust omer.example',
    'ann@customer.example\r\nBcc: all@x.example',
    'ann@%41.example',
    'ann@[127.0.0.1]',
    'ann@a/b.example',
    'ann@bü\u202echer.example',
    'Ann <ann@customer.example>',
    'ann@x.example, bob@x.example',
    `ann@${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.example`,
  ])
    it(`is not ${JSON.stringify(address)}`, () => expect(isMailAddress(address)).to.equal(false));

  it('is decided in time that grows with its length', () => {
    for (const text of [`a@${'a'.repeat(252)}`, `${'a.'.repeat(126)}@`, `a@${'a-'.repeat(126)}`])
      expect(isMailAddress(text)).to.equal(false);
  });
});
