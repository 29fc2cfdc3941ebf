import { expect } from 'chai';
import { readReceipt } from '../../../src/domain/receipts/receipt-data.ts';
import { readAddressNotice, readRefundRequest } from '../../../src/domain/receipts/request-data.ts';
import { tellRefundAddress } from '../../../src/domain/payments/lifecycle/jobs.ts';
import { giveRefundAddress, refundRow } from '../../support/refunds.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('the networks that mails name', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const beLive = () => scene.harness.ctx.db('merchants').update({ mode: 'live' });
  const on = (chainProfile: 'mainnet' | 'testnet') => ({ ...scene.harness.ctx.config, chainProfile });
  const receiptOn = async (chainProfile: 'mainnet' | 'testnet') => {
    const [event = ''] = await scene.harness.ctx.db('receipts').pluck<string[]>('event_id');
    return (await readReceipt(scene.harness.ctx.db, event, on(chainProfile)))?.receipt;
  };

  it('are those of CHAIN_PROFILE in a receipt of a live payment, which is marked as a test', async () => {
    await scene.settle();
    await beLive();
    expect(await receiptOn('testnet')).to.deep.include({ networks: ['Sepolia'], isTest: true });
    expect(await receiptOn('mainnet')).to.deep.include({ networks: ['Ethereum'], isTest: false });
  });

  it('are the simulated ones in a receipt of a test payment', async () => {
    await scene.settle();
    expect(await receiptOn('testnet')).to.deep.include({ networks: ['Ethereum'], isTest: true });
  });

  it('are those of CHAIN_PROFILE in an address notice and a refund request', async () => {
    const { db } = scene.harness.ctx;
    const id = await scene.shop.create({ customer_email: CUSTOMER });
    await db('payments').where({ id }).update({ status: 'FAILED', amount_received: '4' });
    const refund = refundRow(id, scene.harness.ctx.now(), { status: 'NEEDS_ADDRESS' });
    await db('refunds').insert(refund);
    await beLive();
    const request = await readRefundRequest(db, refund.id, on('testnet'));
    expect(request?.receipt.networks).to.deep.equal(['Sepolia']);
    const { token_id } = await scene.shop.payment(id);
    await giveRefundAddress(scene.harness.ctx, scene.harness.adapters, token_id, MINE);
    const [key = ''] = await db('scheduled_jobs')
      .where({ job: tellRefundAddress.name })
      .pluck<string[]>('key');
    expect((await readAddressNotice(db, key, on('testnet')))?.receipt.networks).to.deep.equal(['Sepolia']);
  });
});
