// What others must know of merchants that move to another cell, by domain/ops/move.

/**
 * How far a move is, as the source remembers it. `announced`: nothing is decided, and the source goes on by
 * itself when the time is over for which it refuses writes. `moved`: the rows are in the target, the source
 * refuses for good, and there is no way back. `switched`: proxies lead to the target. `arrived`: the
 * merchant's work goes on there. `forgotten`: the rows are deleted in the source, and whoever still comes
 * there is refused. The target knows one that is `arriving`.
 */
export type Step = 'announced' | 'moved' | 'switched' | 'arrived' | 'forgotten' | 'arriving';

/** What the audit log of a merchant says when a move begins; the log comes along. */
export const MOVES = 'moves to another cell';

/** The steps of a decided move for as long as the source has the rows, in their order. */
const LEFT: readonly Step[] = ['moved', 'switched', 'arrived'];
/** The steps of a move that is decided, in their order. */
export const DECIDED: readonly Step[] = [...LEFT, 'forgotten'];

/**
 * SQL: whether what is written of a merchant is refused, for they move to another cell or have moved there.
 * What deletes old rows of many merchants leaves theirs out: the other cell deletes them, and one row that is
 * refused would keep those of all others.
 */
export const IS_MOVING = (merchant: string): string =>
  `EXISTS (SELECT FROM merchant_moves moving
    WHERE moving.merchant_id = ${merchant} AND moving.stopped_until > clock_timestamp())`;

/**
 * SQL: whether a merchant lives in another cell: their rows wait here to be forgotten, or have come and are
 * not used yet.
 */
export const IS_ELSEWHERE = (merchant: string): string =>
  `EXISTS (SELECT FROM merchant_moves moving
    WHERE moving.merchant_id = ${merchant} AND (moving.step IN (${LEFT.map((step) => `'${step}'`).join()})
      OR moving.step = 'arriving' AND moving.stopped_until IS NOT NULL))`;

/**
 * SQL: whether rows of a merchant are copied here, or compared with those of the other cell: until proxies
 * lead there, what only one of the two drops would keep a decided move from going on. What is dropped is not
 * noted either (domain/ops/move/early).
 */
export const IS_COMPARED = `(EXISTS (SELECT FROM merchant_moves
    WHERE step IN ('announced', 'moved', 'arriving') AND stopped_until > clock_timestamp())
  OR EXISTS (SELECT FROM merchant_copies WHERE lasts_until > clock_timestamp()))`;
