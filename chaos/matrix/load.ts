import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPT_TIMEOUT_MS, order, type Orders } from '../orders.ts';
import { send } from '../requests.ts';
import type { Shop } from '../shops.ts';

/** One request of each kind starts this often: a steady load that leaves the machine room for recovery. */
const EVERY_MS = {
  order: 250,
  payment: 400,
  list: 1_000,
  page: 600,
  refund: 2_000,
  events: 1_000,
  status: 500,
};
/** A refund may come for a payment that is not settled yet, or was refunded before. */
const REFUND_STATUSES = [201, 400, 409, 422];

/** A steady load of every kind of request. */
export interface Load {
  /** The last status that `/v1/status` returned: `ok`, `degraded`, or null without a response. */
  readonly status: () => string | null;
  /** Ends it, when all requests have ended. */
  stop(): Promise<void>;
}

export function startLoad(origin: string, shops: readonly Shop[], orders: Orders): Load {
  const { responses } = orders;
  const stopped = new AbortController();
  let health: string | null = null;
  let orderNumber = 0;
  const call = async (what: string, path: string, init: RequestInit = {}, expected?: readonly number[]) => {
    const sentAt = performance.now();
    const response = await send(`${origin}${path}`, init, responses.limit(ATTEMPT_TIMEOUT_MS));
    responses.record(what, response?.status ?? null, sentAt, expected);
    return response !== null && response.status < 300 ? response.text : null;
  };
  const paymentOf = (n: number) => [...orders.created.values()].at(-1 - n);
  const shopAt = (n: number) => shops[n % shops.length];
  const kinds: Readonly<Record<keyof typeof EVERY_MS, (n: number) => Promise<unknown>>> = {
    async order(n) {
      const shop = shopAt(n);
      if (shop !== undefined) await order(origin, shop, `load-${(orderNumber += 1)}`, orders);
    },
    async payment(n) {
      const payment = paymentOf(n % 20);
      if (payment === undefined) return;
      await call('a payment', `/v1/payment/${payment.id}`, { headers: payment.shop.headers });
    },
    list: (n) => call('the list', '/v1/payments?limit=20', { headers: shopAt(n)?.headers ?? {} }),
    async page(n) {
      const payment = paymentOf(n % 10);
      if (payment === undefined) return;
      const text = await call('a payment', `/v1/payment/${payment.id}`, { headers: payment.shop.headers });
      if (text === null) return;
      const { token_id } = JSON.parse(text) as { token_id: string };
      await call('a page', `/checkout/${token_id}`);
    },
    async refund() {
      // Old enough to be settled.
      const payment = paymentOf(60);
      if (payment === undefined) return;
      const init = { method: 'POST', headers: payment.shop.headers, body: '{"amount":"1.00"}' };
      await call('a refund', `/v1/payment/${payment.id}/refund`, init, REFUND_STATUSES);
    },
    events: (n) => call('the feed', '/v1/events?limit=20', { headers: shopAt(n)?.headers ?? {} }),
    async status() {
      const text = await call('the status', '/v1/status');
      health = text === null ? null : (JSON.parse(text) as { status: string }).status;
    },
  };
  const running = Object.entries(kinds).map(([kind, one]) =>
    repeat(EVERY_MS[kind as keyof typeof EVERY_MS], one, stopped.signal),
  );
  return {
    status: () => health,
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

/** Starts a request every `everyMs`, however long the others take; resolves when all have ended. */
async function repeat(
  everyMs: number,
  one: (n: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (let n = 0; !signal.aborted; n += 1) {
    const request: Promise<unknown> = one(n).finally(() => open.delete(request));
    open.add(request);
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(open);
}
