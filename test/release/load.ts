import { setTimeout as sleep } from 'node:timers/promises';

/** What a merchant's shop saw of the service. */
export interface Seen {
  readonly payments: string[];
  readonly events: Set<string>;
  /** Responses that are no 2xx, requests without a response, and lists without a payment created before. */
  readonly faults: string[];
  requests: number;
}

export interface Load {
  readonly seen: Seen;
  /** Ends the load; resolves when the last request has its response. */
  stop(): Promise<void>;
}

const EVERY_MS = 50;

/**
 * Creates payments, reads and lists them, and reads the feed from cursor to cursor, in turn on each of
 * `ports`, which may change meanwhile.
 */
export function startLoad(ports: readonly number[], apiKey: string): Load {
  const seen: Seen = { payments: [], events: new Set(), faults: [], requests: 0 };
  const over = new AbortController();
  let cursor = '';
  const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    seen.requests += 1;
    const port = ports[seen.requests % ports.length] ?? 0;
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    try {
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      const text = await response.text();
      if (!response.ok) seen.faults.push(`${method} ${path} on ${port}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    } catch (error) {
      seen.faults.push(`${method} ${path} on ${port}: ${String(error)}`);
      return {};
    }
  };
  const shop = async () => {
    for (let n = 0; !over.signal.aborted; n += 1, await sleep(EVERY_MS)) {
      const { id } = await ask('POST', '/v1/payment', { pay_amount: '10.50', order_id: `order ${n}` });
      if (typeof id === 'string') seen.payments.push(id);
      await ask('GET', `/v1/payment/${String(id)}`);
      const list = await ask('GET', '/v1/payments?limit=20');
      if (!((list['data'] ?? []) as { id: string }[]).some((listed) => listed.id === id))
        seen.faults.push(`the list lacks the payment that was created before it, ${String(id)}`);
    }
  };
  const reader = async () => {
    for (; !over.signal.aborted; await sleep(EVERY_MS)) {
      const page = await ask('GET', `/v1/events?limit=100${cursor === '' ? '' : `&after=${cursor}`}`);
      for (const event of (page['data'] ?? []) as { id: string }[]) seen.events.add(event.id);
      cursor = (page['pagination'] as { next_cursor: string | null } | undefined)?.next_cursor ?? cursor;
    }
  };
  const running = Promise.all([shop(), reader()]);
  return {
    seen,
    async stop() {
      over.abort();
      await running;
    },
  };
}
