import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../src/platform/log.ts';
import { send, sendPatiently } from './requests.ts';
import type { Responses } from './responses.ts';
import type { Shop } from './shops.ts';

/**
 * When a client gives up an attempt, and the whole payment, both stretched; and its pause between attempts.
 */
export const ATTEMPT_TIMEOUT_MS = 10_000;
const GIVE_UP_AFTER_MS = 90_000;
const RETRY_AFTER_MS = 250;

/** What the shops' clients have received. */
export interface Orders {
  /** The payment of each 201, by its idempotency key. */
  readonly created: Map<string, { readonly id: string; readonly shop: Shop }>;
  /** Attempts that got 503 or no response. */
  retries: number;
  readonly faults: string[];
  /** Gets each attempt. */
  readonly responses: Responses;
}

/**
 * Creates a payment as a client does: retries with the same key while it gets 503 or the connection breaks.
 */
export async function order(origin: string, shop: Shop, key: string, orders: Orders): Promise<void> {
  const { responses } = orders;
  const begun = performance.now();
  for (;;) {
    const sentAt = performance.now();
    const init = {
      method: 'POST',
      headers: { ...shop.headers, 'Idempotency-Key': key },
      body: JSON.stringify({ pay_amount: '10.50', order_id: key }),
    };
    const response = await send(`${origin}/v1/payment`, init, responses.limit(ATTEMPT_TIMEOUT_MS));
    responses.record('an order', response?.status ?? null, sentAt);
    if (response !== null && response.status === 201) {
      const { id } = JSON.parse(response.text) as { id: string };
      const before = orders.created.get(key);
      if (before !== undefined && before.id !== id)
        orders.faults.push(`${key} made two payments: ${before.id}, ${id}`);
      orders.created.set(key, { id, shop });
      return;
    }
    const result = response === null ? 'nothing' : `${response.status} ${response.text}`;
    const isLate = performance.now() > begun + responses.limit(GIVE_UP_AFTER_MS);
    if ((response !== null && response.status !== 503) || isLate) {
      orders.faults.push(`creating a payment returned ${result}`);
      return;
    }
    orders.retries += 1;
    await sleep(RETRY_AFTER_MS);
  }
}

/**
 * Creates `count` payments, evenly over `seconds`, for the shops in turn; idempotency keys begin with `name`.
 */
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

/** Returns every payment of a shop, as the API lists them. A failure is added to `faults`. */
export async function listPayments(
  origin: string,
  shop: Shop,
  faults: string[],
): Promise<{ id: string; status: string }[]> {
  const all: { id: string; status: string }[] = [];
  try {
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { headers } = shop;
      const text = await sendPatiently('the list of payments', `${origin}/v1/payments?${query}`, { headers });
      const page = JSON.parse(text) as {
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
