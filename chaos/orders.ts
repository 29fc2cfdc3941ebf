import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../src/platform/log.ts';
import type { Shop } from './shops.ts';

/** A client gives up a try, and the whole payment, after so long. */
const TRY_MS = 10_000;
const GIVEN_UP_MS = 90_000;
const AGAIN_MS = 250;

/** What the shops' clients know at the end. */
export interface Orders {
  /** The payment of each 201, by its idempotency key. */
  readonly created: Map<string, { readonly id: string; readonly shop: Shop }>;
  /** Tries that were answered 503, or not at all. */
  retries: number;
  readonly faults: string[];
}

/** One POST, as a client sends it: again with the same key for as long as the answer is 503 or the connection breaks. */
export async function order(origin: string, shop: Shop, key: string, orders: Orders): Promise<void> {
  const end = performance.now() + GIVEN_UP_MS;
  for (;;) {
    const answer = await post(origin, shop, key);
    if (answer !== null && answer.status === 201) {
      const { id } = JSON.parse(answer.text) as { id: string };
      const before = orders.created.get(key);
      if (before !== undefined && before.id !== id)
        orders.faults.push(`${key} made two payments: ${before.id}, ${id}`);
      orders.created.set(key, { id, shop });
      return;
    }
    const said = answer === null ? 'nothing' : `${answer.status} ${answer.text}`;
    if ((answer !== null && answer.status !== 503) || performance.now() > end) {
      orders.faults.push(`a payment was answered with ${said}`);
      return;
    }
    orders.retries += 1;
    await sleep(AGAIN_MS);
  }
}

async function post(
  origin: string,
  shop: Shop,
  key: string,
): Promise<{ status: number; text: string } | null> {
  try {
    const answer = await fetch(`${origin}/v1/payment`, {
      method: 'POST',
      headers: { ...shop.headers, 'Idempotency-Key': key },
      body: JSON.stringify({ pay_amount: '10.50', order_id: key }),
      signal: AbortSignal.timeout(TRY_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}

/** Orders `count` payments, evenly over `seconds`, from the shops in turns; their idempotency keys begin with `name`. */
export async function orderAll(
  origin: string,
  shops: readonly Shop[],
  { name, count, seconds }: { name: string; count: number; seconds: number },
  orders: Orders,
): Promise<void> {
  const pauseMs = (seconds * 1000) / count;
  const start = performance.now();
  const all: Promise<void>[] = [];
  for (let i = 0; i < count; i += 1) {
    await sleep(Math.max(0, start + i * pauseMs - performance.now()));
    const shop = shops[i % shops.length];
    if (shop !== undefined) all.push(order(origin, shop, `${name}-${i}`, orders));
  }
  await Promise.all(all);
}

/** Every payment of a shop, as the API lists them. Where it does not, the reason goes to the faults. */
export async function listPayments(
  origin: string,
  shop: Shop,
  faults: string[],
): Promise<{ id: string; status: string }[]> {
  const all: { id: string; status: string }[] = [];
  try {
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const answer = await fetch(`${origin}/v1/payments?${query}`, { headers: shop.headers });
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      const page = (await answer.json()) as {
        data: { id: string; status: string }[];
        pagination: { next_cursor: string | null };
      };
      all.push(...page.data);
      cursor = page.pagination.next_cursor;
    }
  } catch (error) {
    faults.push(`the payments of a shop cannot be listed: ${messageOf(error)}`);
  }
  return all;
}
