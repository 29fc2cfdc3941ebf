#!/usr/bin/env node
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './command/command.ts';
import { run } from './run.ts';
import { terminalOf } from './terminal/terminal.ts';

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => end.abort(new Error(`ended by ${signal}`)));
// Whoever reads has enough, such as `head`.
process.stdout.on('error', () => process.exit(0));

/**
 * A secret answer is read from a terminal that shows nothing of it. The terminal is prepared before the
 * question is shown: an answer that comes at once would be shown, and a Ctrl-D be lost.
 */
async function ask(question: string, isSecret: boolean): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? hidden : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // A terminal that asks reads Ctrl-C itself, and Ctrl-D would leave the question open for ever.
  lines.once('SIGINT', () => end.abort(new Error('ended by Ctrl-C')));
  const closed = once(lines, 'close');
  process.stderr.write(question);
  try {
    const answer = await Promise.race([lines.question('', { signal: end.signal }), closed]);
    if (typeof answer === 'string') return answer;
    throw new CommandError('nothing was entered');
  } catch (error) {
    // Versions of Node differ in how a question ends that is closed. The signal tells of Ctrl-C.
    throw end.signal.aborted ? error : new CommandError('nothing was entered', { cause: error });
  } finally {
    lines.close();
    if (isSecret) process.stderr.write('\n');
  }
}

run(process.argv.slice(2), terminalOf({ ask, signal: end.signal })).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`payment-checkout failed: ${String(error)}. This is a fault of the program.\n`);
    process.exitCode = 1;
  },
);
