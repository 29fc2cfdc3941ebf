import { expect } from 'chai';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { openAttack, type Attack } from '../../../support/attack.ts';

const USDC = { coin: 'USDC', network: 'ethereum' } as const;
const HOUR = 3600;

describe('no money in silence, none stuck', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  const send = async (id: string, amount: string) => {
    const { txHash } = await attack.shop.send(id, { ...USDC, amount });
    await attack.pass(14);
    return txHash;
  };
  const refundAll = async (id: string) => {
    await attack.shop.refund(id);
    await attack.pass(1);
  };
  /** Asserts that the latest event reports this money, and that it changed no status. */
  const expectReported = async (id: string, amount: string, txHash: string, status: string) => {
    const events = await attack.shop.events(id);
    const { type, sequence, data } = events.at(-1) ?? { data: null };
    expect([type, sequence, data?.checkout.status]).to.deep.equal([
      'checkout.funds_received',
      events.length,
      status,
    ]);
    expect(data)
      .to.have.property('transfer')
      .that.deep.equals({ ...USDC, amount, credit: amount, txHash });
    expect((await attack.shop.payment(id)).status).to.equal(status);
  };

  it('money after FAILED, and after REFUNDED, is an event, and can be sent back each time', async () => {
    const { shop, pass, refunds } = attack;
    const id = await shop.create({ pay_amount: '10.00' });
    const { txHash } = await shop.send(id, { ...USDC, amount: '10' });
    await pass(1);
    await shop.chain.replace(txHash, attack.harness.ctx.now());
    await pass(1);
    expect((await shop.payment(id)).status).to.equal('FAILED');
    await expectReported(id, '7', await send(id, '7'), 'FAILED');
    await refundAll(id);
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    await expectReported(id, '2.5', await send(id, '2.5'), 'REFUNDED');
    await refundAll(id);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '9.5' });
    expect((await shop.story(id)).slice(3)).to.deep.equal([
      'funds_received FAILED',
      'refunded REFUNDED',
      'funds_received REFUNDED',
      'refunded REFUNDED',
    ]);
    expect((await refunds(id)).map(({ coin_amount, status }) => [coin_amount, status])).to.deep.equal([
      ['7', 'COMPLETED'],
      ['2.5', 'COMPLETED'],
    ]);
  });

  it('money beside a settled price, and after its refund, is an event, and can be refunded', async () => {
    const { shop, pass } = attack;
    const id = await shop.create({ pay_amount: '10.00' });
    await shop.pay(id);
    await pass(14);
    await expectReported(id, '3', await send(id, '3'), 'SETTLED');
    await refundAll(id);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '13' });
    await expectReported(id, '4', await send(id, '4'), 'REFUNDED');
    await refundAll(id);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '17' });
  });

  it('money after the late window is an event, and can be refunded', async () => {
    const { harness, shop, pass } = attack;
    const id = await shop.create({ pay_amount: '10.00' });
    harness.advance(26 * HOUR);
    await pass(1);
    await expectReported(id, '10', await send(id, '10'), 'EXPIRED');
    await refundAll(id);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10' });
  });

  it('late: refund sends back every late transfer, also one that comes after the first went back', async () => {
    const { harness, shop, pass, refunds } = attack;
    const id = await shop.create({ pay_amount: '10.00', policy: { late: 'refund' } });
    harness.advance(2 * HOUR);
    await pass(1);
    await expectLate(id, '10', 1);
    await expectLate(id, '3', 2);
    expect((await refunds(id)).map(({ coin_amount, reason }) => [coin_amount, reason])).to.deep.equal([
      ['10', 'late'],
      ['3', 'late'],
    ]);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '13' });
  });
  const expectLate = async (id: string, amount: string, count: number) => {
    await send(id, amount);
    expect((await attack.refunds(id)).map(({ status }) => status)).to.deep.equal(
      Array.from({ length: count }, () => 'COMPLETED'),
    );
  };

  it('late: refund sends back what was seen after the deadline and before the expiry ran', async () => {
    const { harness, shop, pass, refunds } = attack;
    const id = await shop.create({ pay_amount: '10.00', policy: { late: 'refund' } });
    harness.advance(HOUR + 1);
    const { txHash } = await shop.send(id, { ...USDC, amount: '10' });
    while (await syncNetwork(harness.ctx, harness.adapters, 'ethereum'));
    await expectReported(id, '10', txHash, 'WAITING');
    await pass(14);
    expect((await refunds(id)).map(({ coin_amount, reason }) => [coin_amount, reason])).to.deep.equal([
      ['10', 'late'],
    ]);
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });
});
