import { Type, type Static, type TNull, type TSchema, type TString, type TUnion } from 'typebox';
import { AMOUNT_PATTERN, CURSOR_PATTERN, TEXT_PATTERN } from './patterns.ts';
import { idPattern, type IdPrefix } from '../../platform/values/ids.ts';

// What the schemas of requests and responses have in common.

/** A value of `schema`, or null. */
export function nullable<S extends TSchema>(schema: S, description?: string): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** An ISO 8601 date and time with its offset. */
export function timestamp(description?: string): TString {
  return Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });
}

/** An id with this prefix (contract, "Names and shapes"). */
export function id(prefix: IdPrefix, description?: string): TString {
  return Type.String({
    pattern: idPattern(prefix).source,
    ...(description === undefined ? {} : { description }),
  });
}

/** Text that JSON and Postgres keep as it is. */
export function text(options: { minLength?: number; maxLength: number; description: string }): TString {
  return Type.String({ pattern: TEXT_PATTERN, ...options });
}

/** A decimal string greater than zero. */
export function amount(description: string): TString {
  return Type.String({ pattern: AMOUNT_PATTERN, description });
}

/** The `next_cursor` of a page before. */
export function cursor(description: string, maxLength = 100): TString {
  return Type.String({ minLength: 1, maxLength, pattern: CURSOR_PATTERN, description });
}

/** How many entries a page of a list holds where its query does not say. */
export const DEFAULT_LIMIT = 20;

const LIMIT = 'How many a page holds at most.';
/** The `limit` of a list's query. */
export const PageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT, description: LIMIT }),
);

/** The query of a list that is walked by its cursor, and by nothing else. */
export const PageQuery = Type.Object(
  {
    limit: PageLimit,
    cursor: Type.Optional(cursor('next_cursor of the page before.')),
  },
  { additionalProperties: false },
);
export type PageQuery = Static<typeof PageQuery>;

/** How a list that is walked by its cursor says where the page ends. */
export const CursorPagination = Type.Object({
  limit: Type.Integer({ description: LIMIT }),
  has_more: Type.Boolean({ description: 'Whether another page follows.' }),
  next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
});
