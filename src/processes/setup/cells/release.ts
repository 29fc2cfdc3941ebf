import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCells, type Cell } from '../../../platform/cells/file.ts';
import { messageOf } from '../../../platform/log.ts';
import { OpsUsageError, type FileCommand, type OpsOutput } from '../shared/command.ts';
import { FILE } from './render.ts';

const DEFAULT_TIMEOUT_SECONDS = 300;
const POLL_MS = 500;
/** One web's answer; what takes longer is not well. */
const ANSWER_MS = 2_000;

/** Releases cell by cell. */
export const releaseCommand: FileCommand = {
  summary: 'runs a command for one cell after the other, and stops at the first that is not well then',
  description:
    'The command is a line for the shell; CELL is the name of the cell. A cell is well when every web of it is ' +
    'ready and /v1/status says ok. What the command writes goes to standard error.',
  options: {
    file: FILE,
    run: { type: 'string', value: 'COMMAND', meaning: 'releases the cell $CELL', isNeeded: true },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      meaning: `how long a cell may take to be well; default: ${DEFAULT_TIMEOUT_SECONDS}`,
    },
  },
  changes: () => false,
  async runOnFiles(values, output) {
    const { cells } = await readCells(values.text('file') ?? '');
    const seconds = secondsOf(values.text('timeout'));
    const done: string[] = [];
    for (const cell of cells) {
      const fault = await release(cell, { command: values.text('run') ?? '', seconds, output });
      if (fault !== null)
        return {
          facts: { released: done, stopped_at: cell.name, because: fault },
          text: [...done.map((name) => `${name}  released`), `${cell.name}  STOPPED: ${fault}`].join('\n'),
          isBad: true,
        };
      done.push(cell.name);
    }
    return { facts: { released: done }, text: done.map((name) => `${name}  released`).join('\n') };
  },
};

function secondsOf(text: string | null): number {
  if (text === null) return DEFAULT_TIMEOUT_SECONDS;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new OpsUsageError(`--timeout ${text} is no number of seconds.`);
}

interface Release {
  readonly command: string;
  readonly seconds: number;
  readonly output: OpsOutput;
}

/** Returns what is wrong; null: the cell is released and well. */
async function release(cell: Cell, { command, seconds, output }: Release): Promise<string | null> {
  output.progress(`${cell.name}: ${command}`);
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...process.env, CELL: cell.name },
    // Standard output is for the result alone.
    stdio: ['ignore', 2, 2],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) return `the command ended with ${code ?? signal}`;
  const giveUpAt = performance.now() + seconds * 1_000;
  for (;;) {
    const fault = await faultOf(cell);
    if (fault === null) return null;
    if (performance.now() > giveUpAt) return `${fault}, after ${seconds} s`;
    output.progress(`${cell.name}: ${fault}`);
    await sleep(POLL_MS);
  }
}

async function faultOf({ webs }: Cell): Promise<string | null> {
  for (const web of webs) {
    const ready = await ask(`http://${web}/readyz`);
    if (ready.status !== 200) return `${web} is not ready: ${ready.said}`;
    const { status, said } = await ask(`http://${web}/v1/status`);
    if (status !== 200 || said !== 'ok') return `${web} says ${said}`;
  }
  return null;
}

/** What a web says: the status in its body, else that of HTTP, else why there is no answer. */
async function ask(url: string): Promise<{ status: number; said: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status: said } = (await response.json()) as { status?: string };
    return { status: response.status, said: said ?? String(response.status) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { status: 0, said: messageOf(cause ?? error) };
  }
}
