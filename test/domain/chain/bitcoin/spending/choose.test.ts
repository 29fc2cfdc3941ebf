import { expect } from 'chai';
import {
  chooseCoins,
  MOST_INPUTS,
  outpoint,
} from '../../../../../src/domain/chain/bitcoin/spending/choose.ts';

const SPENDING = { satoshi: 10_000n, scriptBytes: 22, feeRate: 1 };
/** The fee of one input to a witness key, with and without change, at a satoshi a byte. */
const [WITH_CHANGE, WITHOUT] = [141n, 110n];
const coinsOf = (...satoshi: readonly number[]) =>
  satoshi.map((value, index) => ({ txHash: 'ab'.repeat(32), index, satoshi: BigInt(value) }));
const valuesOf = (free: ReturnType<typeof coinsOf>, kept: ReturnType<typeof coinsOf> = []) =>
  chooseCoins(SPENDING, free, kept)?.coins.map(({ satoshi }) => Number(satoshi)) ?? null;

describe('chooseCoins', () => {
  it('takes the smallest coin that suffices, so that large ones stay for others', () => {
    expect(valuesOf(coinsOf(90_000, 20_000, 9_000, 500_000))).to.deep.equal([20_000]);
  });

  it('takes the largest ones where none suffices, so that they are few', () => {
    expect(valuesOf(coinsOf(2_000, 9_000, 3_000, 8_000))).to.deep.equal([9_000, 8_000]);
  });

  it('gives the rest back as change, and leaves to miners what is dust', () => {
    const paid = (rest: bigint) => {
      const [coin] = coinsOf(Number(10_000n + WITH_CHANGE + rest));
      const { change, fee } = chooseCoins(SPENDING, coin === undefined ? [] : [coin]) ?? {};
      return { change, fee };
    };
    expect(paid(294n)).to.deep.equal({ change: 294n, fee: WITH_CHANGE });
    expect(paid(293n)).to.deep.equal({ change: 0n, fee: WITH_CHANGE + 293n });
    expect(paid(WITHOUT - WITH_CHANGE)).to.deep.equal({ change: 0n, fee: WITHOUT });
    expect(paid(WITHOUT - WITH_CHANGE - 1n)).to.deep.equal({ change: undefined, fee: undefined });
  });

  it('keeps the coins of before, adds to them what is missing, and nothing where they suffice', () => {
    const [kept, ...free] = coinsOf(5_000, 6_000, 90_000);
    if (kept === undefined) throw new Error('there is no coin');
    expect(valuesOf(free, [kept])).to.deep.equal([5_000, 6_000]);
    expect(valuesOf(free, [{ ...kept, satoshi: 50_000n }])).to.deep.equal([50_000]);
    // A request of others alone could be mined beside the one that spends it.
    expect(valuesOf(coinsOf(6_000, 5_500), [{ ...kept, index: 9, satoshi: 1_000n }])).to.deep.equal([
      1_000, 6_000, 5_500,
    ]);
  });

  it(`spends at most ${MOST_INPUTS}`, () => {
    const many = coinsOf(...Array.from({ length: 400 }, () => 120));
    expect(chooseCoins({ ...SPENDING, satoshi: 10_500n }, many)).to.equal(null);
    const enough = chooseCoins({ ...SPENDING, satoshi: 1_000n }, many);
    expect(enough?.coins.length).to.be.below(MOST_INPUTS);
    expect(new Set(enough?.coins.map(outpoint)).size).to.equal(enough?.coins.length);
  });

  it('finds none where all of them do not pay their own fee', () => {
    expect(chooseCoins({ ...SPENDING, feeRate: 100 }, coinsOf(5_000, 6_000, 6_000))).to.equal(null);
  });
});
