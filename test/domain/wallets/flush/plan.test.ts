import { expect } from 'chai';
import {
  initCodeOf,
  movedByDeployment,
  argumentsOf,
  parseTreasury,
} from '../../../../src/domain/chain/wallets/forwarder.ts';
import { realChains } from '../../../../src/domain/chain/profile.ts';
import { flushCall, flushInput } from '../../../../src/domain/wallets/flush/encode.ts';
import type { Deposit } from '../../../../src/domain/wallets/flush/look.ts';
import {
  groupsOf,
  isAbove,
  mostGas,
  percentOf,
  planFlush,
  worthMoving,
} from '../../../../src/domain/wallets/flush/plan.ts';
import { TREASURY } from '../../../support/wallets.ts';

const DATA = parseTreasury(TREASURY, realChains({ chainProfile: 'mainnet', testnetTokens: {} }));
const [TOKEN = ''] = movedByDeployment(DATA);
const LATER = `0x${'a1'.repeat(20)}`;

const depositOf = (i: number, more: Partial<Deposit> = {}): Deposit => ({
  payment_id: `pay_${i}`,
  address: `0x${String(i).padStart(40, '0')}`,
  salt: `0x${String(i).padStart(64, '0')}`,
  arguments: argumentsOf(DATA),
  isDeployed: false,
  holds: [TOKEN],
  listedLater: [],
  usd: '100',
  tries: 0,
  ...more,
});
const many = (count: number, more: (i: number) => Partial<Deposit> = () => ({})) =>
  Array.from({ length: count }, (_, i) => depositOf(i, more(i)));

describe('the plan of a flush', () => {
  it('has no more gas than a third of a block, nor than any transaction may have', () => {
    expect(mostGas(30_000_000n)).to.equal(10_000_000n);
    expect(mostGas(600_000_000n)).to.equal(16_777_216n);
  });

  it('takes the first addresses that fit into the gas, and into the bytes', () => {
    const plan = planFlush(many(500), 10_000_000n);
    expect(plan?.deposits.map(({ payment_id }) => payment_id)).to.deep.equal(
      many(27).map(({ payment_id }) => payment_id),
    );
    expect(plan?.usd).to.equal('2700');
    // As many treasuries as addresses: each comes with arguments of its own.
    const treasuries = many(500, (i) => ({
      arguments: Buffer.concat([argumentsOf(DATA), Buffer.of(i >> 8, i)]),
    }));
    const wide = planFlush(treasuries, 10n ** 9n);
    expect(wide?.input.length).to.be.at.most(49_152);
    expect(wide?.deposits.length).to.be.above(40);
    expect(planFlush([], 10_000_000n)).to.equal(null);
    expect(planFlush(many(1), 100_000n)).to.equal(null);
  });

  it('leaves out what is worth less than its gas may cost', () => {
    const prices = {
      maxFeePerGas: 10n ** 9n,
      usdOf: (units: bigint) => String((Number(units) / 1e18) * 3_000),
      maxFeePercent: '5',
    };
    // 360,000 gas at a gwei, and 3,000 dollars: 1.08 dollars are 5 per cent of 21.60.
    const [poor, rich, known] = [
      depositOf(1, { usd: '21.59' }),
      depositOf(2, { usd: '21.61' }),
      depositOf(3, { usd: '9.61', isDeployed: true }),
    ];
    expect(worthMoving([poor, rich, known], prices)).to.deep.equal([rich, known]);
    // All tries of what is refused cost no more than twice what one may.
    const again = (tries: number, usd: string) => worthMoving([depositOf(1, { tries, usd })], prices).length;
    expect([again(1, '43.19'), again(1, '43.21'), again(3, '172.79'), again(3, '172.81')]).to.deep.equal([
      0, 1, 0, 1,
    ]);
    expect(again(400, '1000000')).to.equal(0);
    expect(isAbove('5', '100', prices)).to.equal(false);
    expect(isAbove('5.000001', '100', prices)).to.equal(true);
    expect(isAbove('0.1', '0', prices)).to.equal(true);
    expect(percentOf('0.87', '17.41')).to.equal('5');
    expect(percentOf('1', '0')).to.equal('more than 100');
  });

  it('deploys by wallet, and calls what has code once for each coin', () => {
    const other = Buffer.concat([argumentsOf(DATA), Buffer.of(1)]);
    const groups = groupsOf([
      depositOf(1),
      depositOf(2, { arguments: other, holds: [TOKEN, LATER], listedLater: [LATER] }),
      depositOf(3),
      depositOf(4, { isDeployed: true, holds: [TOKEN, null] }),
    ]);
    expect(groups.map(({ deploys, items, gasEach }) => ({ deploys, items, gasEach }))).to.deep.equal([
      { deploys: true, items: [depositOf(1).salt, depositOf(3).salt], gasEach: 340_000 },
      { deploys: true, items: [depositOf(2).salt], gasEach: 440_000 },
      { deploys: false, items: [depositOf(2).address], gasEach: 140_000 },
      { deploys: false, items: [depositOf(4).address], gasEach: 140_000 },
      { deploys: false, items: [depositOf(4).address], gasEach: 140_000 },
    ]);
    expect(groups.map(({ tail }) => Buffer.from(tail))).to.deep.equal(
      [argumentsOf(DATA), other, flushCall([LATER]), flushCall([TOKEN]), flushCall([])].map((tail) =>
        Buffer.from(tail),
      ),
    );
  });

  it('has the code of forwarders once, and only where one is deployed', () => {
    const code = Buffer.from(initCodeOf(DATA).slice(0, 1_342)).toString('hex');
    const count = (deposits: Deposit[]) =>
      flushInput(groupsOf(deposits)).toString('hex').split(code).length - 1;
    expect(count(many(5, (i) => ({ arguments: Buffer.from([...argumentsOf(DATA), i]) })))).to.equal(1);
    expect(count(many(5, () => ({ isDeployed: true })))).to.equal(0);
  });
});
