import { randomUUID } from 'node:crypto';
import { recordAction } from '../../../domain/audit/record.ts';
import type { MoveOrder } from '../../../domain/ops/move/bring.ts';
import { lookupsOf } from '../../../domain/ops/move/lookups.ts';
import { moveMerchant } from '../../../domain/ops/move/move.ts';
import { MoveRefused } from '../../../domain/ops/move/steps.ts';
import { forgetMerchant, takeBack } from '../../../domain/ops/move/take-back.ts';
import { MOVES } from '../../../domain/moves/steps.ts';
import { environmentOf, readCells, type Cells } from '../../../platform/cells/file.ts';
import { recordMoved, takeMap } from '../../../platform/cells/moved.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { openDb, type Db } from '../../../platform/postgres/db.ts';
import { actorName } from '../actor.ts';
import {
  OpsUsageError,
  type OpsCommand,
  type OpsOutput,
  type OpsResult,
  type OpsValues,
} from '../shared/command.ts';

/** Some statements read all rows of a merchant. */
const TARGET_DB = { poolSize: 4, acquireMs: 10_000, queryMs: 60_000, name: 'ops move' };

export const moveCommand: OpsCommand = {
  summary: 'moves a merchant to another cell; again it goes on where it was interrupted',
  description:
    'With the DATABASE_URL of the cell that the merchant is in, and the variables that the file of cells names. ' +
    'Writes of the merchant get 503 meanwhile, for 30 s at most. Reload the proxies behind it; once ' +
    'they lead nobody here any more, --forget deletes the rows here.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'the merchant', isNeeded: true },
    to: { type: 'string', value: 'CELL', meaning: 'where it moves to', isNeeded: true },
    file: { type: 'string', value: 'CELLS', meaning: 'the file of cells', isNeeded: true },
    rollback: { type: 'boolean', meaning: 'takes a move back that was interrupted before it was decided' },
    forget: { type: 'boolean', meaning: 'deletes the rows of a merchant that has arrived in the other cell' },
  },
  changes: () => true,
  async run(ctx, values, output) {
    const cell = values.text('to') ?? '';
    const file = values.text('file') ?? '';
    const cells = await readCells(file);
    const other = cells.cells.find(({ name }) => name === cell);
    if (other === undefined) throw new OpsUsageError(`${file} has no cell ${cell}.`);
    const { DATABASE_URL: url = '' } = environmentOf(cells, other, process.env);
    const lock = await takeMap(cells.moved);
    const target = openDb({ url, ...TARGET_DB });
    try {
      return await moveTo(ctx, { target, cell, cells }, values, output);
    } catch (error) {
      throw error instanceof MoveRefused ? new StartError(`${error.message}.`) : error;
    } finally {
      await target.destroy();
      lock.close();
    }
  },
};

interface Target {
  readonly target: Db;
  readonly cell: string;
  /** With the map file of the proxy. */
  readonly cells: Cells;
}

async function moveTo(
  ctx: Context,
  { target, cell, cells }: Target,
  values: OpsValues,
  output: OpsOutput,
): Promise<OpsResult> {
  const id = values.text('merchant') ?? '';
  // In the log of the installation: that of the merchant goes on in the other cell.
  const result = (facts: object, text: string) => ({ facts, text, changed: { moved: id, cell, ...facts } });
  if (values.has('rollback')) {
    const move = { merchantId: id, cell, run: randomUUID(), now: ctx.systemNow() };
    await takeBack({ source: ctx.db, target }, move);
    return result({ taken_back: true }, `${id} is here, and nothing of it in ${cell}.`);
  }
  if (values.has('forget')) {
    await forgetMerchant(ctx.db, id, { onProgress: (rows, of) => output.progress(`${rows} ${of}`) });
    return result({ forgotten: true }, `The rows of ${id} are deleted here; its keys get 503.`);
  }
  const order = orderOf(ctx, { target, cell, cells }, id, output);
  const report = await moveMerchant(ctx, target, order);
  const stopped =
    report.stopped_seconds === null ? '' : ` Its writes were refused for ${report.stopped_seconds} s.`;
  return result(
    report,
    `${id} is in ${cell}.${stopped} Now reload the proxies (${cells.moved} leads its keys and tokens there), ` +
      'and when nobody comes here any more, run this with --forget.',
  );
}

function orderOf(ctx: Context, { cell, cells }: Target, merchantId: string, output: OpsOutput): MoveOrder {
  const actor = { kind: 'command', actor: actorName(ctx.config), address: null } as const;
  const entry = { ...actor, merchantId, command: MOVES, details: { cell } };
  return {
    merchantId,
    cell,
    announce: () => recordAction(ctx.db, { at: ctx.systemNow(), ...entry }),
    async switchRoutes() {
      const names = cells.cells.map(({ name }) => name);
      await recordMoved(cells.moved, await lookupsOf(ctx.db, merchantId, names), cell);
    },
    onProgress: (rows, of) => output.progress(`${rows} ${of}`),
  };
}
