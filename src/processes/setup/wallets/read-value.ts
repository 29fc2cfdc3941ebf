import {
  exposedWarning,
  MAX_VALUE_LENGTH,
  pastedSecret,
} from '../../../domain/chain/wallets/pasted-secret.ts';
import { UsageError } from '../merchant-commands.ts';

/** As much of a line as a terminal gives. */
const MAX_INPUT_BYTES = 4 * MAX_VALUE_LENGTH;

/**
 * Returns the value of `--value`; `-`: of standard input. Throws UsageError, which never shows it, for a
 * secret and for what is too long to be anything else.
 */
export async function readValue(given: string): Promise<string> {
  const prompt = 'Type or paste the public value, then Enter and Ctrl-D:';
  const value = (given === '-' ? await readInput(prompt) : given).trim();
  assertNoSecret(value);
  if (value === '') throw new UsageError('The value is empty');
  if (value.length > MAX_VALUE_LENGTH)
    throw new UsageError('The value is too long to be a public key or an address');
  return value;
}

/**
 * Throws UsageError, with what to do, where a secret was pasted into any argument, or is spread over
 * several.
 */
export function assertNoSecretIn(args: readonly string[]): void {
  for (const text of [...args, args.filter((arg) => !arg.startsWith('-')).join(' ')]) assertNoSecret(text);
}

function assertNoSecret(text: string): void {
  const name = pastedSecret(text);
  if (name !== null) throw new UsageError(exposedWarning(name));
}

/** Reads standard input, up to more than anything that is asked for has. */
export async function readInput(prompt: string): Promise<string> {
  if (process.stdin.isTTY) console.error(prompt);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_INPUT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
