import { expect } from 'chai';
import { STATUSES, TRANSITIONS } from '../../../src/domain/payments/lifecycle/states.ts';
import { PaymentCheckout, UnreachableStatusError, WaitTimeoutError } from '../../../src/sdk/client/index.ts';
import { NEXT_STATUSES } from '../../../src/sdk/client/resources/wait-for.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { listen, ORDER, type Listening } from '../../support/http.ts';

describe('payments.waitFor', () => {
  let harness: Harness;
  let service: Listening;
  let client: PaymentCheckout;
  /** How long one wait is for the service, in seconds. */
  let stepSeconds = 1;
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
    client = new PaymentCheckout({
      apiKey: harness.merchant.apiKey,
      baseUrl: service.url,
      now: () => harness.ctx.now().getTime(),
      // While the client waits, the service works.
      sleep: async () => {
        harness.advance(stepSeconds);
        await harness.work();
      },
    });
  });
  after(async () => {
    await service.close();
    await harness.close();
  });
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it succeeded'),
      (error: unknown) => error,
    );

  it('returns the payment once it has the status', async () => {
    stepSeconds = 1;
    const { id } = await client.payments.create(ORDER);
    await client.sandbox.transfer(id);
    const settled = await client.payments.waitFor(id, 'SETTLED');
    expect(settled).to.include({ id, status: 'SETTLED', actually_paid: '10.50' });
  });

  it('ends when the payment has a status from which the wanted one cannot come', async () => {
    const { data } = await client.payments.list({ status: ['SETTLED'] });
    const settled = data[0]?.id ?? expect.fail('none is settled');
    const error = await failure(client.payments.waitFor(settled, ['PENDING', 'EXPIRED']));
    expect(error).to.be.instanceOf(UnreachableStatusError);
    expect((error as UnreachableStatusError).message).to.match(
      /is SETTLED, and cannot become PENDING or EXPIRED/,
    );
  });

  it('returns with the first of several statuses, and goes on while late money may still come', async () => {
    stepSeconds = 600;
    const { id } = await client.payments.create({ ...ORDER, expiration_minutes: 5 });
    const expired = await client.payments.waitFor(id, ['SETTLED', 'EXPIRED'], { timeoutMs: 3_600_000 });
    expect(expired.status).to.equal('EXPIRED');
    const late = await failure(client.payments.waitFor(id, 'SETTLED', { timeoutMs: 1_200_000 }));
    expect(late).to.be.instanceOf(WaitTimeoutError);
    expect((late as WaitTimeoutError).payment.status).to.equal('EXPIRED');
  });

  it('knows the statuses that come next as the service moves payments', () => {
    for (const status of STATUSES) {
      const next = Object.values(TRANSITIONS)
        .filter(
          ({ from, to }) => to !== null && to !== status && (from as readonly string[]).includes(status),
        )
        .map(({ to }) => to);
      expect(NEXT_STATUSES[status], status).to.have.members([...new Set(next)]);
    }
  });
});
