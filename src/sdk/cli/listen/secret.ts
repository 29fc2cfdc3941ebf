import { randomBytes } from 'node:crypto';
import { webhookSecrets } from '../../index.ts';
import { CommandError } from '../command/command.ts';
import { readText, settingsPath, writePrivately } from '../settings/files.ts';
import type { Terminal } from '../terminal/terminal.ts';

const FILE = 'listen-secret';
const BYTES = 32;

/**
 * The secret of this machine, with which `listen` signs: made when it is first needed, and the same from then
 * on, so that it is set in a receiver once. Throws CommandError for a file that is damaged.
 */
export function localSecret(env: Terminal['env']): { readonly secret: string; readonly isNew: boolean } {
  const secret = storedSecret(env);
  if (secret !== null) return { secret, isNew: false };
  const made = `whsec_${randomBytes(BYTES).toString('base64')}`;
  writePrivately(settingsPath(env, FILE), `${made}\n`);
  return { secret: made, isNew: true };
}

/** The secret of this machine; null: `listen` has not made one yet. */
export function storedSecret(env: Terminal['env']): string | null {
  const path = settingsPath(env, FILE);
  const text = readText(path);
  if (text === null) return null;
  try {
    return webhookSecrets(text)[0];
  } catch {
    throw new CommandError(`${path} holds no secret: remove it, and listen makes another`);
  }
}
