import type { Tx } from '../../../../platform/postgres/db.ts';
import { begin, compareTable, copyTable, inSnapshot, type Ends } from '../copy.ts';
import { holdRun, type Run } from '../runs.ts';
import { ask } from '../tables/rows.ts';
import { EVENTS } from '../tables/tables.ts';
import type { FeedPlace } from './chosen.ts';
import { goOnNoting, horizonOf } from './notes.ts';

/** Events of one transaction: while it writes them the target's feeds wait, for a second or less. */
const BATCH = 10_000;

const BEGINNING: FeedPlace = { txid: '0', place: '-1' };
const CHOSEN = 't.id IN (SELECT id FROM moving_events)';

export interface CopiedFeed {
  readonly events: number;
  /** The last of them, in the source. */
  readonly last: FeedPlace;
}

/**
 * Copies a merchant's feed in its order, up to where it was whole when this began: nothing can come before
 * that any more, so the target, which numbers events itself, gives them the order that they have.
 * `onProgress` hears how many there are.
 */
export async function copyFeed(
  ends: Ends,
  move: Run,
  onProgress: (events: number) => void | Promise<void>,
): Promise<CopiedFeed> {
  const horizon = await inSnapshot(ends.source, move.merchantId, horizonOf);
  let last = BEGINNING;
  for (let events = 0; ;) {
    const batch = await copyEvents(ends, move, last, horizon);
    events += batch.length;
    last = batch.at(-1) ?? last;
    await onProgress(events);
    await goOnNoting(ends.source, move);
    if (batch.length < BATCH) return { events, last };
  }
}

async function copyEvents(
  { source, target }: Ends,
  move: Run,
  after: FeedPlace,
  horizon: string,
): Promise<FeedPlace[]> {
  const { merchantId } = move;
  return inSnapshot(source, merchantId, async (from) => {
    const found = await ask<FeedPlace & { id: string }>(
      from,
      `SELECT id, txid::text AS txid, place::text AS place FROM events
       WHERE merchant_id = $1 AND (txid, place) > ($2::xid8, $3::bigint) AND txid < $4::xid8
       ORDER BY events.txid, events.place LIMIT ${BATCH}`,
      [merchantId, after.txid, after.place, horizon],
    );
    const ids = found.map(({ id }) => id);
    await choose(from, ids);
    await target.transaction(async (to) => {
      await begin(to, merchantId);
      await holdRun(to, move);
      await choose(to, ids);
      for (const table of EVENTS) {
        for await (const _ of copyTable(from, to, table, CHOSEN));
        await compareTable(from, to, table, CHOSEN);
      }
    });
    return found;
  });
}

async function choose(tx: Tx, ids: readonly string[]): Promise<void> {
  await ask(tx, 'CREATE TEMPORARY TABLE moving_events (id text COLLATE "C" PRIMARY KEY) ON COMMIT DROP');
  await ask(tx, 'INSERT INTO moving_events SELECT unnest($1::text[])', [ids]);
  await ask(tx, 'ANALYZE moving_events');
}
