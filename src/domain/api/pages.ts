import { decodeCursor, encodeCursor } from '../../platform/values/cursors.ts';
import { ValidationError } from './errors.ts';

/** A page of rows, of which one more than `limit` was read where there are so many. */
export interface Page<Row> {
  readonly shown: readonly Row[];
  readonly pagination: { limit: number; has_more: boolean; next_cursor: string | null };
}

/** `positionOf` is the position after a row, as the parts of the list's sort key. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly (string | number)[],
  hasMore = rows.length > limit,
): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next_cursor = hasMore && last !== undefined ? encodeCursor(positionOf(last)) : null;
  return { shown, pagination: { limit, has_more: hasMore, next_cursor } };
}

/** The parts of a cursor; null: none was given. Throws ValidationError where it is none of this list. */
export function parseCursor<Name extends string>(
  cursor: string | undefined,
  patterns: Readonly<Record<Name, RegExp>>,
  field = 'cursor',
): Readonly<Record<Name, string>> | null {
  if (cursor === undefined) return null;
  const position = decodeCursor(cursor, patterns);
  if (position === null) throw notACursor(field);
  return position;
}

export function notACursor(field = 'cursor'): ValidationError {
  return new ValidationError(field, 'format', 'is not a next_cursor of this list');
}
