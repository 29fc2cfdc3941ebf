import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { secretBoxOf } from '../../../platform/secret-box.ts';
import { SECRET_STORES } from '../../webhooks/secrets/store.ts';
import type { Check } from './monitor.ts';
import { findProcesses } from './processes.ts';

/** Reads every secret's key id, some 15 ms for 100,000 of them. */
const EVERY_MS = 20_000;

/** What SECRETS_KEY protects: secrets that it encrypts, and wallets and addresses that it signs. */
const TABLES = [
  ...SECRET_STORES.map(({ table }) => table),
  'wallets',
  'exchange_accounts',
  'exchange_addresses',
  'totp_factors',
];

const foreignKeys = sql<{ key_id: string; count: number }, { keyIds: readonly string[] }>(
  'foreign_secrets_keys',
  (p) => `SELECT key_id, count(*)::int FROM (
     ${TABLES.map((table) => `SELECT key_id FROM ${table}`).join(' UNION ALL ')}) stored
   WHERE key_id <> ALL (${p.keyIds}) GROUP BY key_id ORDER BY key_id`,
);

/**
 * Throws StartError when the database holds webhook secrets or wallets of a key that SECRETS_KEY lacks: such
 * a process would accept payments and deliver nothing.
 */
export async function assertSecretsKey(ctx: Context): Promise<void> {
  const { keyIds } = secretBoxOf(ctx.config);
  const [foreign] = await run(ctx.db, foreignKeys, { keyIds });
  if (foreign === undefined) return;
  throw new StartError(
    `SECRETS_KEY is not the key of this database: it holds the key ${keyIds.join(', ')} (the first 8 ` +
      `digits of its SHA-256), and ${foreign.count} webhook secrets or wallets are stored under the key ` +
      `${foreign.key_id}. Give every web, worker and watcher the same SECRETS_KEY, or both keys with a comma.`,
  );
}

/**
 * Whether this process decrypts what the database holds, and every other process what this one encrypts: a
 * key may also become wrong after a start.
 */
export function secretsKeyCheck(ctx: Context): Check {
  const { keyId, keyIds } = secretBoxOf(ctx.config);
  return {
    name: 'secrets_key',
    everyMs: EVERY_MS,
    async look() {
      const foreign = await run(ctx.db, foreignKeys, { keyIds });
      const processes = await findProcesses(ctx.db, ctx.systemNow());
      const others = processes.filter((one) => one.isAlive && !one.keyIds.includes(keyId));
      return [
        ...(foreign.length === 0
          ? []
          : ['webhook secrets or wallets are stored under a key that SECRETS_KEY of this process lacks']),
        ...(others.length === 0
          ? []
          : [`SECRETS_KEY of ${others.length} other processes lacks the key that this one encrypts with`]),
      ];
    },
  };
}
