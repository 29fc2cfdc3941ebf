import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { run } from '../../src/sdk/cli/run.ts';
import type { Terminal } from '../../src/sdk/cli/terminal/terminal.ts';

/** What a call of the program printed, and its exit code. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A call that goes on until it is ended. */
export interface Going {
  stdout(): string;
  stderr(): string;
  /** Ends it as Ctrl-C does. */
  end(): Promise<Outcome>;
  readonly ended: Promise<Outcome>;
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  /** How wide the terminal is. */
  readonly columns?: number;
  /** What the user types, on a terminal. */
  readonly answers?: readonly string[];
  readonly now?: () => Date;
}

/** A home folder of its own, and the program in this process, with streams that are kept. */
export interface CommandLine {
  readonly home: string;
  /** Of the listener's waits, the last; they last a few milliseconds here. */
  readonly waits: number[];
  start(args: readonly string[], setting?: Setting): Going;
  run(args: readonly string[], setting?: Setting): Promise<Outcome>;
  /** Runs with --json, and returns what it printed; fails when the exit code is another. */
  json(args: readonly string[], code?: number): Promise<unknown>;
  close(): Promise<void>;
}

const WAIT_MS = 5;

/** `env` is that of every call. */
export function openCommandLine(env: () => Readonly<Record<string, string>>): CommandLine {
  const home = mkdtempSync(join(tmpdir(), 'test-cli-'));
  const waits: number[] = [];
  const start = (args: readonly string[], setting: Setting = {}): Going => {
    const { stdin = '', isTerminal = false, columns, answers = [], now = () => new Date() } = setting;
    const [stdout, stderr] = [{ ...kept(isTerminal), columns }, kept(isTerminal)];
    const end = new AbortController();
    const left = [...answers];
    const terminal: Terminal = {
      env: { HOME: home, ...env(), ...setting.env },
      stdin: Object.assign(Readable.from(stdin === '' ? [] : [stdin]), { isTTY: isTerminal }),
      stdout,
      stderr,
      ask: (question) => {
        stderr.write(question);
        return Promise.resolve(left.shift() ?? '');
      },
      fetch: (...given) => fetch(...given),
      now,
      async sleep(ms, signal) {
        waits.push(ms);
        await sleep(WAIT_MS, undefined, { signal });
      },
      signal: end.signal,
    };
    const ended = run(args, terminal).then((code) => ({
      code,
      stdout: stdout.text(),
      stderr: stderr.text(),
    }));
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      ended,
      end() {
        end.abort(new Error('ended by the test'));
        return ended;
      },
    };
  };
  return {
    home,
    waits,
    start,
    run: (args, setting) => start(args, setting).ended,
    async json(args, code = 0) {
      const outcome = await start([...args, '--json']).ended;
      expect(outcome.code, outcome.stderr).to.equal(code);
      return JSON.parse(outcome.stdout) as unknown;
    },
    close: () => rm(home, { recursive: true }),
  };
}

function kept(isTTY: boolean) {
  let text = '';
  return {
    isTTY,
    write(more: string) {
      text += more;
    },
    text: () => text,
  };
}
