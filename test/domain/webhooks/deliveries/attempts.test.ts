import { expect } from 'chai';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import { recordOutcomes, UNDECIDED } from '../../../../src/domain/webhooks/deliveries/record.ts';
import { attemptOutcome } from '../../../../src/domain/webhooks/deliveries/in-flight/outcome.ts';
import { acquireEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/acquire.ts';
import {
  ANSWER,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
  eachHoldingReceiver,
  type HoldingReceiver,
} from '../../../support/deliveries.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';
import { until } from '../../../support/until.ts';

describe('the log of attempts', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: HoldingReceiver;
  eachHoldingReceiver((opened) => ({ harness, shop, receiver } = opened));

  const attempts = (): Promise<
    { number: number; error_class: string | null; status_code: number | null }[]
  > => harness.ctx.db('delivery_attempts').select('number', 'error_class', 'status_code').orderBy('number');
  const acquire = async (owner: string) => {
    const acquired = await acquireEndpoint(harness.ctx, { endpointId: harness.merchant.id, owner }, [], null);
    if (acquired === null) throw new Error('another run has the endpoint');
    return acquired;
  };
  const record = async (owner: string, endpoint: Awaited<ReturnType<typeof acquire>>, statusCode: number) => {
    const result = { ...ANSWER, ok: statusCode < 300, statusCode };
    const outcomes = endpoint.due.map((due) => attemptOutcome(harness.ctx, due, result, harness.ctx.now()));
    const lease = { endpointId: harness.merchant.id, owner };
    return recordOutcomes(harness.ctx, lease, outcomes, endpoint, UNDECIDED);
  };

  it('has every request, also of two runs that counted the same attempt', async () => {
    await createPaymentsWithDeliveries(harness, shop, 1);
    const first = await acquire('first run');
    // The release that read an endpoint beside its lock could do this.
    await harness.ctx.db.raw(`UPDATE webhook_endpoints SET leased_by = NULL, in_flight = '{}'`);
    const second = await acquire('second run');
    expect((await record('second run', second, 200)).flowControl).to.not.equal(null);
    expect((await record('first run', first, 201)).flowControl).to.equal(null);
    expect(await attempts()).to.deep.equal([
      { number: 1, error_class: null, status_code: 200 },
      { number: 2, error_class: null, status_code: 201 },
    ]);
    expect((await deliveriesIn(harness))[0]).to.include({ status: 'delivered', attempts: 2 });
  });

  it('has what a run sends after a PUT has ended its lease, should it die', async () => {
    const send = () => deliverDue(harness.ctx, harness.adapters.webhooks, harness.merchant.id);
    await createPaymentsWithDeliveries(harness, shop, 2);
    const sending = send();
    await until('both requests wait', () => receiver.held === 2);
    await configure(harness, receiver.url);
    await createPaymentsWithDeliveries(harness, shop, 1);
    receiver.release(1);
    await until('the new event was sent', () => receiver.requests.length === 3);
    const [endpoint] = await harness.ctx.db('webhook_endpoints').select('in_flight');
    const third = (await deliveriesIn(harness)).at(-1);
    expect(Object.keys(endpoint.in_flight)).to.include(third?.id);
    receiver.open();
    await sending;
    await harness.work();
    // The second request was logged as interrupted, and has its outcome.
    expect(await attempts()).to.deep.equal(
      [1, 1, 1].map((number) => ({ number, error_class: null, status_code: 200 })),
    );
    expect((await deliveriesIn(harness)).map(({ status }) => status)).to.deep.equal([
      'delivered',
      'delivered',
      'delivered',
    ]);
  });
});
