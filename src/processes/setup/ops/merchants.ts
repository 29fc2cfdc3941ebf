import { addApiKey, revokeApiKey } from '../../../domain/merchants/api-keys.ts';
import { listKeys, type KeySummary } from '../../../domain/merchants/key-use.ts';
import { resumeMerchant, suspendMerchant } from '../../../domain/merchants/suspend.ts';
import type { Context } from '../../../platform/context.ts';
import { visiblePrefix } from '../../../platform/values/cells.ts';
import { permissionsOf, UsageError } from '../merchant-commands.ts';
import { OpsUsageError, type OpsCommand, type OpsResult } from '../shared/command.ts';

const MERCHANT = { type: 'string', value: 'ID', meaning: 'the merchant', isNeeded: true } as const;

export const suspendCommand: OpsCommand = {
  summary: "refuses all requests of a merchant's keys with 403, within 10 s",
  description:
    'Payments that exist go on: customers may have paid. They settle, expire or go back, and webhooks report it.',
  options: {
    merchant: MERCHANT,
    reason: { type: 'string', value: 'TEXT', meaning: 'shown to operators, not to the merchant' },
    resume: { type: 'boolean', meaning: 'ends the suspension' },
  },
  changes: () => true,
  async run(ctx, values) {
    const id = values.text('merchant') ?? '';
    const reason = values.text('reason');
    const changed = { merchant: id, resume: values.has('resume'), reason };
    const merchant = await (
      values.has('resume') ? resumeMerchant(ctx.db, id) : suspendMerchant(ctx.db, id, ctx.now(), reason)
    ).catch(asUsageError);
    const { name, suspended_at } = merchant;
    const text =
      suspended_at === null
        ? `${id} (${name}) is not suspended: its keys work within 10 s.`
        : `${id} (${name}) is suspended since ${suspended_at.toISOString()}: its keys get 403 within 10 s.`;
    return { facts: merchant, text, changed };
  },
};

export const keysCommand: OpsCommand = {
  summary: "lists a merchant's API keys with their last use; adds, revokes or replaces one",
  description: 'A key is shown once, when it is added. A revoked key ends within 10 s.',
  options: {
    merchant: MERCHANT,
    add: { type: 'boolean', meaning: 'adds a key' },
    permissions: { type: 'string', value: 'A,B', meaning: 'for --add; default: all' },
    revoke: { type: 'string', value: 'KEY', meaning: 'ends a key, given by its prefix or whole' },
    rotate: {
      type: 'string',
      value: 'PREFIX',
      meaning: 'replaces a key by a new one with its permissions; --add and --revoke do it without a pause',
    },
  },
  changes: (values) => values.has('add') || (values.text('revoke') ?? values.text('rotate')) !== null,
  async run(ctx, values) {
    const merchant = values.text('merchant') ?? '';
    const [revoke, rotate] = [values.text('revoke'), values.text('rotate')];
    if ([values.has('add'), revoke !== null, rotate !== null].filter(Boolean).length > 1)
      throw new OpsUsageError('keys takes one of --add, --revoke and --rotate.');
    if (values.has('add')) return addKey(ctx, merchant, values.text('permissions'));
    if (revoke !== null) return revokeKey(ctx, merchant, revoke);
    if (rotate !== null) return rotateKey(ctx, merchant, rotate);
    const keys = await keysOf(ctx, merchant);
    return { facts: { merchant_id: merchant, keys }, text: keys.map(lineOf).join('\n') };
  },
};

function lineOf({ prefix, permissions, created_at, last_used_at, ...ends }: KeySummary): string {
  const day = (time: Date) => time.toISOString().slice(0, 16);
  const used = last_used_at === null ? 'never used' : `used ${day(last_used_at)}`;
  const end = ends.expires_at === null ? '' : `  until ${day(ends.expires_at)}`;
  const state =
    ends.revoked_at === null ? `${permissions.join(',')}${end}` : `revoked ${day(ends.revoked_at)}`;
  return `${prefix}...  created ${day(created_at)}  ${used.padEnd(21)}  ${state}`;
}

/** Each merchant has at least the key that it was created with. */
async function keysOf({ db }: Context, merchant: string): Promise<KeySummary[]> {
  const keys = await listKeys(db, merchant);
  if (keys.length === 0) throw new OpsUsageError(`There is no merchant ${merchant}`);
  return keys;
}

async function addKey(ctx: Context, merchant: string, permissions: string | null): Promise<OpsResult> {
  const granted = asked(() => permissionsOf(permissions ?? undefined));
  const key = await addApiKey(ctx.config, ctx.db, merchant, granted, ctx.now()).catch(asUsageError);
  return added(merchant, key, { add: visiblePrefix(key), permissions: granted });
}

async function revokeKey(ctx: Context, merchant: string, key: string): Promise<OpsResult> {
  const revoked = await ctx.db.transaction((tx) => revokeApiKey(tx, merchant, key, ctx.now()));
  if (revoked === 0) throw new OpsUsageError(`${merchant} has no such key in force`);
  return {
    facts: { merchant_id: merchant, revoked },
    text: `${revoked} key${revoked === 1 ? '' : 's'} revoked.`,
    changed: { merchant, revoke: visiblePrefix(key) },
  };
}

async function rotateKey(ctx: Context, merchant: string, prefix: string): Promise<OpsResult> {
  const inForce = (await keysOf(ctx, merchant)).filter((key) => key.revoked_at === null);
  const [old, other] = inForce.filter((key) => key.prefix === visiblePrefix(prefix));
  if (old === undefined) throw new OpsUsageError(`${merchant} has no such key in force`);
  if (other !== undefined)
    throw new OpsUsageError('Two keys have this prefix: add a new key, and revoke the old one whole');
  const key = await ctx.db.transaction(async (tx) => {
    await revokeApiKey(tx, merchant, old.prefix, ctx.now());
    const limits = { name: old.name, expiresAt: old.expires_at, addresses: old.allowed_addresses };
    return addApiKey(ctx.config, tx, merchant, old.permissions, ctx.now(), limits);
  });
  return added(merchant, key, { rotate: old.prefix, add: visiblePrefix(key) });
}

function added(merchant: string, key: string, changed: object): OpsResult {
  return {
    facts: { merchant_id: merchant, api_key: key },
    text: `${key}\nIt is shown here and never again.`,
    changed: { merchant, ...changed },
  };
}

function asked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return asUsageError(error);
  }
}

/** Throws it as a mistake in the command line, where that is what it is. */
export function asUsageError(error: unknown): never {
  if (error instanceof RangeError || error instanceof UsageError) throw new OpsUsageError(error.message);
  throw error;
}
