import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { expect } from 'chai';
import { findByToken } from '../../../../src/domain/checkout/view/store.ts';
import { viewOf } from '../../../../src/domain/checkout/view/view.ts';
import { cancelPayment } from '../../../../src/domain/payments/cancel.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { openAttack, type Attack } from '../../../support/attack.ts';
import { selectMethodAt } from '../../../support/select-method.ts';

describe('a payment that was cancelled asks for nothing that it does not honour', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  const cancel = (id: string) => {
    const { harness, shop } = attack;
    return cancelPayment(harness.ctx, harness.adapters, shop.caller, id, null);
  };

  for (const late of ['refund', 'honour'] as const)
    it(`is over although a part was seen before, and reported after it (late: ${late})`, async () => {
      const { harness, shop, pass } = attack;
      const id = await shop.create({ pay_amount: '10.50', policy: { late } });
      harness.advance(60);
      await cancel(id);
      const address = shop.chain.derive('ethereum', { id });
      const seenAt = addSeconds(harness.ctx.now(), -1);
      const part = { network: 'ethereum', coin: 'USDC', address, amount: '4' } as const;
      await shop.chain.send(harness.ctx.db, [part], seenAt);
      await pass(1);
      await harness.work();
      expect(await shop.payment(id)).to.deep.include({
        status: 'EXPIRED',
        amount_received: '4',
        exceptions: ['underpaid'],
      });
    });

  it('announces no locked price for late money, which counts at the rate of the market', async () => {
    const { harness, shop } = attack;
    const id = await shop.create({ pay_amount: '30.00' });
    await selectMethodAt(harness, id, 'ETH', SIMULATED_RATES);
    harness.advance(60);
    await cancel(id);
    harness.advance(60);
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '15' });
    await harness.work();
    const { status, token_id } = await shop.payment(id);
    expect(status).to.equal('PENDING');
    const found = await findByToken(harness.ctx.db, token_id);
    expect(found && viewOf(found, harness.ctx.now())).to.include({ state: 'underpaid', priceUntil: null });
  });
});
