import { expect } from 'chai';
import { openAttack, type Attack } from '../../../support/attack.ts';

const USDC = { coin: 'USDC', network: 'ethereum' } as const;
const STRANGER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('a lost transfer is a loss, not a verdict', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack();
  });
  after(() => attack.close());

  const create = () => attack.shop.create({ pay_amount: '10.00' });
  const send = async (id: string, amount: string, sender?: string) => {
    const { txHash } = await attack.shop.send(id, { ...USDC, amount, ...(sender && { sender }) });
    await attack.pass(1);
    return txHash;
  };
  const now = () => attack.harness.ctx.now();
  const lose = async (hash: string) => {
    await attack.shop.chain.replace(hash, now());
    await attack.pass(1);
  };

  it("a stranger's 0.000001 that is taken back changes nothing for a paid payment", async () => {
    const { shop, pass } = attack;
    const id = await create();
    await send(id, '10');
    const strange = await send(id, '0.000001', STRANGER);
    await lose(strange);
    await pass(14);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '10' });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'funds_received PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
  });

  it("nor does a stranger's first transfer, that came before the customer's", async () => {
    const { shop, pass } = attack;
    const id = await create();
    const strange = await send(id, '0.000001', STRANGER);
    await send(id, '10');
    await lose(strange);
    await pass(14);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '10' });
  });

  it('a speed-up changes only txHash', async () => {
    const { shop, pass } = attack;
    const id = await create();
    const hash = await send(id, '10');
    const before_ = await shop.payment(id);
    const old = await shop.chain.speedUp(hash, now());
    await pass(1);
    const { tx_hash, ...after_ } = await shop.payment(id);
    expect(tx_hash).to.equal(old?.replacedBy).and.not.equal(hash);
    const { tx_hash: _, ...expected } = before_;
    expect({ ...after_, confirmations: 0 }).to.deep.equal({ ...expected, confirmations: 0 });
    await pass(14);
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    const { exceptions, amount_received } = await shop.payment(id);
    expect([exceptions, amount_received]).to.deep.equal([[], '10']);
  });

  it('of two parts one is lost: the payment waits for the rest, and is settled by it', async () => {
    const { shop, pass } = attack;
    const id = await create();
    await send(id, '4');
    const second = await send(id, '6');
    await lose(second);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '4' });
    await send(id, '6');
    await pass(14);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '10' });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
  });

  it('of two parts one is lost, and nothing more comes: it expires, and the other part can go back', async () => {
    const { harness, shop, pass, refunds } = attack;
    const id = await create();
    await send(id, '4');
    await lose(await send(id, '6'));
    await pass(14);
    harness.advance(3600);
    await pass(1);
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '4' });
    await shop.refund(id);
    await pass(1);
    expect((await refunds(id))[0]).to.include({ coin_amount: '4', status: 'COMPLETED' });
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });

  it('the price came twice, and one is lost: the payment goes on', async () => {
    const { shop, pass } = attack;
    const id = await create();
    const first = await send(id, '10');
    await send(id, '10');
    await lose(first);
    await pass(14);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '10' });
  });

  it('nothing stands any more: it has failed', async () => {
    const { shop, pass } = attack;
    const id = await create();
    await lose(await send(id, '10'));
    await pass(1);
    expect(await shop.payment(id)).to.include({ status: 'FAILED', amount_received: '0' });
  });
});
