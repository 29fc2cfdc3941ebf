import { expect } from 'chai';
import { openAttack, type Attack } from '../../../support/attack.ts';

const BITCOIN = { coin: 'BTC', network: 'bitcoin' } as const;

/** With a block an hour, so that what is sent stays in the pool until a test mines it. */
describe('the tolerance of a price', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack('3600');
  });
  after(() => attack.close());

  /** Of 100.00 USDC the customer has paid `paid`, which has confirmed, and sends `coins` BTC. */
  const short = async (paid: string, coins: string) => {
    const { harness, shop } = attack;
    const id = await shop.create({ pay_amount: '100.00', expiration_minutes: 15 });
    await shop.pay(id, { amount: paid });
    await shop.mine(12);
    await shop.pay(id, { ...BITCOIN, amount: coins });
    await harness.work();
    return id;
  };
  const stateOf = async (id: string) => {
    const { status, fully_funded, exceptions } = await attack.shop.payment(id);
    return [status, fully_funded, exceptions];
  };

  it('is not lent by a satoshi in the pool, nor by one that has confirmed', async () => {
    const id = await short('99.68', '0.00000001');
    expect(await stateOf(id)).to.deep.equal(['PENDING', false, ['underpaid']]);
    await attack.shop.mine(2, 'bitcoin');
    expect(await stateOf(id)).to.deep.equal(['PENDING', false, ['underpaid']]);
    attack.harness.advance(15 * 60);
    await attack.harness.work();
    expect(await stateOf(id)).to.deep.equal(['EXPIRED', false, ['underpaid']]);
  });

  it('is lent by a coin of which more than dust came, once that has confirmed', async () => {
    const id = await short('99.50', '0.00000547');
    expect(await stateOf(id)).to.deep.equal(['PENDING', false, ['underpaid']]);
    await attack.shop.mine(2, 'bitcoin');
    await attack.harness.work();
    expect(await stateOf(id)).to.deep.equal(['SETTLED', true, []]);
  });

  it('counts what came of a coin together', async () => {
    const id = await short('99.50', '0.00000300');
    await attack.shop.mine(2, 'bitcoin');
    expect(await stateOf(id)).to.deep.equal(['PENDING', false, ['underpaid']]);
    await attack.shop.pay(id, { ...BITCOIN, amount: '0.00000300' });
    await attack.shop.mine(2, 'bitcoin');
    await attack.harness.work();
    expect(await stateOf(id)).to.deep.equal(['SETTLED', true, []]);
  });
});
