#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { run } from './run.ts';
import { surroundings } from './terminal/outside.ts';

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => end.abort(new Error(`ended by ${signal}`)));
// Whoever reads has enough, such as `head`.
process.stdout.on('error', () => process.exit(0));

/** A secret answer is read from a terminal that shows nothing of it. */
async function ask(question: string, isSecret: boolean): Promise<string> {
  process.stderr.write(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? hidden : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await terminal.question('', { signal: end.signal });
  } finally {
    terminal.close();
    if (isSecret) process.stderr.write('\n');
  }
}

run(process.argv.slice(2), surroundings({ ask, signal: end.signal })).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`payment-checkout failed: ${String(error)}. This is a fault of the program.\n`);
    process.exitCode = 1;
  },
);
