import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';

/**
 * How far a move is, as the source remembers it. `announced`: nothing is decided, and the source goes on by
 * itself when the time is over for which it refuses writes. `moved`: the rows are in the target, the source
 * refuses for good, and there is no way back. `switched`: proxies lead to the target. `arrived`: the
 * merchant's work goes on there. `forgotten`: the rows are deleted in the source, and whoever still comes
 * there is refused. The target knows one that is `arriving`.
 */
export type Step = 'announced' | 'moved' | 'switched' | 'arrived' | 'forgotten' | 'arriving';

/** Nothing was changed, or all was taken back: the merchant goes on where it is. */
export class MoveRefused extends Error {}

export interface Move {
  readonly merchant_id: string;
  readonly cell: string;
  readonly step: Step;
  readonly began_at: Date;
  /** By real network, up to where its blocks were final in the source when the rows were copied. */
  readonly heights: Readonly<Record<string, number>>;
}

const moveOf = sql<Move, { merchantId: string }>(
  'move_of_merchant',
  (p) => `
    SELECT merchant_id, cell, step, began_at, heights FROM merchant_moves
    WHERE merchant_id = ${p.merchantId}`,
);

/** Returns the move of a merchant; null: it is not moved. */
export async function readMove(connection: Connection, merchantId: string): Promise<Move | null> {
  return runOne(connection, moveOf, { merchantId });
}

/** A move that begins, of one run of the command. */
export interface Beginning {
  readonly merchantId: string;
  readonly cell: string;
  readonly run: string;
  readonly now: Date;
}

const insertMove = sql<never, Beginning & { step: Step }>(
  'begin_merchant_move',
  (p) => `
    INSERT INTO merchant_moves (merchant_id, cell, step, run, began_at, stopped_until)
    VALUES (${p.merchantId}, ${p.cell}, ${p.step}::text, ${p.run}, ${p.now},
      CASE WHEN ${p.step}::text = 'arriving' THEN 'infinity'::timestamptz END)`,
);

/**
 * Begins a move out of this database, or, as `arriving`, into it: then nothing is written of the merchant but
 * by the move.
 */
export async function beginMove(
  connection: Connection,
  move: Beginning,
  step: 'announced' | 'arriving',
): Promise<void> {
  await run(connection, insertMove, { ...move, step });
}

const setStep = sql<never, { merchantId: string; step: Step }>(
  'set_step_of_move',
  (p) => `UPDATE merchant_moves SET step = ${p.step} WHERE merchant_id = ${p.merchantId}`,
);

/** Remembers that a step is done. */
export async function recordStep(connection: Connection, merchantId: string, step: Step): Promise<void> {
  await run(connection, setStep, { merchantId, step });
}

const deleteMove = sql<never, { merchantId: string }>(
  'end_merchant_move',
  (p) => `DELETE FROM merchant_moves WHERE merchant_id = ${p.merchantId}`,
);

/** Ends a move: from now on nothing is refused. */
export async function endMove(connection: Connection, merchantId: string): Promise<void> {
  await run(connection, deleteMove, { merchantId });
}

const stopWrites = sql<{ until: string }, { merchantId: string; seconds: number }>(
  'stop_writes_of_merchant',
  (p) => `
    UPDATE merchant_moves SET stopped_until = clock_timestamp() + make_interval(secs => ${p.seconds}::float8)
    WHERE merchant_id = ${p.merchantId} RETURNING stopped_until::text AS until`,
);

/**
 * From now on what is written of the merchant is refused, where triggers look (fence.ts), for so many seconds
 * of the database's time. Returns the end as text.
 */
export async function stopFor(connection: Connection, merchantId: string, seconds: number): Promise<string> {
  const stopped = await runOne(connection, stopWrites, { merchantId, seconds });
  if (stopped === null) throw new Error(`${merchantId} has no move`);
  return stopped.until;
}

/**
 * What is left of the stop must outlast the commit that makes it endless: between the two nobody may write.
 */
const MARGIN_SECONDS = 10;

const stopForGood = sql<{ merchant_id: string }, { merchantId: string; run: string; heights: string }>(
  'move_merchant_for_good',
  (p) => `
    UPDATE merchant_moves SET step = 'moved', stopped_until = 'infinity', heights = ${p.heights}
    WHERE merchant_id = ${p.merchantId} AND step = 'announced' AND run = ${p.run}
      AND stopped_until > clock_timestamp() + interval '${MARGIN_SECONDS} seconds'
    RETURNING merchant_id`,
);

/**
 * The point of no return: the source refuses writes for good. False: the time of the stop is too short, or
 * another run of the command has taken the move back; then nothing is changed.
 */
export async function decide(
  connection: Connection,
  { merchantId, run: of, heights }: { merchantId: string; run: string; heights: Move['heights'] },
): Promise<boolean> {
  const params = { merchantId, run: of, heights: JSON.stringify(heights) };
  return (await runOne(connection, stopForGood, params)) !== null;
}

const undo = sql<{ merchant_id: string }, { merchantId: string }>(
  'take_back_merchant_move',
  (p) => `
    UPDATE merchant_moves SET stopped_until = NULL
    WHERE merchant_id = ${p.merchantId} AND step = 'announced' RETURNING merchant_id`,
);

/**
 * The source takes writes again, and no run of the command that has begun decides the move; false: it is
 * decided.
 */
export async function beginTakingBack(connection: Connection, merchantId: string): Promise<boolean> {
  return (await runOne(connection, undo, { merchantId })) !== null;
}
