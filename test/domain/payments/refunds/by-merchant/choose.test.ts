import { expect } from 'chai';
import {
  chooseRefund,
  type Candidate,
} from '../../../../../src/domain/payments/refunds/by-merchant/choose.ts';

const HASH = '0xaa';
const ROW: Candidate = {
  id: 'ref_1',
  payment_id: 'pay_1',
  amount: '5',
  currency: 'USDC',
  source: 'settled',
  coin: 'USDC',
  network: 'ethereum',
  coin_amount: '5',
  reason: null,
  address: '0xcc',
  status: 'AWAITING_SIGNATURE',
  tx_hash: null,
  created_at: new Date(0),
  problem: null,
  offered_at: null,
  price: null,
  merchant_id: 'mer_1',
  named_at: null,
  is_announced: false,
  has_own: false,
};
const row = (id: string, own: Partial<Candidate> = {}): Candidate => ({ ...ROW, id, ...own });
const named = (id: string, at: number, own: Partial<Candidate> = {}) =>
  row(id, { status: 'SENT', tx_hash: HASH, named_at: new Date(at), ...own });
const chosen = (...candidates: Candidate[]) => {
  const choice = chooseRefund(candidates, HASH);
  return typeof choice === 'string' || choice === null ? choice : choice.id;
};

describe('the refund that a transfer completes', () => {
  it('is the oldest that waits', () => {
    expect(chosen()).to.equal(null);
    expect(chosen(row('old'), row('new'))).to.equal('old');
  });

  it('is the one whose merchant announced it, before an older one', () => {
    expect(chosen(row('old'), named('told', 2, { is_announced: true }))).to.equal('told');
    const found = named('found', 1);
    expect(chosen(found, named('told', 2, { is_announced: true }))).to.equal('told');
  });

  it('is the first of those for which it was announced', () => {
    const told = { is_announced: true };
    expect(chosen(named('second', 2, told), named('first', 1, told))).to.equal('first');
  });

  it('is none that has a transfer of its own, and rather one that names no other', () => {
    const other = { status: 'SENT', tx_hash: '0xbb' } as const;
    expect(chosen(row('own', { ...other, has_own: true }))).to.equal(null);
    expect(chosen(row('other', other), row('free'))).to.equal('free');
    expect(chosen(row('other', other))).to.equal('other');
  });

  it('is none where it fits those of several merchants, unless one of them named it first', () => {
    const theirs = { merchant_id: 'mer_2' };
    expect(chosen(row('mine'), row('theirs', theirs))).to.equal('contradictory');
    expect(chosen(row('mine'), named('theirs', 1, { ...theirs, is_announced: true }))).to.equal('theirs');
    const late = named('late', 2, { ...theirs, is_announced: true });
    expect(chosen(named('found', 1), late), 'found before it was announced').to.equal('found');
  });
});
