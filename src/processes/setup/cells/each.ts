import { environmentOf, readCells, type Cell } from '../../../platform/cells/file.ts';
import type { Environment } from '../../../platform/config/config.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable } from '../../../platform/postgres/db.ts';
import { redact } from '../../../platform/values/redact.ts';
import type { OpenCommand } from '../command-context.ts';
import type { Lifetime } from '../lifetime.ts';
import { OpsUsageError, type AskedCommand, type OpsOutput, type OpsResult } from '../shared/command.ts';

/** What looks and changes nothing. */
const FOR_CELLS = ['status', 'verify', 'stuck'];

interface CellResult {
  readonly cell: string;
  /** `away`: its Postgres cannot be reached; `failed`: the command could not run there for another reason. */
  readonly state: 'ok' | 'wrong' | 'away' | 'failed';
  readonly facts: object;
  readonly text: string;
}

/**
 * Runs a command on each cell of the file, all at once, each with its own variables, and returns one table. A
 * cell that is away is a row of it, and stops none of the others. Throws OpsUsageError for a command that is
 * not for this.
 */
export async function runOnCells(
  lifetime: Lifetime,
  open: OpenCommand,
  { file, command, output }: { file: string; command: AskedCommand; output: OpsOutput },
): Promise<OpsResult> {
  const runOn = async (cell: Cell, env: Environment) => {
    const { isPreflight, readsChains } = command;
    const ctx = await open(lifetime, `ops ${cell.name}`, env, { isPreflight, readsChains });
    return resultOf(cell, await command.run(ctx, output));
  };
  if (!FOR_CELLS.includes(command.name) || command.changes)
    throw new OpsUsageError(`--cells is for ${FOR_CELLS.join(', ')}, which change nothing.`);
  const cells = await readCells(file);
  const results = await Promise.all(
    cells.cells.map(async (cell) => {
      try {
        return await runOn(cell, environmentOf(cells, cell, process.env));
      } catch (error) {
        if (error instanceof OpsUsageError) throw error;
        return failed(cell, error);
      }
    }),
  );
  return {
    facts: { cells: results.map(({ cell, state, facts }) => ({ cell, state, ...facts })) },
    text: textOf(results, command.name === 'stuck'),
    isBad: results.some(({ state }) => state !== 'ok'),
  };
}

function resultOf({ name }: Cell, { facts, text, isBad = false }: OpsResult): CellResult {
  return { cell: name, state: isBad ? 'wrong' : 'ok', facts, text };
}

function failed({ name }: Cell, error: unknown): CellResult {
  const because = redact(messageOf(error));
  const state = isUnavailable(error) ? 'away' : 'failed';
  return { cell: name, state, facts: { error: because }, text: because };
}

/** The table, and below it all that the cells say that are not well; `all`: what all say. */
function textOf(results: readonly CellResult[], all: boolean): string {
  const width = Math.max(...results.map(({ cell }) => cell.length), 4);
  const rows = results.map(
    ({ cell, state, text }) =>
      `${cell.padEnd(width)}  ${(state === 'ok' ? state : state.toUpperCase()).padEnd(6)}  ${lastLine(text)}`,
  );
  const details = results
    .filter(({ state, text }) => (all || state === 'wrong') && text.includes('\n'))
    .map(({ cell, text }) => `\n${cell}\n${text.replaceAll(/^/gm, '  ')}`);
  return [`${'cell'.padEnd(width)}  state   what it says`, ...rows, ...details].join('\n');
}

/** A command concludes with its verdict. */
function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
