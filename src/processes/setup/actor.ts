import { hostname, userInfo } from 'node:os';
import { recordAction } from '../../domain/ops/actions.ts';
import type { Context } from '../../platform/context.ts';

/** Returns who runs this command: user@host. A container may have a user without a name. */
export function actorName(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}

/**
 * Writes down in operator_actions who changed what, because the log of a command is not that of the service.
 * `details` holds ids and options, no secrets.
 */
export async function recordCommand(
  { db, systemNow }: Context,
  command: string,
  details: object,
): Promise<void> {
  await recordAction(db, { at: systemNow(), actor: actorName(), command, details });
}
