import { expect } from 'chai';
import type { Script } from './check.ts';
import { format } from './decimal.ts';
import { EXAMPLES } from './examples.ts';
import { Model } from './model.ts';
import { describeRefund } from './returns.ts';

function run({ terms, steps }: Script): Model {
  const model = new Model(terms);
  let at = 0;
  for (const { after, action } of steps) {
    at += after * 1000 + 1;
    model.advanceTo(at);
    if (action.do !== 'give_address') expect(model.act(action)).to.equal(true);
  }
  return model;
}

const creditsOf = ({ money }: Model) => money.sent.map(({ credit }) => format(credit));
const refundsOf = ({ money }: Model) => money.refunds.map(describeRefund);

/** The model alone, against results that were computed by hand. */
describe('the model of a payment', () => {
  it('one satoshi holds no price: what comes 47 hours later counts at the market of that moment', () => {
    const model = run(EXAMPLES.satoshi);
    expect(creditsOf(model)).to.deep.equal(['0.0009', '6666.6678']);
    expect(model.payment.status).to.equal('PENDING');
  });

  it('a whole bitcoin for a price of 10: the price is converted, the rest goes back as bitcoin', () => {
    const model = run(EXAMPLES.wholeBitcoin);
    expect(refundsOf(model)).to.deep.equal(['0.99983333 BTC bitcoin held for 59989.9998 COMPLETED']);
    expect(model.money.ledger.balances).to.include({
      'BTC bitcoin converted': '0.00016667',
      'USDC ethereum merchant': '10',
    });
  });

  it('a whole bitcoin 60 days after the deadline goes back as it came', () => {
    const model = run(EXAMPLES.sixtyDaysLate);
    expect(model.payment.events.slice(-2)).to.deep.equal([
      'funds_received EXPIRED 1 BTC bitcoin for 60000',
      'refunded REFUNDED',
    ]);
    expect(refundsOf(model)).to.deep.equal(['1.00000001 BTC bitcoin held for 60000.0006 COMPLETED']);
    expect(model.money.ledger.balances).to.deep.equal({});
  });

  it('a thousand in the pool is not settled with the ten that confirmed', () => {
    const model = run(EXAMPLES.pool);
    expect(model.payment.paid).to.deep.equal({ amount: '10', coin: 'USDC' });
    expect(model.money.ledger.balances).to.include({ 'USDC ethereum merchant': '10' });
    model.advanceTo(86_400_000);
    expect(model.money.ledger.balances).to.include({ 'USDC ethereum merchant': '1010' });
  });

  it('a quote asks for eight decimals, and paying it, or one unit less, is neither too much nor too little', () => {
    const model = run(EXAMPLES.asked);
    expect(model.money.sent.map(({ amount }) => format(amount))).to.deep.equal(['0.00833334']);
    expect(creditsOf(model)).to.deep.equal(['25']);
    expect([...model.payment.exceptions]).to.deep.equal([]);
    const less = run(EXAMPLES.oneUnitLess);
    less.advanceTo(3_600_000);
    expect(creditsOf(less)).to.deep.equal(['24.99999']);
    expect([...less.payment.exceptions]).to.deep.equal([]);
    expect(less.payment.status).to.equal('SETTLED');
  });

  it('a price with nine decimals is paid by the six that its coin has', () => {
    const model = run(EXAMPLES.ninthDecimal);
    expect(creditsOf(model)).to.deep.equal(['19.123457']);
    expect([...model.payment.exceptions]).to.deep.equal([]);
  });

  it('a coin that was never quoted counts at the market', () => {
    const model = run(EXAMPLES.neverQuoted);
    expect(creditsOf(model)).to.deep.equal(['6']);
    expect([...model.payment.exceptions]).to.deep.equal(['underpaid']);
  });

  it('a transfer that is sped up is the same money', () => {
    const model = run(EXAMPLES.speedUp);
    model.advanceTo(3_600_000);
    expect(model.payment.events.map((event) => event.split(' ')[1])).to.deep.equal([
      'WAITING',
      'PENDING',
      'PROCESSING',
      'SETTLED',
    ]);
    expect([...model.payment.exceptions]).to.deep.equal([]);
  });

  it('a stranger who sends one unit and takes it back fails nothing', () => {
    const model = run(EXAMPLES.stranger);
    expect(model.payment.status).to.equal('SETTLED');
    expect([...model.payment.exceptions]).to.deep.equal(['replaced']);
  });
});
