import { expect } from 'chai';
import { raised } from '../../../../src/domain/chain/keys/sign.ts';

describe('the fee of a transaction that replaces another', () => {
  it('is more than an eighth higher, whatever the market asks', () => {
    expect([0n, 1n, 800n, 10n ** 18n].map((before) => raised(before, 0n))).to.deep.equal([
      1n,
      2n,
      901n,
      1_125n * 10n ** 15n + 1n,
    ]);
    expect(raised(800n, 901n)).to.equal(901n);
  });

  it('is what the market asks, where that is still more', () => {
    expect(raised(800n, 902n)).to.equal(902n);
    expect(raised(0n, 10n ** 12n)).to.equal(10n ** 12n);
  });
});
