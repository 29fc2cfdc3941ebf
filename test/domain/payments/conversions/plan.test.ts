import { expect } from 'chai';
import { planConversion, type Part } from '../../../../src/domain/payments/conversions/plan.ts';
import type { Payment } from '../../../../src/domain/payments/lifecycle/payment.ts';
import type { PaymentTransfer } from '../../../../src/domain/payments/transfers/payment-transfer.ts';

const SEEN = new Date('2026-01-31T12:00:00.000Z');

function paymentOf(overpaid: 'keep' | 'refund_excess'): Payment {
  const policy = { underpaid: 'wait', underpaid_tolerance_percent: 0, late: 'honour', overpaid };
  const price = { pay_amount: '10.00', pay_currency: 'USDC', pay_network: 'ethereum' };
  return { id: 'pay_1', status: 'PROCESSING', ...price, policy } as Payment;
}

/** A confirmed transfer of USDC; `tx_hash` names it. */
function transferOf(
  tx_hash: string,
  amount: string,
  changed: Partial<PaymentTransfer> = {},
): PaymentTransfer {
  return {
    payment_id: 'pay_1',
    network: 'ethereum',
    tx_hash,
    coin: 'USDC',
    amount,
    sender: null,
    seen_at: SEEN,
    block_height: '1',
    block_hash: 'b',
    finality: null,
    confirmations: 12,
    confirmed_at: SEEN,
    dropped_at: null,
    pooled_at: null,
    lapsed_at: null,
    conversion: null,
    credit: amount,
    pay_currency: 'USDC',
    pay_network: 'ethereum',
    locked_amount: '0',
    locked_credit: '0',
    converted: '0',
    returned: '0',
    ...changed,
  };
}

const named = (parts: readonly Part[]) => parts.map(({ transfer, coins }) => [transfer.tx_hash, coins]);
const plan = (overpaid: 'keep' | 'refund_excess', transfers: readonly PaymentTransfer[]) => {
  const { convert, excess } = planConversion(paymentOf(overpaid), transfers);
  return { convert: named(convert), excess: named(excess) };
};

describe('what confirmed money is for', () => {
  it('is converted whole with overpaid: keep', () => {
    const transfers = [transferOf('a', '8'), transferOf('b', '5')];
    expect(plan('keep', transfers)).to.deep.equal({
      convert: [
        ['a', '8'],
        ['b', '5'],
      ],
      excess: [],
    });
  });

  it('is only what is confirmed, stands, and was never given to a conversion', () => {
    const transfers = [
      transferOf('confirmed', '8'),
      transferOf('in the pool', '5', { confirmed_at: null }),
      transferOf('dropped', '5', { dropped_at: SEEN }),
      transferOf('converted', '1', { conversion: 1, converted: '1' }),
      transferOf('refused', '1', { conversion: 2 }),
      transferOf('sent back', '3', { returned: '3' }),
    ];
    expect(plan('keep', transfers)).to.deep.equal({ convert: [['confirmed', '8']], excess: [] });
  });

  it('is an excess from the newest on, and from the top of each transfer', () => {
    const transfers = [transferOf('a', '8'), transferOf('b', '5'), transferOf('c', '2')];
    expect(plan('refund_excess', transfers)).to.deep.equal({
      convert: [
        ['a', '8'],
        ['b', '2'],
      ],
      excess: [
        ['c', '2'],
        ['b', '3'],
      ],
    });
  });

  it('is an excess in whole when conversions have covered the price', () => {
    const transfers = [transferOf('a', '10', { conversion: 1, converted: '10' }), transferOf('b', '5')];
    expect(plan('refund_excess', transfers)).to.deep.equal({ convert: [], excess: [['b', '5']] });
  });

  it('is converted when it is too little to be an excess: below the tolerance', () => {
    expect(plan('refund_excess', [transferOf('a', '10.000999')])).to.deep.equal({
      convert: [['a', '10.000999']],
      excess: [],
    });
  });

  it('is converted when it cannot be sent back: not above the dust limit of its coin', () => {
    // 546 satoshi for 0.3276: above the tolerance, which is at most 1 % of the price.
    const bitcoin = { coin: 'BTC', network: 'bitcoin', credit: '10.3276' } as const;
    expect(plan('refund_excess', [transferOf('a', '0.00017213', bitcoin)])).to.deep.equal({
      convert: [['a', '0.00017213']],
      excess: [],
    });
  });

  it('is an excess in the coin that came, in its whole units, rounded down', () => {
    const bitcoin = { coin: 'BTC', network: 'bitcoin', credit: '20' } as const;
    // Half of the credit is half of the coins; the odd satoshi stays with the price.
    expect(plan('refund_excess', [transferOf('a', '0.00033333', bitcoin)])).to.deep.equal({
      convert: [['a', '0.00016667']],
      excess: [['a', '0.00016666']],
    });
  });

  it('is sent back above the dust limit of the sum per coin and network', () => {
    const transfers = [
      transferOf('a', '10', { conversion: 1, converted: '10' }),
      transferOf('b', '0.0006'),
      transferOf('c', '0.0006'),
    ];
    expect(plan('refund_excess', transfers)).to.deep.equal({
      convert: [],
      excess: [
        ['c', '0.0006'],
        ['b', '0.0006'],
      ],
    });
  });

  it('is sent back with what a conversion left, though it is too little alone', () => {
    const transfers = [transferOf('a', '12', { conversion: 1, converted: '10' }), transferOf('b', '0.00003')];
    expect(plan('refund_excess', transfers)).to.deep.equal({
      convert: [],
      excess: [
        ['a', '2'],
        ['b', '0.00003'],
      ],
    });
  });
});
