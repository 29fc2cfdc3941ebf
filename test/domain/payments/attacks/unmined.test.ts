import { expect } from 'chai';
import { openAttack, type Attack } from '../../../support/attack.ts';

const ETHER = { coin: 'ETH', network: 'ethereum' } as const;
const BITCOIN = { coin: 'BTC', network: 'bitcoin' } as const;
const MINUTE = 60;

/** A block every four hours: what is sent waits in the pool. */
describe('an unmined transfer', () => {
  let attack: Attack;
  beforeEach(async () => {
    attack = await openAttack(String(240 * MINUTE));
    await attack.harness.work();
  });
  afterEach(() => attack.close());

  const after = async (minutes: number) => {
    attack.harness.advance(minutes * MINUTE);
    await attack.harness.work();
  };
  /** A payment of 25 USDC, whose customer sends what the page asks at minute 1. */
  const paid = async (minutes: number, method: typeof ETHER | typeof BITCOIN = ETHER) => {
    const id = await attack.shop.create({ pay_amount: '25', expiration_minutes: minutes });
    await after(1);
    await attack.shop.pay(id, method);
    await attack.harness.work();
    return id;
  };
  const received = async (id: string) => {
    const { status, amount_received, exceptions } = await attack.shop.payment(id);
    return [status, amount_received, exceptions];
  };

  it('holds the deadline for 30 minutes; then the payment expires, and what is mined is late money at the market', async () => {
    const id = await paid(5);
    await after(29);
    expect(await received(id)).to.deep.equal(['PENDING', '25', []]);
    await after(1);
    expect(await received(id)).to.deep.equal(['EXPIRED', '0', []]);
    attack.market({ ETH: '1500' });
    await after(209);
    expect(await received(id)).to.deep.equal(['PENDING', '12.50001', ['late', 'underpaid']]);
    expect(await attack.shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'failed EXPIRED',
      'pending PENDING',
    ]);
  });

  it('holds the rate for 30 minutes: the payment is short again, and asks for what is missing at the market', async () => {
    const id = await paid(1440);
    attack.market({ ETH: '1500' });
    await after(30);
    expect(await received(id)).to.deep.equal(['PENDING', '0', []]);
    expect(await attack.shop.story(id)).to.deep.equal(['created WAITING', 'pending PENDING']);
    expect((await attack.shop.payment(id)).crypto_amount).to.equal('0.01666667');
    await after(209);
    expect(await received(id)).to.deep.equal(['PENDING', '12.50001', ['underpaid']]);
  });

  it('has 3 hours on bitcoin', async () => {
    const id = await paid(5, BITCOIN);
    attack.market({ BTC: '30000' });
    await after(179);
    expect(await received(id)).to.deep.equal(['PENDING', '25', []]);
    await after(1);
    expect(await received(id)).to.deep.equal(['EXPIRED', '0', []]);
    await after(59);
    expect(await received(id)).to.deep.equal(['PENDING', '12.5001', ['late', 'underpaid']]);
  });

  it('keeps rate and deadline when it was mined in time, however late the service looks', async () => {
    const id = await paid(120);
    attack.market({ ETH: '1500' });
    const { harness } = attack;
    await harness.adapters.testChain(harness.ctx).mine('ethereum', 1, harness.ctx.now());
    await after(60);
    expect(await received(id)).to.deep.equal(['PENDING', '25', []]);
  });

  it('leaves nothing to hold once it is mined, and no job', async () => {
    const id = await paid(120);
    const jobs = () => attack.harness.ctx.db('scheduled_jobs').where({ key: id, job: 'payment.end-holds' });
    expect(await jobs()).to.have.length(1);
    attack.harness.advance(29 * MINUTE);
    await attack.harness.adapters.testChain(attack.harness.ctx).mine('ethereum', 1, attack.harness.ctx.now());
    await attack.harness.work();
    expect(await jobs()).to.have.length(0);
    attack.market({ ETH: '1500' });
    await after(60);
    expect(await received(id)).to.deep.equal(['PENDING', '25', []]);
  });

  it('is held anew from a reorganisation that puts it back into the pool', async () => {
    const { harness } = attack;
    const chain = harness.adapters.testChain(harness.ctx);
    const id = await paid(5);
    await chain.mine('ethereum', 1, harness.ctx.now());
    await after(40);
    await chain.reorganise('ethereum', 1, harness.ctx.now());
    await after(1);
    await after(29);
    expect(await received(id)).to.deep.equal(['PENDING', '25', ['reorged']]);
    await after(1);
    expect((await received(id)).slice(0, 2)).to.deep.equal(['EXPIRED', '0']);
  });

  it('that is sped up after its time is the same money, and holds nothing', async () => {
    const { harness, shop } = attack;
    const id = await paid(60);
    await after(31);
    await harness.api('post', `/v1/sandbox/payments/${id}/replace`).send({ speed_up: true }).expect(200);
    await after(0);
    expect(await received(id)).to.deep.equal(['PENDING', '0', []]);
    attack.market({ ETH: '1500' });
    await after(208);
    expect(await received(id)).to.deep.equal(['PENDING', '12.50001', ['late', 'underpaid']]);
    expect((await shop.story(id)).at(-1)).to.equal('pending PENDING');
  });

  it('does not keep other money from going back', async () => {
    const { harness, shop, refunds } = attack;
    const id = await shop.create({ pay_amount: '25', expiration_minutes: 5 });
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '10' });
    await after(1);
    await harness.adapters.testChain(harness.ctx).mine('ethereum', 12, harness.ctx.now());
    await harness.work();
    await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '15' });
    await after(40);
    expect(await received(id)).to.deep.equal(['EXPIRED', '10', ['underpaid']]);
    await shop.refund(id, {});
    await after(0);
    expect((await refunds(id)).map(({ coin_amount, status }) => [coin_amount, status])).to.deep.equal([
      ['10', 'COMPLETED'],
    ]);
  });
});
