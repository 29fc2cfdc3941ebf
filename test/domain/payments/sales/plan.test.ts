import { expect } from 'chai';
import { creditOf } from '../../../../src/domain/payments/sales/plan.ts';
import type { ExchangeDeposit } from '../../../../src/domain/exchange/port.ts';

const OWN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const OTHER = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';

describe('what an exchange says of the deposits of a sale', () => {
  const deposit = (own: Partial<ExchangeDeposit> = {}): ExchangeDeposit => ({
    txHash: '0xAB',
    address: OWN.toUpperCase().replace('0X', '0x'),
    amount: '1',
    state: 'credited',
    ...own,
  });
  const came = (amount = '1', isLost = false, txHash = '0xab') => ({ txHash, amount, isLost });
  const credit = (listed: readonly ExchangeDeposit[], deposits = [came()], amount = '1') =>
    creditOf({ network: 'ethereum', addresses: [OWN], deposits, amount }, listed);

  it('is that they are credited, whatever else their transaction pays', () => {
    expect(credit([deposit()])).to.equal('credited');
    expect(credit([deposit(), deposit({ address: OTHER, amount: '7' })])).to.equal('credited');
    expect(credit([deposit({ address: OTHER })]), 'only the other one is listed').to.equal('not_credited');
    expect(credit([deposit({ address: null })]), 'it says no address').to.equal('credited');
    expect(credit([deposit({ amount: '0.4' }), deposit({ amount: '0.6' })]), 'two outputs').to.equal(
      'credited',
    );
  });

  it('is that they wait, have failed or differ', () => {
    expect(credit([])).to.equal('not_credited');
    expect(credit([deposit({ state: 'pending' })])).to.equal('not_credited');
    expect(credit([deposit({ state: 'failed' })])).to.equal('deposit_failed');
    expect(credit([deposit({ amount: '0.9' })])).to.equal('deposit_differs');
    const two = [came(), came('1', false, '0xcd')];
    expect(credit([deposit({ state: 'failed' })], two, '2'), 'one waits').to.equal('deposit_failed');
    expect(credit([deposit()], two, '2')).to.equal('not_credited');
  });

  it('is that one is credited which had failed before', () => {
    const again = [deposit({ state: 'failed' }), deposit()];
    expect(credit(again)).to.equal('credited');
    expect(credit(again.toReversed())).to.equal('credited');
    expect(credit([deposit({ state: 'failed' }), deposit({ state: 'pending' })])).to.equal('not_credited');
  });

  it('is that nothing came of what the chain has dropped, and less of what was replaced by less', () => {
    expect(credit([], [came('1', true)])).to.equal('lost');
    expect(credit([deposit({ state: 'pending' })], [came('1', true)])).to.equal('not_credited');
    expect(credit([deposit()], [came(), came('1', true, '0xcd')], '2')).to.equal('deposit_differs');
    expect(credit([deposit({ amount: '0.9' })], [came('0.9')])).to.equal('deposit_differs');
    expect(credit([deposit({ amount: '5' })], [came('5')]), 'a part of it').to.equal('credited');
  });
});
