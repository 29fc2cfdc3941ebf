import { expect } from 'chai';
import { saleStateOf, type Sale } from '../../../src/domain/tills/sales.ts';

const OPEN: Sale = {
  number: 1,
  amount: '10.00',
  created_at: new Date(0),
  close_number: null,
  payment_id: 'pay_1',
  token_id: 'token',
  status: 'WAITING',
  fully_funded: false,
  pay_amount: '11.40',
  amount_received: '0',
  cancelled_at: null,
  settled_at: null,
};
const AT = new Date(1);

describe('the state of a sale', () => {
  for (const [what, fields, state] of [
    ['no payment', { payment_id: null, status: null }, 'none'],
    ['nothing came', {}, 'open'],
    ['too little came', { status: 'PENDING', amount_received: '11.39' }, 'part'],
    ['enough was seen', { status: 'PENDING', amount_received: '11.40', fully_funded: true }, 'seen'],
    [
      'it is confirmed in full',
      { status: 'PROCESSING', amount_received: '11.40', fully_funded: true },
      'paid',
    ],
    ['it is settled', { status: 'SETTLED', amount_received: '11.40', settled_at: AT }, 'paid'],
    ['a part was sent back', { status: 'SETTLED', amount_received: '11.40', settled_at: AT }, 'paid'],
    ['all was sent back', { status: 'REFUNDED', amount_received: '11.40', settled_at: AT }, 'returned'],
    ['the time is over', { status: 'EXPIRED' }, 'over'],
    ['it was cancelled', { status: 'EXPIRED', cancelled_at: AT }, 'cancelled'],
    ['the time is over for the rest', { status: 'EXPIRED', amount_received: '1' }, 'part'],
    ['it came too late', { status: 'EXPIRED', amount_received: '11.4' }, 'beside'],
    [
      'it came after it was cancelled',
      { status: 'EXPIRED', amount_received: '12', cancelled_at: AT },
      'beside',
    ],
    [
      'it could not be converted',
      { status: 'FAILED', amount_received: '11.40', fully_funded: true },
      'beside',
    ],
    ['what was seen is in no block', { status: 'FAILED', fully_funded: true }, 'lost'],
  ] as const)
    it(`is ${state} where ${what}`, () => {
      expect(saleStateOf({ ...OPEN, ...fields })).to.equal(state);
    });
});
