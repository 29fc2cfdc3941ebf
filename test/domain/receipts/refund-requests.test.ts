import { expect } from 'chai';
import { reconcileJobs } from '../../../src/domain/ops/jobs.ts';
import { askRefundAddress } from '../../../src/domain/payments/lifecycle/jobs.ts';
import { askUnaskedRefunds } from '../../../src/domain/payments/refunds/given-address.ts';
import { sendRefundRequests } from '../../../src/domain/receipts/send.ts';
import { giveRefundAddress } from '../../support/refunds.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const SUBJECT = '[TEST] Your refund from Shop needs an address: order order-1';

describe('a mail that asks for the address of a refund', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const asking = () => scene.mails().filter(({ headers }) => headers.get('subject') === SUBJECT);
  const jobs = () => scene.harness.ctx.db('scheduled_jobs').where({ job: askRefundAddress.name });
  /** A settled payment from several senders, so that a refund of it waits for an address. */
  const settled = async (body: object = { customer_email: CUSTOMER }) => {
    const { shop, harness } = scene;
    const id = await shop.create({ pay_amount: '10', ...body });
    for (const sender of [MINE, ANOTHER])
      await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '5', sender });
    await harness.work();
    await shop.mine(12);
    return id;
  };
  const refund = async (id: string, amount: string) => {
    const accepted = await scene.shop.refund(id, { amount });
    await scene.harness.work();
    return accepted;
  };
  const give = async (id: string) => {
    const { harness, shop } = scene;
    const { token_id } = await shop.payment(id);
    return giveRefundAddress(harness.ctx, harness.adapters, token_id, MINE);
  };

  it('says how much goes back, and leads to the form, once', async () => {
    const { harness } = scene;
    const id = await settled();
    const { id: refundId, status } = await refund(id, '4.00');
    expect(status).to.equal('NEEDS_ADDRESS');
    await sendRefundRequests(harness.ctx, harness.adapters, [refundId, refundId]);
    const [mail, ...others] = asking();
    expect(others).to.deep.equal([]);
    const { token_id } = await scene.shop.payment(id);
    expect(mail?.headers.get('to')).to.include(CUSTOMER);
    expect(mail?.text)
      .to.include(
        'Your refund waits for an address\n\nShop sends 4 USDC back to you.\n\nTo get your money back',
      )
      .and.include('Goes back: 4 USDC\nNetwork: Ethereum\n')
      .and.include(`Enter an address:\nhttps://pay.example/checkout/${token_id}?lang=en#refund\n`);
    expect(await jobs()).to.deep.equal([]);
  });

  it('is not sent where the money has an address: the sender of a test, or one that was given', async () => {
    const id = await scene.settle();
    await refund(id, '4.00');
    const other = await settled();
    await scene.shop.refund(other, { amount: '4.00' });
    expect(await give(other)).to.equal('saved');
    await scene.harness.work();
    await refund(other, '1.00');
    expect(asking()).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([]);
  });

  it('is sent again once the merchant has cleared the address, and when the mail server takes it', async () => {
    const { harness, server } = scene;
    const id = await settled();
    await scene.shop.refund(id, { amount: '4.00' });
    await harness.ctx.db('scheduled_jobs').where({ job: 'refund.send' }).delete();
    expect(await give(id)).to.equal('saved');
    await harness.ctx.db('scheduled_jobs').where({ job: 'refund.send' }).delete();
    await harness.work();
    expect(asking()).to.deep.equal([]);
    server.refuse(true);
    await harness.api('delete', `/v1/payment/${id}/refund-address`).expect(200);
    await harness.work();
    server.refuse(false);
    harness.advance(10);
    await harness.work();
    expect(asking()).to.have.length(1);
  });

  it('is not sent, and leaves no job, where no mail address is known', async () => {
    const id = await settled({});
    expect((await refund(id, '4.00')).status).to.equal('NEEDS_ADDRESS');
    expect(scene.mails()).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([]);
  });

  it('is sent for a refund that waits since a release without these mails, once', async () => {
    const { harness } = scene;
    const id = await settled();
    const { id: refundId } = await scene.shop.refund(id, { amount: '4.00' });
    await jobs().delete();
    await harness.ctx.db('refund_requests').delete();
    expect(await askUnaskedRefunds(harness.ctx)).to.equal(1);
    await harness.work();
    expect(asking()).to.have.length(1);
    expect(await askUnaskedRefunds(harness.ctx)).to.equal(0);
    // A release of then accepts another beside this one, and it is given its address meanwhile.
    await harness.ctx.db('refund_requests').where({ refund_id: refundId }).delete();
    expect(await give(id)).to.equal('saved');
    expect(await askUnaskedRefunds(harness.ctx)).to.equal(0);
  });

  it('is sent once the customer has given a mail address on the page', async () => {
    const { harness } = scene;
    const id = await settled({});
    await scene.shop.refund(id, { amount: '4.00' });
    expect(await askUnaskedRefunds(harness.ctx), 'nobody can be asked').to.equal(0);
    await harness.ctx.db('payments').where({ id }).update({ customer_email: CUSTOMER });
    const { opsHandlers } = await import('../../../src/domain/ops/worker.ts');
    await opsHandlers.find(({ job }) => job.name === reconcileJobs.name)?.handle(harness.ctx, ['']);
    await harness.work();
    expect(asking()).to.have.length(1);
  });

  it('is found again when its job is lost', async () => {
    const { harness } = scene;
    const id = await settled();
    await scene.shop.refund(id, { amount: '4.00' });
    await jobs().delete();
    const { reconcileOnce } = await import('../../../src/domain/ops/reconcile.ts');
    expect(await reconcileOnce(harness.ctx)).to.equal(1);
    await harness.work();
    expect(asking()).to.have.length(1);
    expect(await reconcileOnce(harness.ctx)).to.equal(0);
  });
});
