import { recordAction } from '../audit/record.ts';
import type { CurrencyId } from '../chain/currencies.ts';
import type { PaymentMethod } from '../checkout/view/offer.ts';
import { lockMerchant } from '../merchants/store.ts';
import { hashPassword } from '../people/passwords/hashing.ts';
import type { Actor, Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { newId } from '../../platform/values/ids.ts';
import { isGoodPin, type Till } from './till.ts';

/** A merchant has at most this many tills at a time: each costs its list a line. */
const MOST_TILLS = 100;
const MOST_NAME = 60;

const TILL = `id, merchant_id, name, price_currency, methods, sales, closes, created_at, archived_at`;

export interface NewTill {
  readonly merchantId: string;
  readonly name: string;
  /** Null: amounts are in the settlement coin. */
  readonly priceCurrency: CurrencyId | null;
  /** Null: what the merchant's pages offer. */
  readonly methods: readonly PaymentMethod[] | null;
  readonly pin: string;
}

export type TillFault = 'badName' | 'badPin' | 'tooMany';

type TillRow = Omit<NewTill, 'pin' | 'methods'> & {
  id: string;
  methods: string | null;
  pinHash: string;
  now: Date;
};

const insertTill = sql<never, TillRow>(
  'insert_till',
  (p) => `
    INSERT INTO tills (id, merchant_id, name, price_currency, methods, pin_hash, created_at)
    VALUES (
      ${p.id}, ${p.merchantId}, ${p.name}, ${p.priceCurrency}, ${p.methods}::json, ${p.pinHash}, ${p.now})`,
);

/** Makes a till of a merchant, which exists, and returns its id. */
export async function createTill(
  ctx: Pick<Context, 'db' | 'now'>,
  { pin, methods, ...till }: NewTill,
  by: Actor,
): Promise<{ id: string } | TillFault> {
  const name = till.name.trim();
  if (!isName(name)) return 'badName';
  if (!isGoodPin(pin)) return 'badPin';
  const pinHash = await hashPassword(pin);
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    await lockMerchant(tx, till.merchantId);
    const tills = await listTills(tx, till.merchantId);
    if (tills.length >= MOST_TILLS) return 'tooMany';
    const id = newId('til', now);
    const stored = methods === null ? null : JSON.stringify(methods);
    await run(tx, insertTill, { ...till, name, methods: stored, id, pinHash, now });
    const { merchantId } = till;
    await recordAction(tx, { at: now, ...by, merchantId, command: 'till made', details: { till: id, name } });
    return { id };
  });
}

/** Whether people can tell it from others by its name. */
export function isName(name: string): boolean {
  return name !== '' && name.length <= MOST_NAME && !/[\p{Cc}\p{Cs}]/u.test(name);
}

// Index: tills_of_merchant.
const tillsOfMerchant = sql<Till, { merchantId: string }>(
  'tills_of_merchant',
  (p) => `
    SELECT ${TILL} FROM tills WHERE merchant_id = ${p.merchantId} AND archived_at IS NULL ORDER BY id`,
);

/** Returns the tills of a merchant, oldest first. */
export async function listTills(connection: Connection, merchantId: string): Promise<Till[]> {
  return run(connection, tillsOfMerchant, { merchantId });
}

const tillOfMerchant = sql<Till, { merchantId: string; id: string }>(
  'till_of_merchant',
  (p) => `
    SELECT ${TILL} FROM tills
    WHERE id = ${p.id} AND merchant_id = ${p.merchantId} AND archived_at IS NULL`,
);

/** Returns a till of the merchant; null: it has none of that id. */
export async function findTill(connection: Connection, merchantId: string, id: string): Promise<Till | null> {
  return runOne(connection, tillOfMerchant, { merchantId, id });
}

const lockRow = sql<Till, { id: string }>(
  'lock_till',
  (p) => `SELECT ${TILL} FROM tills WHERE id = ${p.id} FOR NO KEY UPDATE`,
);

/** Locks a till: what follows reads it, and what it locks, as the last one has left it. Throws without it. */
export async function lockTill(tx: Tx, id: string): Promise<Till> {
  const till = await runOne(tx, lockRow, { id });
  if (till === null) throw new Error(`till ${id} does not exist`);
  return till;
}

const updatePin = sql<never, { id: string; pinHash: string }>(
  'set_pin_of_till',
  (p) => `UPDATE tills SET pin_hash = ${p.pinHash} WHERE id = ${p.id}`,
);
const lockDevices = sql<never, { id: string }>(
  'lock_devices_of_till',
  (p) => `UPDATE till_devices SET opened_at = NULL WHERE till_id = ${p.id}`,
);

/** Changes the PIN of a till; its devices ask for the new one. */
export async function setPin(
  ctx: Pick<Context, 'db' | 'now'>,
  { id, merchant_id: merchantId, name }: Till,
  pin: string,
  by: Actor,
): Promise<'set' | 'badPin'> {
  if (!isGoodPin(pin)) return 'badPin';
  const pinHash = await hashPassword(pin);
  await ctx.db.transaction(async (tx) => {
    await lockTill(tx, id);
    await run(tx, updatePin, { id, pinHash });
    await run(tx, lockDevices, { id });
    const what = { command: 'till PIN changed', details: { till: id, name } };
    await recordAction(tx, { at: ctx.now(), ...by, merchantId, ...what });
  });
  return 'set';
}

const archive = sql<never, { id: string; now: Date }>(
  'archive_till',
  (p) => `UPDATE tills SET archived_at = coalesce(archived_at, ${p.now}) WHERE id = ${p.id}`,
);
const deleteDevices = sql<never, { id: string }>(
  'delete_devices_of_till',
  (p) => `DELETE FROM till_devices WHERE till_id = ${p.id}`,
);

/** Ends a till for good, with its devices. Its payments go on, and its closes stay. */
export async function archiveTill(
  ctx: Pick<Context, 'db' | 'now'>,
  { id, merchant_id: merchantId, name }: Till,
  by: Actor,
): Promise<void> {
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    await lockTill(tx, id);
    await run(tx, archive, { id, now });
    await run(tx, deleteDevices, { id });
    const what = { command: 'till ended', details: { till: id, name } };
    await recordAction(tx, { at: now, ...by, merchantId, ...what });
  });
}
