import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Bench } from '../bench.ts';
import { atOnce, copyPayments, dispatchCopies, type Original } from '../bulk-rows.ts';
import type { Receivers } from '../receivers.ts';

/** Another merchant's work becomes due this often. */
const PROBE_MS = 100;
const POLL_MS = 100;
const GIVE_UP_MS = 3_600_000;

/** How late another merchant's work was, in milliseconds. */
export interface Lateness {
  readonly delivery: number[];
  readonly expiry: number[];
}

/**
 * Makes an event and an expiry of another merchant due every 100 ms until `end`, and returns, once all have
 * come, how long after they were due their webhooks arrived.
 */
export function probe(
  { env }: Bench,
  original: Original,
  {
    receivers,
    merchantId,
    watchesExpiry,
  }: { receivers: Receivers; merchantId: string; watchesExpiry: boolean },
): { end(): Promise<Lateness> } {
  const dueAt = { delivery: new Map<string, number>(), expiry: new Map<string, number>() };
  const stop = new AbortController();
  const all = (async () => {
    const db = new Client({ connectionString: String(env['DATABASE_URL']) });
    await db.connect();
    for (let i = 1; !stop.signal.aborted; i += 1) {
      const own = { from: i, until: i, merchantId, apart: 0 };
      const idOf = (name: string) =>
        `${original.payment.id.slice(0, 14)}${name}${String(i).padStart(14, '0')}`;
      if (watchesExpiry) {
        dueAt.expiry.set(idOf('30'), performance.now());
        const expired = { ...own, name: '30', deadline: new Date() };
        await atOnce(db, () => copyPayments(db, original, expired));
      }
      dueAt.delivery.set(idOf('20'), performance.now());
      const delivered = { ...own, name: '20', deadline: new Date(Date.now() + 86_400_000) };
      await atOnce(db, async () => {
        await copyPayments(db, original, delivered);
        await dispatchCopies(db, original, delivered);
      });
      await sleep(PROBE_MS);
    }
    await db.end();
  })();
  const late = (due: Map<string, number>) =>
    [...due].map(([id, at]) => (receivers.arrivedAt.get(id) ?? Infinity) - at);
  return {
    async end() {
      stop.abort();
      await all;
      const giveUpAt = performance.now() + GIVE_UP_MS;
      while ([...late(dueAt.delivery), ...late(dueAt.expiry)].includes(Infinity)) {
        if (performance.now() > giveUpAt) throw new Error('webhooks of another merchant never came');
        await sleep(POLL_MS);
      }
      return { delivery: late(dueAt.delivery), expiry: late(dueAt.expiry) };
    },
  };
}

/** Reads Redis's memory every 50 ms: its own peak may be from a part before. */
export async function watchRedis(url: string): Promise<{ end(): Promise<number | null> }> {
  if (url === '') return { end: () => Promise.resolve(null) };
  const redis = new Redis(url);
  let most = 0;
  const look = async () => {
    const info = await redis.info('memory');
    most = Math.max(most, Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0));
  };
  await look();
  const timer = setInterval(() => void look().catch(() => undefined), 50);
  return {
    async end() {
      clearInterval(timer);
      await redis.quit();
      return most / 2 ** 20;
    },
  };
}
