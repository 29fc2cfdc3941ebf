import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './table.ts';

/** Receivers of webhooks at any number of addresses: 127.0.0.1, 127.0.0.2 ... are different hosts (Linux). */
export interface Receivers {
  /** Arrivals by the payment's id, in milliseconds of `performance.now()`: the first of each. */
  readonly arrivedAt: Map<string, number>;
  /** The number of requests, repeated events included. */
  count(): number;
  /** Requests, since the start, by which a host that responds got an event again. */
  again(): number;
  url(host: number): string;
  /** Hosts below this number never respond. */
  hangBelow(host: number): void;
  reset(): void;
  close(): void;
}

/** The row that says whether a receiver without a fault got an event twice. */
export function rowOfRepeats(title: string, receivers: Pick<Receivers, 'again'>): Row {
  return {
    title: `events that a healthy receiver got again, ${title}`,
    floor: '',
    target: { atMost: 0 },
    rounds: [receivers.again()],
    figures: 'all rounds together',
    limit: 'nothing: each is a fault',
  };
}

const WITHOUT_PROGRESS_MS = 60_000;
const PAYMENT_ID = /"checkout":\{"id":"(pay_\w{26})"/;

export async function openReceivers(): Promise<Receivers> {
  const arrivedAt = new Map<string, number>();
  const responded = new Set<string>();
  let arrivals = 0;
  let repeated = 0;
  let hanging = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('latin1');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      arrivals += 1;
      const id = PAYMENT_ID.exec(body)?.[1] ?? '';
      if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
      const host = Number(/^127\.0\.0\.(\d+)/.exec(request.headers.host ?? '')?.[1]);
      if (host < hanging) return;
      const delivered = `${host} ${String(request.headers['webhook-id'])}`;
      if (responded.has(delivered)) repeated += 1;
      responded.add(delivered);
      response.end();
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    arrivedAt,
    count: () => arrivals,
    again: () => repeated,
    url: (host) => `http://127.0.0.${host}:${port}/hooks`,
    hangBelow: (host) => void (hanging = host),
    reset() {
      arrivals = 0;
      arrivedAt.clear();
      responded.clear();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Checks every 20 ms, and returns the time at which it was true. Throws after a minute without any
 * progress, which `state` shows: what the error names.
 */
export async function until(
  isTrue: () => Promise<boolean> | boolean,
  state: () => string | number | Promise<string | number> = () => 'no more is known',
): Promise<number> {
  let last = '';
  let giveUpAt = 0;
  while (!(await isTrue())) {
    const now = String(await state());
    if (now !== last || giveUpAt === 0) giveUpAt = performance.now() + WITHOUT_PROGRESS_MS;
    last = now;
    if (performance.now() > giveUpAt) throw new Error(`not done, and no progress for a minute: ${last}`);
    await sleep(20);
  }
  return performance.now();
}

/** Returns the value below which `share` of the values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
