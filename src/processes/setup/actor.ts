import { hostname, userInfo } from 'node:os';
import { findMerchantOf, recordAction } from '../../domain/audit/record.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/postgres/db.ts';
import { OpsUsageError } from './shared/command.ts';

/** Returns who runs this command: user@host, behind the name of OPS_ACTOR where that is set. */
export function actorName({ opsActor }: Pick<Config, 'opsActor'>): string {
  const user = `${userName()}@${hostname()}`;
  return opsActor === null ? user : `${opsActor} (${user})`;
}

/** A container may have a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/**
 * Throws OpsUsageError where nobody would know who changed something: a script, a scheduler or a container's
 * user is no person.
 */
export function assertActor({ opsActor }: Pick<Config, 'opsActor'>, isTerminal: boolean): void {
  if (opsActor === null && !isTerminal)
    throw new OpsUsageError(
      'OPS_ACTOR is not set, and this is no terminal: set it to the name of the person who runs this command, OPS_ACTOR="Ann Lee".',
    );
}

/**
 * Writes down in operator_actions who changed what, because the log of a command is not that of the service.
 * `details` holds ids and options, no secrets.
 */
export async function recordCommand(
  { config, db, systemNow }: Context,
  command: string,
  details: object,
): Promise<void> {
  const who = { kind: 'command', actor: actorName(config), address: null } as const;
  const merchantId = await merchantOf(db, details);
  await recordAction(db, { at: systemNow(), ...who, merchantId, command, details });
}

/** Whose audit log a command belongs to, by what it names; null: the installation's. */
async function merchantOf(db: Db, details: object): Promise<string | null> {
  const { merchant_id, merchant, payment, refund } = details as Readonly<Record<string, unknown>>;
  const named = merchant_id ?? merchant;
  if (typeof named === 'string') return named;
  const of = payment ?? refund;
  return typeof of === 'string' ? findMerchantOf(db, of) : null;
}
