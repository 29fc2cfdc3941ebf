import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { ValidationError } from '../api/errors.ts';
import { decodeCursor, encodeCursor } from '../../platform/values/cursors.ts';

export interface Position {
  /** Null: it is no cursor's. */
  readonly epoch: string | null;
  readonly txid: string;
  readonly place: string;
}
const BEGINNING: Position = { epoch: null, txid: '0', place: '0' };

const placeOfEvent = sql<{ txid: string; place: string }, { merchantId: string; id: string }>(
  'place_of_event',
  (p) => `SELECT txid, place FROM events WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

/**
 * The position after which a page begins. `after` is a cursor, or the id of an event: that is how a reader
 * goes on in a new epoch.
 * Throws ValidationError for anything else.
 */
export async function positionOf(
  connection: Connection,
  merchantId: string,
  after?: string,
): Promise<Position> {
  if (after === undefined) return BEGINNING;
  if (!after.startsWith('evt_')) return parseCursor(after);
  const place = await runOne(connection, placeOfEvent, { merchantId, id: after });
  if (place === null) throw new ValidationError('after', 'event', 'names no event of this feed');
  return { epoch: null, ...place };
}

/** The cursor after an event. */
export function formatCursor({ epoch, txid, place }: Position): string {
  return encodeCursor(!epoch ? [txid, place] : [epoch, txid, place]);
}

/** At most 18 digits each, within Postgres's bigint; a cluster needs centuries to reach that. */
const NUMBERS = { txid: /^\d{1,18}$/, place: /^\d{1,18}$/ };

/** A cursor without an epoch is from before cursors had one. */
function parseCursor(cursor: string): Position {
  const position = decodeCursor(cursor, { epoch: /^[0-9a-f]{12}$/, ...NUMBERS });
  if (position !== null) return position;
  const old = decodeCursor(cursor, NUMBERS);
  if (old === null) throw notACursor();
  return { epoch: '', ...old };
}

export function notACursor(): ValidationError {
  return new ValidationError('after', 'format', 'is not a next_cursor of this feed');
}

export function endedEpoch(at: Date): ValidationError {
  const when = `${at.toISOString().slice(0, 19)}Z`;
  return new ValidationError(
    'after',
    'epoch',
    `is a cursor from before ${when}, when the feed began again after a restore. Go on with after= the id ` +
      'of the newest event that you have, or, where that is unknown, of one before, or without after. ' +
      'Events that you know may come again, with the same ids',
  );
}
