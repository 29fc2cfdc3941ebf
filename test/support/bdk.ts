import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuiltTransaction } from './bitcoin-blocks.ts';
import { privateDescriptorOf, rememberHex } from './bitcoin-signer.ts';

/** The one that .ci/bdk installs. */
const VERSION = '3.1.1';

/** What stands in the title of a test that is pending without it. */
export const NEEDS_BDK = `needs bdkpython ${VERSION}: \`bash .ci/bdk\` installs it where Python is`;

/** Where a Python that has it is: named by BDK_PYTHON, or in the cache of this user; null: nowhere. */
export function findBdk(): string | null {
  if (process.env.BDK_PYTHON !== undefined) return process.env.BDK_PYTHON;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const python = join(cache, 'payment-checkout', `bdk-${VERSION}`, 'bin', 'python');
  return existsSync(python) ? python : null;
}

/** Has it sign a PSBT of an account of the test phrase, and returns the transaction. */
export async function signWithBdk(
  python: string,
  base64: string,
  account: number,
): Promise<BuiltTransaction> {
  const input = [base64, privateDescriptorOf(account, 0), privateDescriptorOf(account, 1)].join('\n');
  const signing = promisify(execFile)(python, ['test/support/sign-with-bdk.py']);
  signing.child.stdin?.end(input);
  const { stdout } = await signing;
  return rememberHex(stdout.trim());
}
