import { setTimeout as sleep } from 'node:timers/promises';

/** Where text goes. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** How wide the terminal is. */
  readonly columns?: number | undefined;
}

/** Where input comes from: a person is asked at a terminal, and everything else is read to its end. */
export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

/** What a command uses of its process and of the network; tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Shows a question on the terminal and returns the answer; a secret one is not shown. */
  readonly ask: (question: string, isSecret: boolean) => Promise<string>;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  /** Rejects with the signal's reason when that is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the program is to end (Ctrl-C). */
  readonly signal: AbortSignal;
}

/** The terminal of this process, with the parts that main.ts owns. */
export function terminalOf(own: Pick<Terminal, 'ask' | 'signal'>): Terminal {
  return {
    ...own,
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    fetch: (...args) => globalThis.fetch(...args),
    now: () => new Date(),
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
  };
}
