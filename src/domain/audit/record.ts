import type { Actor, Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { isId } from '../../platform/values/ids.ts';

/** An entry of the audit log, as it is read. */
export interface OperatorAction {
  readonly at: Date;
  readonly actor: string;
  readonly command: string;
  /** Ids and options, for a change what was before and after; no secrets. */
  readonly details: object;
}

export interface NewEntry extends OperatorAction, Actor {
  /** Whose chain; null: the installation's. */
  readonly merchantId: string | null;
}

const INSTALLATION = 'installation';

type EntryRow = Omit<NewEntry, 'details' | 'merchantId'> & { merchantId: string; details: string };

// A trigger numbers and chains the entry, under the lock of its chain (migrations/0109_audit_chains.sql).
const insertAction = sql<never, EntryRow>(
  'insert_operator_action',
  (p) => `
    INSERT INTO operator_actions (at, merchant_id, kind, actor, address, command, details)
    VALUES (${p.at}, ${p.merchantId}, ${p.kind}, ${p.actor}, ${p.address}, ${p.command}, ${p.details})`,
);

/**
 * Writes down who did what. In a transaction it comes last: it locks the end of the merchant's chain, which
 * every other entry waits for.
 */
export async function recordAction(connection: Connection, entry: NewEntry): Promise<void> {
  const { at, kind, actor, address, command } = entry;
  const merchantId =
    entry.merchantId !== null && isId('mer', entry.merchantId) ? entry.merchantId : INSTALLATION;
  const details = JSON.stringify(entry.details);
  await run(connection, insertAction, { at, merchantId, kind, actor, address, command, details });
}

/**
 * Writes down which key has changed what the service does for its merchant, in the transaction of the change
 * where that has one, last. Nothing for a change that no key asked for: a command writes its own entry.
 */
export async function recordChange(
  { actor, systemNow }: Pick<Context, 'actor' | 'systemNow'>,
  connection: Connection,
  command: string,
  {
    merchant_id: merchantId,
    ...details
  }: Readonly<Record<string, unknown>> & { readonly merchant_id: string },
): Promise<void> {
  if (actor === undefined) return;
  await recordAction(connection, { at: systemNow(), ...actor, merchantId, command, details });
}

// Indexes: payments_pkey, refunds_pkey.
const merchantOfMoney = sql<{ merchant_id: string }, { id: string }>(
  'merchant_of_money',
  (p) => `
    SELECT merchant_id FROM payments
    WHERE id = coalesce((SELECT payment_id FROM refunds WHERE id = ${p.id}), ${p.id})`,
);

/** Returns whose a payment or a refund is; null: there is none with this id. */
export async function findMerchantOf(connection: Connection, id: string): Promise<string | null> {
  return (await runOne(connection, merchantOfMoney, { id }))?.merchant_id ?? null;
}

/**
 * Writes down what a person at the desk has done that changes no setting, such as running a story.
 * Nothing for a key, whose programs do it any number of times: its requests are logged.
 */
export async function recordAct(
  ctx: Pick<Context, 'actor' | 'systemNow'>,
  connection: Connection,
  command: string,
  details: Parameters<typeof recordChange>[3],
): Promise<void> {
  if (ctx.actor?.kind === 'person') await recordChange(ctx, connection, command, details);
}

// Index: operator_actions_of_commands.
const latestActions = sql<OperatorAction, { limit: number }>(
  'latest_operator_actions',
  (p) => `
    SELECT at, actor, command, details FROM operator_actions WHERE kind = 'command'
    ORDER BY id DESC LIMIT ${p.limit}`,
);

/** Returns what operators changed last, newest first. */
export async function listActions(connection: Connection, limit: number): Promise<OperatorAction[]> {
  return run(connection, latestActions, { limit });
}

/** An entry of a merchant's chain. */
export interface AuditEntry extends OperatorAction, Actor {
  /** A 64-bit number. */
  readonly number: string;
  /** A person's mail address; null: the actor is none, or is gone. */
  readonly email: string | null;
}

// Index: operator_actions_chained.
const entriesOfMerchant = sql<AuditEntry, { merchantId: string; before: string; limit: number }>(
  'audit_entries_of_merchant',
  (p) => `
    SELECT a.number, a.at, a.kind, a.actor, a.address, a.command, a.details, who.email
    FROM operator_actions a LEFT JOIN people who ON who.id = a.actor
    WHERE a.merchant_id = ${p.merchantId} AND a.number < ${p.before}
    ORDER BY a.number DESC LIMIT ${p.limit}`,
);

/** Above every number of an entry. */
export const AUDIT_END = '9223372036854775807';

/** Returns a merchant's entries below the number `before`, newest first. */
export async function readAudit(
  connection: Connection,
  merchantId: string,
  before: string,
  limit: number,
): Promise<AuditEntry[]> {
  return run(connection, entriesOfMerchant, { merchantId, before, limit });
}
