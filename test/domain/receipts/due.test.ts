import { expect } from 'chai';
import { dispatchEvents } from '../../../src/domain/events/dispatch.ts';
import { dispatchEvent } from '../../../src/domain/outbox/jobs.ts';
import { sendAddressRequest } from '../../../src/domain/receipts/jobs.ts';
import { transition, type TransitionRequest } from '../../../src/domain/payments/lifecycle/transition.ts';
import { sentBack } from '../../support/refunds.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';
import { singleStatementsOf } from '../../support/statements.ts';

describe('a receipt is due', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const processing = async (customer_email?: string) => {
    const id = await scene.shop.create(customer_email === undefined ? {} : { customer_email });
    await scene.harness.ctx
      .db('payments')
      .where({ id })
      .update({ status: 'PROCESSING', fully_funded: true, actually_paid: '10.50' });
    return id;
  };
  const settle = (paymentId: string): TransitionRequest => ({
    paymentId,
    trigger: 'settled',
    changes: { settled_at: scene.harness.ctx.now() },
  });
  const request = (requests: readonly TransitionRequest[]) =>
    scene.harness.ctx.db.transaction((tx) => transition(tx, requests, scene.harness.ctx.now()));
  /** Dispatches every event that is due, as the worker does. */
  const dispatch = async () => {
    const { ctx } = scene.harness;
    const keys = await ctx.db('scheduled_jobs').where({ job: dispatchEvent.name }).pluck<string[]>('key');
    await dispatchEvents(ctx, keys);
    return keys;
  };

  /** The scheduled mails that ask for an address. */
  const asking = () =>
    scene.harness.ctx.db('scheduled_jobs').where({ job: sendAddressRequest.name }).pluck<string[]>('key');

  it('for settlements and refunds, and for no other event, once per event', async () => {
    const { shop, harness } = scene;
    const id = await processing(CUSTOMER);
    const failing = await processing(CUSTOMER);
    await request([settle(id), { paymentId: failing, trigger: 'conversion_failed' }]);
    const refund = sentBack('1');
    await request([{ paymentId: id, trigger: 'refunded_in_part', refund }]);
    await request([{ paymentId: id, trigger: 'refunded_in_full', refund }]);
    const dispatched = await dispatch();
    await dispatchEvents(harness.ctx, dispatched);
    const [, ...events] = await shop.events(id);
    expect((await scene.due()).map(({ key }) => key)).to.have.members(events.map((event) => event.id));
    expect((await scene.due()).map(({ run_at }) => run_at)).to.deep.equal(
      events.map(() => harness.ctx.now()),
    );
    expect(await asking(), 'a conversion that failed is the merchant’s to clear up').to.deep.equal([]);
  });

  it('as one that asks for an address for the first event of each reason, and with no receipt', async () => {
    const { shop, harness } = scene;
    const transfer = { coin: 'USDC', network: 'ethereum', amount: '1', credit: '1', txHash: '0x1' };
    const late: TransitionRequest = { paymentId: '', trigger: 'funds_received', changes: {}, transfer };
    const expired = async (amount_received: string, customer_email?: string) => {
      const id = await shop.create(customer_email === undefined ? {} : { customer_email });
      const exceptions = ['underpaid'];
      harness.advance(3_600);
      await harness.ctx.db('payments').where({ id }).update({ amount_received, exceptions });
      await request([{ paymentId: id, trigger: 'deadline_passed' }]);
      return id;
    };
    const some = await expired('4', CUSTOMER);
    await request([{ ...late, paymentId: some }]);
    // Ids are in the order of time.
    harness.advance(1);
    await request([{ ...late, paymentId: some }]);
    const none = await expired('0', CUSTOMER);
    const nobody = await expired('4');
    // An open payment expires first, with an event of its own.
    const open = await shop.create({ customer_email: CUSTOMER });
    await harness.ctx.db('payments').where({ id: open }).update({ amount_received: '1' });
    for (const paymentId of [open, await processing(CUSTOMER)]) await request([{ ...late, paymentId }]);
    const dispatched = await dispatch();
    await dispatchEvents(harness.ctx, dispatched);
    const [, failed, first] = await shop.events(some);
    expect(await asking()).to.have.members([failed?.id, first?.id]);
    expect(await scene.due()).to.deep.equal([]);
    for (const id of [none, nobody]) expect((await shop.events(id)).at(-1)?.type).to.equal('checkout.failed');
  });

  it('after the transition has committed: one that is rolled back schedules none', async () => {
    const id = await processing(CUSTOMER);
    const fault = new Error('rolled back');
    const failed = scene.harness.ctx.db.transaction(async (tx) => {
      await transition(tx, [settle(id)], scene.harness.ctx.now());
      throw fault;
    });
    expect(await failed.catch((error: unknown) => error)).to.equal(fault);
    await dispatch();
    expect(await scene.due()).to.deep.equal([]);
  });

  it('at no cost for payments without an address, and with two statements for all others', async () => {
    const without = [await processing(), await processing()];
    await request(without.map(settle));
    const alone = await singleStatementsOf(dispatch);
    expect(alone).to.not.include.members(['create_receipts', 'schedule_missing_jobs']);
    const mixed = [...(await Promise.all([processing(CUSTOMER), processing(CUSTOMER)])), await processing()];
    await request(mixed.map(settle));
    const together = await singleStatementsOf(dispatch);
    for (const statement of ['create_receipts', 'schedule_missing_jobs'])
      expect(together.filter((name) => name === statement)).to.have.length(1);
    expect(together).to.have.length(alone.length + 2);
  });
});
