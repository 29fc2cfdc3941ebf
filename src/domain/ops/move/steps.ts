import { DECIDED, type Step } from '../../moves/steps.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** Nothing was changed, or all was taken back: the merchant goes on where it is. */
export class MoveRefused extends Error {}

export interface Move {
  readonly merchant_id: string;
  readonly cell: string;
  readonly step: Step;
  readonly run: string;
  readonly began_at: Date;
}

const moveOf = sql<Move, { merchantId: string }>(
  'move_of_merchant',
  (p) => `
    SELECT merchant_id, cell, step, run, began_at FROM merchant_moves
    WHERE merchant_id = ${p.merchantId}`,
);

/** Returns the move of a merchant; null: it is not moved. */
export async function readMove(connection: Connection, merchantId: string): Promise<Move | null> {
  return runOne(connection, moveOf, { merchantId });
}

/** A move that is decided, by the run that has decided it; every run goes on with it. */
export interface Decided {
  readonly merchantId: string;
  readonly run: string;
}

const setStep = sql<never, Decided & { from: readonly Step[]; to: Step }>(
  'set_step_of_move',
  (p) => `
    UPDATE merchant_moves SET step = ${p.to}
    WHERE merchant_id = ${p.merchantId} AND run = ${p.run} AND step = ANY (${p.from}::text[])`,
);

/**
 * Remembers that a step is done. Where another command is further, it stays further; a later move of the
 * merchant is not this one.
 */
export async function recordStep(
  connection: Connection,
  { merchantId, run: of }: Decided,
  step: 'switched' | 'arrived' | 'forgotten',
): Promise<void> {
  const from = DECIDED.slice(0, DECIDED.indexOf(step));
  await run(connection, setStep, { merchantId, run: of, from, to: step });
}

const deleteMove = sql<{ merchant_id: string }, { merchantId: string; run: string }>(
  'end_merchant_move',
  (p) => `
    DELETE FROM merchant_moves
    WHERE merchant_id = ${p.merchantId} AND run = ${p.run} RETURNING merchant_id`,
);

/** Ends a move of this run: from now on nothing is refused. False: it is another run's. */
export async function endMove(
  connection: Connection,
  move: { readonly merchantId: string; readonly run: string },
): Promise<boolean> {
  return (await runOne(connection, deleteMove, move)) !== null;
}

const openArriving = sql<{ merchant_id: string }, Decided>(
  'let_arriving_merchant_go_on',
  (p) => `
    UPDATE merchant_moves SET stopped_until = NULL
    WHERE merchant_id = ${p.merchantId} AND run = ${p.run} AND step = 'arriving'
      AND stopped_until IS NOT NULL
    RETURNING merchant_id`,
);

/** The target takes writes from now on. False: another command has let it, or this move is long over. */
export async function goOnArriving(connection: Connection, move: Decided): Promise<boolean> {
  return (await runOne(connection, openArriving, move)) !== null;
}

const stopWrites = sql<{ until: string }, { merchantId: string; run: string; seconds: number }>(
  'stop_writes_of_merchant',
  (p) => `
    UPDATE merchant_moves SET stopped_until = clock_timestamp() + make_interval(secs => ${p.seconds}::float8)
    WHERE merchant_id = ${p.merchantId} AND step = 'announced' AND run = ${p.run}
    RETURNING stopped_until::text AS until`,
);

/**
 * From now on what is written of the merchant is refused, where triggers look (fence.ts), for so many seconds
 * of the database's time. Returns the end as text; null: another run has taken the move over.
 */
export async function stopFor(
  connection: Connection,
  { merchantId, run: of }: { readonly merchantId: string; readonly run: string },
  seconds: number,
): Promise<string | null> {
  return (await runOne(connection, stopWrites, { merchantId, run: of, seconds }))?.until ?? null;
}

/**
 * What is left of the stop must outlast the commit that makes it endless: between the two nobody may write.
 */
export const MARGIN_SECONDS = 10;

const stopForGood = sql<{ merchant_id: string }, { merchantId: string; run: string }>(
  'move_merchant_for_good',
  (p) => `
    UPDATE merchant_moves SET step = 'moved', stopped_until = 'infinity'
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
  { merchantId, run: of }: { readonly merchantId: string; readonly run: string },
): Promise<boolean> {
  return (await runOne(connection, stopForGood, { merchantId, run: of })) !== null;
}

const lockStep = sql<{ step: Step }, { merchantId: string }>(
  'lock_step_of_merchant_move',
  (p) => `SELECT step FROM merchant_moves WHERE merchant_id = ${p.merchantId} FOR SHARE`,
);

/** Until the transaction ends the step stays one of these. Throws MoveRefused where it is none of them. */
export async function holdStep(tx: Tx, merchantId: string, steps: readonly Step[]): Promise<void> {
  const found = await runOne(tx, lockStep, { merchantId });
  if (found === null || !steps.includes(found.step))
    throw new MoveRefused(
      `The move of ${merchantId} has gone on meanwhile: this command changes nothing more`,
    );
}
