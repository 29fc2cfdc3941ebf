import { expect } from 'chai';
import { transition, type TransitionRequest } from '../../../src/domain/payments/lifecycle/transition.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';
import { statementsOf } from '../../support/statements.ts';

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
  const move = (moves: readonly TransitionRequest[]) =>
    scene.harness.ctx.db.transaction((tx) => transition(tx, moves, scene.harness.ctx.now()));

  it('of what settles and of what is sent back, and of nothing else, once for each event', async () => {
    const { shop, harness } = scene;
    const id = await processing(CUSTOMER);
    const failing = await processing(CUSTOMER);
    await move([settle(id), { paymentId: failing, trigger: 'conversion_failed' }]);
    const refund = { id: 'ref_1', amount: '1', currency: 'USDC', reason: null };
    await move([{ paymentId: id, trigger: 'refunded_in_part', refund }]);
    await move([{ paymentId: id, trigger: 'refunded_in_full', refund }]);
    const [, ...events] = await shop.events(id);
    expect((await scene.due()).map(({ key }) => key)).to.have.members(events.map((event) => event.id));
    expect((await scene.due()).map(({ run_at }) => run_at)).to.deep.equal(
      events.map(() => harness.ctx.now()),
    );
  });

  it('by the transaction of the transition: one that is rolled back leaves none', async () => {
    const id = await processing(CUSTOMER);
    const fault = new Error('rolled back');
    const failed = scene.harness.ctx.db.transaction(async (tx) => {
      await transition(tx, [settle(id)], scene.harness.ctx.now());
      throw fault;
    });
    expect(await failed.catch((error: unknown) => error)).to.equal(fault);
    expect(await scene.due()).to.deep.equal([]);
  });

  it('at no cost for payments without an address, and of one statement for all others', async () => {
    const without = [await processing(), await processing()];
    const alone = await statementsOf(() => move(without.map(settle)));
    expect(alone.filter((name) => name === 'schedule_jobs')).to.have.length(1);
    const withThem = [
      ...(await Promise.all([processing(CUSTOMER), processing(CUSTOMER)])),
      await processing(),
    ];
    const together = await statementsOf(() => move(withThem.map(settle)));
    expect(together.filter((name) => name === 'schedule_jobs')).to.have.length(2);
    expect(together).to.have.length(alone.length + 1);
  });
});
