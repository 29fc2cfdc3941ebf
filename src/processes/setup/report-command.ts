import { visiblePrefix } from '../../domain/merchants/api-keys.ts';
import type { Context } from '../../platform/context.ts';
import { logConfigChange } from '../../platform/logging/config-change.ts';
import { actorName, recordCommand } from './actor.ts';
import type { Values } from './merchant-commands.ts';

/** The commands that change something, and what; `list` only reads. */
const CHANGES: Readonly<Record<string, string>> = {
  create: 'merchant created',
  'add-key': 'API key added',
  'revoke-key': 'API key revoked',
  'set-policy': 'policy',
  'set-email': 'contact address',
  'reseal-secrets': 'webhook secrets re-encrypted',
};

/** Logs and writes down what a command has changed, without the key, the secret and the mail address. */
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
    merchant_id: typeof result.merchant_id === 'string' ? result.merchant_id : 'all',
    ...(key === undefined ? {} : { changed_key: visiblePrefix(key) }),
    ...(values.permissions === undefined ? {} : { permissions: values.permissions }),
    ...(values.mode === undefined ? {} : { mode: values.mode }),
    ...(values.policy === undefined ? {} : { policy: values.policy }),
  };
  logConfigChange(ctx, change, { ...details, by: `merchants ${name}`, user: actorName(ctx.config) });
  await recordCommand(ctx, `merchants ${name}`, details);
}
