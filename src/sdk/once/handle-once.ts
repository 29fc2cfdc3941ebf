import { kindOf } from '../check.ts';
import type { WebhookEvent } from '../event-types.ts';
import {
  knexStore,
  pgStore,
  type EventStore,
  type KnexDb,
  type KnexTransaction,
  type PgClient,
  type PgPool,
} from './stores.ts';

/** What `handleOnce` takes last. */
export interface HandleOnceOptions {
  /**
   * Returns the events of the payment whose sequence is above `after` and below `before`, in any order: from
   * `GET /v1/payment/:id/events`. Absent: a gap is left, and what was in it counts as handled when it
   * arrives.
   */
  readonly fetchMissing?: (
    paymentId: string,
    between: {
      /** The sequence of the last event that was handled. */
      readonly after: number;
      /** The sequence of the event at hand. */
      readonly before: number;
    },
  ) => Promise<readonly WebhookEvent[]>;
}

/**
 * Handles an event exactly once: `work` changes the merchant's data in the very transaction that remembers
 * the event. An event that was handled before, or is older than one that was, changes nothing. Where events
 * before it are missing, they are fetched, and handled first: `work` sees 1, 2, 3 ... of each payment, each
 * once, even if the process is killed at any moment and the event is delivered again. Returns the ids of the
 * events that were handled now: none where there was nothing to do, so that the receiver answers 2xx in both
 * cases. Rejects with what `work`, `fetchMissing` or the database threw; nothing has changed then, and the
 * delivery is retried. What `work` does outside of the transaction, such as a mail, is not undone.
 *
 * @param db a pool of `pg`, a `knex` of Postgres, or an EventStore
 */
export function handleOnce<Client extends PgClient>(
  db: PgPool<Client>,
  event: WebhookEvent,
  work: (tx: Client, event: WebhookEvent) => Promise<unknown>,
  options?: HandleOnceOptions,
): Promise<string[]>;
export function handleOnce<Tx>(
  db: EventStore<Tx>,
  event: WebhookEvent,
  work: (tx: Tx, event: WebhookEvent) => Promise<unknown>,
  options?: HandleOnceOptions,
): Promise<string[]>;
export function handleOnce<Tx extends KnexTransaction>(
  db: KnexDb<Tx>,
  event: WebhookEvent,
  work: (tx: Tx, event: WebhookEvent) => Promise<unknown>,
  options?: HandleOnceOptions,
): Promise<string[]>;
export async function handleOnce(
  db: PgPool | KnexDb | EventStore<unknown>,
  event: WebhookEvent,
  work: (tx: never, event: WebhookEvent) => Promise<unknown>,
  { fetchMissing }: HandleOnceOptions = {},
): Promise<string[]> {
  checkArguments(db, event, work);
  const store = storeOf(db);
  const paymentId = event.data.checkout.id;
  return store.transaction(async (tx) => {
    const { sequence: last } = await store.lock(tx, paymentId);
    if (event.sequence <= last) return [];
    const isGap = event.sequence > last + 1;
    const between = { after: last, before: event.sequence };
    const missing = isGap && fetchMissing !== undefined ? await fetchMissing(paymentId, between) : [];
    const due = [...inOrder(missing, paymentId, between), event];
    for (const one of due) await work(tx as never, one);
    await store.remember(tx, { paymentId, id: event.id, sequence: event.sequence });
    return due.map(({ id }) => id);
  });
}

/** Throws TypeError for what cannot be meant; a thin event, for one, has neither payment nor sequence. */
function checkArguments(db: unknown, event: unknown, work: unknown): void {
  const { transaction, connect } = Object(db) as { transaction?: unknown; connect?: unknown };
  if (typeof transaction !== 'function' && typeof connect !== 'function')
    throw new TypeError(`db must be a pool of pg, a knex or an EventStore, not ${kindOf(db)}`);
  const { sequence, data } = Object(event) as Partial<WebhookEvent>;
  if (!Number.isInteger(sequence) || typeof data?.checkout?.id !== 'string')
    throw new TypeError('event must be a whole event: pass the event that verifyWebhook returned');
  if (typeof work !== 'function')
    throw new TypeError(`work must be a function of the transaction and the event, not ${kindOf(work)}`);
}

function storeOf(db: PgPool | KnexDb | EventStore<unknown>): EventStore<unknown> {
  if ('lock' in db) return db;
  return 'connect' in db ? pgStore(db) : knexStore(db);
}

/** Those that belong in the gap, each once, whatever else the caller has fetched. */
function inOrder(
  events: readonly WebhookEvent[],
  paymentId: string,
  { after, before }: { readonly after: number; readonly before: number },
): WebhookEvent[] {
  const bySequence = new Map(
    events
      .filter(({ data, sequence }) => data.checkout.id === paymentId && sequence > after && sequence < before)
      .map((event) => [event.sequence, event]),
  );
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
}
