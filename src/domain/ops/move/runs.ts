import { run, runOne, sql, type Connection, type Db, type Tx } from '../../../platform/postgres/db.ts';
import { ask } from './tables/rows.ts';
import { MoveRefused, readMove } from './steps.ts';

/**
 * One run of the command. The row of `merchant_moves` names the run that moves the merchant: who claims it
 * takes it from another one, which may have been killed, and may be alive on another machine. All that a run
 * does, in both databases, it does while its name is there.
 */
export interface Run {
  readonly merchantId: string;
  readonly cell: string;
  readonly run: string;
  readonly now: Date;
}

const claimMove = sql<{ merchant_id: string }, Run>(
  'claim_merchant_move',
  (p) => `
    INSERT INTO merchant_moves AS m (merchant_id, cell, step, run, began_at)
    SELECT id, ${p.cell}, 'announced', ${p.run}, ${p.now}::timestamptz
    FROM merchants WHERE id = ${p.merchantId}
    ON CONFLICT (merchant_id) DO UPDATE SET run = excluded.run, stopped_until = NULL
    WHERE m.step = 'announced' AND m.cell = excluded.cell
    RETURNING merchant_id`,
);

/**
 * Begins a move out of the source, or takes one that is not decided over: the source takes writes again, and
 * no other run decides it, or changes anything more. Throws MoveRefused.
 */
export async function claim(source: Connection, move: Run): Promise<void> {
  if ((await runOne(source, claimMove, move)) !== null) return;
  const other = await readMove(source, move.merchantId);
  // Another cell's command would take the merchant for one that was never moved, and delete what arrives.
  if (other === null)
    throw new MoveRefused(`There is no merchant ${move.merchantId} in the cell of DATABASE_URL`);
  throw new MoveRefused(
    other?.step === 'announced'
      ? `${move.merchantId} is moved to ${other.cell}, not to ${move.cell}`
      : `${move.merchantId} is in ${other?.cell ?? 'another cell'} already: the way back is another move`,
  );
}

const undoStop = sql<{ merchant_id: string }, Pick<Run, 'merchantId' | 'run'>>(
  'take_back_merchant_move',
  (p) => `
    UPDATE merchant_moves SET stopped_until = NULL
    WHERE merchant_id = ${p.merchantId} AND step = 'announced' AND run = ${p.run} RETURNING merchant_id`,
);

/** The source takes writes again. Throws MoveRefused where the move is decided, or another run's. */
export async function reopen(source: Connection, move: Run): Promise<void> {
  if ((await runOne(source, undoStop, move)) !== null) return;
  if ((await readMove(source, move.merchantId))?.step === 'announced') throw takenOver(move);
  throw new MoveRefused(`${move.merchantId} is in ${move.cell} already, or was taken back`);
}

export const takenOver = ({ merchantId }: Pick<Run, 'merchantId'>): MoveRefused =>
  new MoveRefused(`Another command has taken over the move of ${merchantId}: this one changes nothing more`);

/**
 * Another run holds its row of the target for as long as it copies, which the limits of statements end before
 * this; a wait of this run ends sooner still, and the command is given again.
 */
const WAIT_SECONDS = 60;

async function bePatient(tx: Tx): Promise<void> {
  await ask(
    tx,
    `SELECT set_config(name, '${WAIT_SECONDS}s', true)
     FROM (VALUES ('lock_timeout'), ('idle_in_transaction_session_timeout')) AS s (name)`,
  );
}

const lockRun = sql<{ step: string }, Pick<Run, 'merchantId' | 'run'>>(
  'lock_run_of_merchant_move',
  (p) => `
    SELECT step FROM merchant_moves WHERE merchant_id = ${p.merchantId} AND run = ${p.run} FOR SHARE`,
);

/** Until the transaction ends the move stays this run's. False: it is not. */
export async function keepRun(tx: Tx, move: Pick<Run, 'merchantId' | 'run'>): Promise<boolean> {
  return (await runOne(tx, lockRun, move)) !== null;
}

/** Until the transaction ends no other run takes the move over. Throws MoveRefused where one has. */
export async function holdRun(tx: Tx, move: Pick<Run, 'merchantId' | 'run'>): Promise<void> {
  if (!(await keepRun(tx, move))) throw takenOver(move);
}

const takeArriving = sql<{ merchant_id: string }, Pick<Run, 'merchantId' | 'run'>>(
  'take_over_arriving_merchant',
  (p) => `
    UPDATE merchant_moves SET run = ${p.run}
    WHERE merchant_id = ${p.merchantId} AND step = 'arriving' RETURNING merchant_id`,
);

const arrive = sql<never, Run>(
  'begin_arriving_of_merchant',
  (p) => `
    INSERT INTO merchant_moves AS m (merchant_id, cell, step, run, began_at, stopped_until)
    VALUES (${p.merchantId}, ${p.cell}, 'arriving', ${p.run}, ${p.now}, 'infinity')
    ON CONFLICT (merchant_id) DO UPDATE SET cell = excluded.cell, step = excluded.step, run = excluded.run,
      began_at = excluded.began_at, stopped_until = excluded.stopped_until
    WHERE m.step = 'forgotten'`,
);

/** Both databases name the same run: `work` changes the target while the source's row is held. */
async function whileHeld(source: Db, target: Db, move: Run, work: (tx: Tx) => Promise<void>): Promise<void> {
  await source.transaction(async (held) => {
    await bePatient(held);
    await holdRun(held, move);
    await target.transaction(async (tx) => {
      await bePatient(tx);
      await work(tx);
    });
  });
}

/**
 * What another run has begun in the target is this one's; that one's transactions have ended then. False: it
 * has begun nothing. Throws MoveRefused.
 */
export async function takeTarget(source: Db, target: Db, move: Run): Promise<boolean> {
  let isArriving = false;
  await whileHeld(source, target, move, async (tx) => {
    isArriving = (await runOne(tx, takeArriving, move)) !== null;
  });
  return isArriving;
}

/**
 * From now on nothing is written of the merchant in the target but by this run. True: the merchant had left
 * it once, and was kept there to refuse its keys. Throws MoveRefused.
 */
export async function beginArriving(source: Db, target: Db, move: Run): Promise<boolean> {
  const isBack = (await readMove(target, move.merchantId))?.step === 'forgotten';
  await whileHeld(source, target, move, async (tx) => {
    await run(tx, arrive, move);
    await holdRun(tx, move);
  });
  return isBack;
}
