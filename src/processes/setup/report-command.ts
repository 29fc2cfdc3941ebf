import { visiblePrefix } from '../../platform/values/cells.ts';
import type { Context } from '../../platform/context.ts';
import { logConfigChange } from '../../platform/logging/config-change.ts';
import { actorName, recordCommand } from './actor.ts';
import type { Values } from './merchant-commands.ts';

/** The commands that change something, and what; `list` only reads. */
export const CHANGES: Readonly<Record<string, string>> = {
  create: 'merchant created',
  'add-key': 'API key added',
  'revoke-key': 'API key revoked',
  'set-policy': 'policy',
  'set-spread': 'spread',
  'set-accepted-methods': 'accepted methods',
  'set-email': 'contact address',
  'set-time-zone': 'time zone',
  'reseal-secrets': 'webhook secrets re-encrypted',
  invite: 'person invited',
  'reset-person': 'person reset',
  'wallet set': 'wallet set',
  'wallet confirm': 'wallet confirmed',
  'wallet retire': 'wallet retired',
  'wallet export': 'addresses of a wallet exported',
  'exchange set': 'exchange account set',
  'exchange refresh': 'addresses of an exchange account read',
  'exchange retire': 'exchange account retired',
};

/**
 * Logs and writes down what a command has changed or let out, without the key, the secret and the mail
 * address.
 */
export async function reportCommand(
  ctx: Context,
  name: string,
  values: Values,
  result: Readonly<Record<string, unknown>>,
): Promise<void> {
  const change = CHANGES[name];
  if (change === undefined) return;
  const key = typeof result.api_key === 'string' ? result.api_key : values.key;
  const details = {
    merchant_id:
      typeof result.merchant_id === 'string' ? result.merchant_id : 'wallet_id' in result ? 'default' : 'all',
    ...pick(result, [
      'wallet_id',
      'invitation_id',
      'person_id',
      'role',
      'kind',
      'public_key',
      'treasury',
      'replaced',
      'rows',
      'exchange',
      'slippage_percent',
      'time_zone',
      'retired',
      'spread_bps',
      'before',
    ]),
    ...(key === undefined ? {} : { changed_key: visiblePrefix(key) }),
    ...(values.permissions === undefined ? {} : { permissions: values.permissions }),
    ...(values.mode === undefined ? {} : { mode: values.mode }),
    ...(values.policy === undefined ? {} : { policy: values.policy }),
    ...(values.methods === undefined ? {} : { methods: values.methods }),
  };
  logConfigChange(ctx, change, { ...details, by: `merchants ${name}`, user: actorName(ctx.config) });
  await recordCommand(ctx, `merchants ${name}`, details);
}

/** What some commands add: nothing for any other. */
function pick(result: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => ((result[name] ?? null) === null ? [] : [[name, result[name]]])),
  );
}
