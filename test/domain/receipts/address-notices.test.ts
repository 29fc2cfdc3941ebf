import { expect } from 'chai';
import { tellRefundAddress } from '../../../src/domain/payments/lifecycle/jobs.ts';
import { sendAddressNotices } from '../../../src/domain/receipts/send.ts';
import { giveRefundAddress } from '../../support/refunds.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('a mail about a refund address that was given on the page', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const jobs = () =>
    scene.harness.ctx.db('scheduled_jobs').where({ job: tellRefundAddress.name }).pluck<string[]>('key');
  const stored = () =>
    scene.harness.ctx.db('refund_addresses').select('attempts', 'sent_at', 'given_up_at', 'last_error');
  /** A payment whose money came too late for its address request to be mailed as well. */
  const failed = async (body: object = { customer_email: CUSTOMER }) => {
    const id = await scene.shop.create(body);
    await scene.harness.ctx.db('payments').where({ id }).update({ status: 'FAILED', amount_received: '4' });
    return id;
  };
  const give = async (id: string, address: string) => {
    const { harness, shop } = scene;
    const { token_id } = await shop.payment(id);
    expect(await giveRefundAddress(harness.ctx, harness.adapters, token_id, address)).to.equal('saved');
  };
  const clear = (id: string) => scene.harness.api('delete', `/v1/payment/${id}/refund-address`).expect(200);

  it('tells the customer once which address, on which network; of a test nobody is asked', async () => {
    const { harness } = scene;
    const id = await failed();
    await give(id, MINE);
    const keys = await jobs();
    await harness.work();
    await sendAddressNotices(harness.ctx, harness.adapters, [...keys, ...keys]);
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    expect(mail?.headers.get('to')).to.include(CUSTOMER);
    expect(mail?.headers.get('subject')).to.equal('[TEST] Your refund address at Shop: order order-1');
    expect(mail?.text)
      .to.include('An address for refunds was saved')
      .and.include(`Goes back to: ${MINE}`)
      .and.include('Network: Ethereum')
      .and.not.match(/contact/i);
    expect(await jobs()).to.deep.equal([]);
    expect(await stored()).to.deep.equal([
      { attempts: 1, sent_at: harness.ctx.now(), given_up_at: null, last_error: null },
    ]);
  });

  it('goes out again for another address after the merchant has cleared the first', async () => {
    const { harness } = scene;
    const id = await failed();
    await give(id, MINE);
    await harness.work();
    await clear(id);
    harness.advance(1);
    await give(id, ANOTHER);
    await harness.work();
    const mails = scene.mails();
    expect(mails.map(({ text }) => /Goes back to: (\S+)/.exec(text)?.[1])).to.deep.equal([MINE, ANOTHER]);
    expect(new Set(mails.map(({ headers }) => headers.get('message-id'))).size).to.equal(2);
  });

  it('is not said to be sent of the next address, when it was on its way as the first was cleared', async () => {
    const { harness, server } = scene;
    const id = await failed();
    await give(id, MINE);
    const { arrived, release } = server.hold();
    const sending = harness.work();
    await arrived;
    await clear(id);
    harness.advance(1);
    await give(id, ANOTHER);
    release();
    await sending;
    await harness.work();
    expect(scene.mails().map(({ text }) => text.includes(ANOTHER))).to.deep.equal([false, true]);
  });

  it('is sent when the mail server accepts mail again', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await give(await failed(), MINE);
    await harness.work();
    server.refuse(false);
    harness.advance(10);
    await harness.work();
    expect(scene.mails()).to.have.length(1);
  });

  it('is not sent, and leaves no job, where the address was cleared or no mail address is known', async () => {
    const { harness } = scene;
    const cleared = await failed();
    await give(cleared, MINE);
    await clear(cleared);
    await give(await failed({}), MINE);
    await harness.work();
    expect(scene.mails()).to.deep.equal([]);
    expect(await jobs()).to.deep.equal([]);
    expect((await stored())[0]).to.include({ last_error: 'nothing to ask or to report any more' });
  });
});
