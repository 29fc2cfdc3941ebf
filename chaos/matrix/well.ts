import { setTimeout as sleep } from 'node:timers/promises';
import { order, type Orders } from '../orders.ts';
import type { Shop } from '../shops.ts';
import type { Load } from './load.ts';

const POLL_MS = 100;

/**
 * Returns the seconds until a payment that is created now is settled and its receiver has got that event, and
 * `/v1/status` is ok; null beyond `withinSeconds`.
 */
export async function timeToBeWell(
  { origin, shop, load }: { origin: string; shop: Shop; load: Load },
  name: string,
  orders: Orders,
  withinSeconds: number,
): Promise<number | null> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  // A key has no spaces.
  const key = `well-${name.replaceAll(/\W+/g, '-')}`;
  const created = order(origin, shop, key, orders);
  while (seconds() < withinSeconds) {
    const payment = orders.created.get(key);
    if (payment !== undefined && load.status() === 'ok' && hasSettled(shop, payment.id)) return seconds();
    await sleep(POLL_MS);
  }
  await created;
  return null;
}

function hasSettled({ log }: Shop, paymentId: string): boolean {
  for (const { body } of [...log.taken.values()].reverse())
    if (body.includes(paymentId) && body.includes('"SETTLED"')) return true;
  return false;
}
