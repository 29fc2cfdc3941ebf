import { expect } from 'chai';
import { checkInvariants } from './invariants.ts';
import type { Service } from './service.ts';

/** The events that the receiver gets of a payment that is paid: created, seen, confirmed, settled. */
const EVENTS_OF_A_PAID_PAYMENT = 4;

/** Creates and pays `count` payments; resolves when all are settled and every event was delivered. */
export async function settlePayments(service: Service, count: number): Promise<void> {
  const ids = await Promise.all(Array.from({ length: count }, () => service.shop.create()));
  for (const id of ids) await service.shop.pay(id);
  await untilSettled(service, ids);
}

/** Resolves when the payments are settled and every event of them was delivered. */
export async function untilSettled(service: Service, ids: readonly string[]): Promise<void> {
  await service.passUntil('all are settled, and every event is delivered', async () => {
    const payments = await Promise.all(ids.map((id) => service.shop.payment(id)));
    const events = new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id']));
    return (
      payments.every(({ status }) => status === 'SETTLED') &&
      events.size >= ids.length * EVENTS_OF_A_PAID_PAYMENT
    );
  });
  expect(ids.length).to.be.above(0);
  await checkInvariants(service.harness.ctx.db);
}
