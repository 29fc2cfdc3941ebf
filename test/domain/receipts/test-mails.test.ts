import { expect } from 'chai';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

describe('mails of test payments', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  /** Settles payments of a merchant at once, each with its receipt. */
  const settle = async (count: number, apiKey?: string) => {
    const { harness, shop } = scene;
    for (let index = 0; index < count; index += 1) {
      const body = {
        order_id: `order-${index}`,
        pay_amount: '10.50',
        customer_email: CUSTOMER,
      };
      const created = await harness.api('post', '/v1/payment', apiKey).send(body).expect(201);
      await harness
        .api('post', `/v1/sandbox/payments/${created.body.id}/transfers`, apiKey)
        .send({})
        .expect(201);
    }
    await harness.work();
    await shop.mine(12);
  };
  const givenUp = () =>
    scene.harness.ctx.db('receipts').whereNotNull('given_up_at').pluck<string[]>('last_error');
  const tomorrow = async () => {
    scene.harness.advance(12 * 3600);
    await scene.harness.work();
  };

  it('are at most 20 a day and merchant; the rest is given up, and says why', async () => {
    await settle(22);
    expect(scene.mails()).to.have.length(20);
    expect(new Set(await givenUp())).to.deep.equal(new Set(['more than 20 mails of test payments today']));
    expect(await scene.due()).to.deep.equal([]);
    const { apiKey } = await scene.harness.addMerchant();
    await settle(1, apiKey);
    expect(scene.mails(), 'of another merchant').to.have.length(21);
    await tomorrow();
    await settle(1);
    expect(scene.mails(), 'on the next day').to.have.length(22);
  });

  it('count once, however often they are tried', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await settle(1);
    harness.advance(10);
    await harness.work();
    expect(await harness.ctx.db('merchants').pluck('test_mails')).to.deep.equal([1]);
  });

  it('are not limited where the payment is live', async () => {
    const { harness } = scene;
    await harness.ctx.db.raw(
      `UPDATE merchants SET mode = 'live', test_mails_on = '2026-01-31', test_mails = 20`,
    );
    await harness.ctx.db.raw(`UPDATE merchants SET mode = 'test'`);
    await settle(1);
    expect(scene.mails()).to.deep.equal([]);
    await harness.ctx.db.raw(`UPDATE receipts SET given_up_at = NULL, attempts = 0`);
    await harness.ctx.db.raw(`UPDATE merchants SET mode = 'live'`);
    await harness.ctx.db.raw(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
       SELECT 'receipt.send', event_id, '2026-01-31', '2026-01-31' FROM receipts`,
    );
    await harness.work();
    expect(scene.mails()).to.have.length(1);
  });
});
