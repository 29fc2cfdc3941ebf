import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../src/platform/log.ts';
import type { Shop } from './shops.ts';

/** When a client gives up an attempt, and the whole payment; and its pause between attempts. */
const ATTEMPT_TIMEOUT_MS = 10_000;
const GIVE_UP_AFTER_MS = 90_000;
const RETRY_AFTER_MS = 250;

/** What the shops' clients have received. */
export interface Orders {
  /** The payment of each 201, by its idempotency key. */
  readonly created: Map<string, { readonly id: string; readonly shop: Shop }>;
  /** Attempts that got 503 or no response. */
  retries: number;
  readonly faults: string[];
  /** Gets each attempt: the status of its response, null for none, and when it was sent. */
  readonly onAttempt?: (status: number | null, sentAt: number) => void;
}

/**
 * Creates a payment as a client does: retries with the same key while it gets 503 or the connection breaks.
 */
export async function order(origin: string, shop: Shop, key: string, orders: Orders): Promise<void> {
  const end = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const sentAt = performance.now();
    const response = await post(origin, shop, key);
    orders.onAttempt?.(response?.status ?? null, sentAt);
    if (response !== null && response.status === 201) {
      const { id } = JSON.parse(response.text) as { id: string };
      const before = orders.created.get(key);
      if (before !== undefined && before.id !== id)
        orders.faults.push(`${key} made two payments: ${before.id}, ${id}`);
      orders.created.set(key, { id, shop });
      return;
    }
    const result = response === null ? 'nothing' : `${response.status} ${response.text}`;
    if ((response !== null && response.status !== 503) || performance.now() > end) {
      orders.faults.push(`creating a payment returned ${result}`);
      return;
    }
    orders.retries += 1;
    await sleep(RETRY_AFTER_MS);
  }
}

async function post(
  origin: string,
  shop: Shop,
  key: string,
): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`${origin}/v1/payment`, {
      method: 'POST',
      headers: { ...shop.headers, 'Idempotency-Key': key },
      body: JSON.stringify({ pay_amount: '10.50', order_id: key }),
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
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
      const response = await fetchPatiently(`${origin}/v1/payments?${query}`, shop);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const page = (await response.json()) as {
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

/** How often a client asks again that gets a 503; each waits as long as Retry-After says. */
const MAX_RETRIES = 5;

async function fetchPatiently(url: string, { headers }: Shop): Promise<Response> {
  for (let retries = 0; ; retries += 1) {
    const response = await fetch(url, { headers });
    if (response.status !== 503 || retries === MAX_RETRIES) return response;
    await response.text();
    await sleep(Number(response.headers.get('retry-after') ?? '1') * 1000);
  }
}
