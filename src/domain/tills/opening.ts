import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Mode } from '../api/endpoint.ts';
import { isPassword } from '../people/passwords/hashing.ts';
import { returnGuess, takeGuess } from '../people/sessions/buckets.ts';
import type { Place } from '../people/sessions/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import type { Till } from './till.ts';

/** A till that nobody has used for so long asks for its PIN. */
const IDLE_SECONDS = 2 * 3_600;
/** The longest day at a counter. */
export const OPEN_SECONDS = 16 * 3_600;
const SEEN_EVERY_SECONDS = 60;

/** The till that a device is, with what its pages need of its merchant. */
export interface PairedTill extends Till {
  readonly device_id: string;
  readonly device_name: string;
  readonly opened_at: Date | null;
  readonly seen_at: Date;
  readonly pin_hash: string;
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  readonly settlement_currency: string;
  readonly is_suspended: boolean;
}

const PAIRED = (condition: string, more = '') => `
    SELECT t.id, t.merchant_id, t.name, t.price_currency, t.methods, t.sales, t.closes, t.created_at,
      t.archived_at, t.pin_hash, d.id AS device_id, d.name AS device_name, d.opened_at, d.seen_at,
      m.name AS merchant_name, m.mode AS merchant_mode, m.settlement_currency,
      m.suspended_at IS NOT NULL AS is_suspended${more}
    FROM till_devices d JOIN tills t ON t.id = d.till_id JOIN merchants m ON m.id = t.merchant_id
    WHERE t.archived_at IS NULL AND ${condition}`;

const byLink = sql<PairedTill, { tokenHash: Buffer; since: Date }>('till_of_pairing', (p) =>
  PAIRED(`d.token_hash = ${p.tokenHash} AND d.is_link AND d.created_at > ${p.since}`),
);
type OfDevice = PairedTill & { readonly token_hash: string };

const byCookies = sql<OfDevice, { tokenHashes: readonly string[] }>('tills_of_devices', (p) =>
  PAIRED(
    `NOT d.is_link AND d.token_hash = ANY (
      ARRAY (SELECT decode(hash, 'hex') FROM unnest(${p.tokenHashes}::text[]) AS hash))`,
    `, encode(d.token_hash, 'hex') AS token_hash`,
  ),
);

/** The till that a link since then would make a device; null: it was used, is too old, or there was none. */
export async function findByLink(
  connection: Connection,
  token: string,
  since: Date,
): Promise<PairedTill | null> {
  return runOne(connection, byLink, { tokenHash: hashApiKey(token), since });
}

/** The tills that devices are, by the hashes of their cookies, in hex; a hash of none is absent. */
export async function findPaired(
  connection: Connection,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, PairedTill>> {
  const found = await run(connection, byCookies, { tokenHashes });
  return new Map(found.map(({ token_hash, ...till }) => [token_hash, till]));
}

/**
 * Whether the PIN was entered in the browser that holds `opening`, and lately enough. The token of a device
 * opens nothing by itself: who has copied it must know the PIN as well.
 */
export function isOpened(till: PairedTill, opening: string | null, now: Date): boolean {
  const { opened_at, seen_at } = till;
  if (opened_at === null || addSeconds(opened_at, OPEN_SECONDS) <= now) return false;
  if (opening === null || addSeconds(seen_at, IDLE_SECONDS) <= now) return false;
  const [given, expected] = [Buffer.from(opening), Buffer.from(openingOf(till, opened_at))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * The token of an opening, in the form of all tokens. It ends with the next opening of the device and with
 * the PIN: the key is the PIN's hash, which has a salt of its own, and leaves the database in no response.
 */
function openingOf({ device_id, pin_hash }: PairedTill, openedAt: Date): string {
  const digest = createHmac('sha256', pin_hash).update(`${device_id} ${openedAt.toISOString()}`).digest();
  return digest.subarray(0, 24).toString('base64url');
}

const setOpened = sql<never, { id: string; openedAt: Date | null; now: Date }>(
  'set_device_opened',
  (p) => `UPDATE till_devices SET opened_at = ${p.openedAt}, seen_at = ${p.now} WHERE id = ${p.id}`,
);
const lockPin = sql<{ pin_hash: string }, { id: string }>(
  'lock_pin_of_till',
  (p) => `SELECT pin_hash FROM tills WHERE id = ${p.id} FOR NO KEY UPDATE`,
);

/**
 * Opens a device by its till's PIN, and returns the token that its browser keeps of that. Wrong ones are
 * limited for each device alone, by guesses that come back with time: who has stolen one locks neither the
 * other devices nor this one for ever. A right one is no guess, however often a day the till is locked.
 */
export async function openTill(
  ctx: Context,
  till: PairedTill,
  pin: string,
): Promise<{ opening: string } | 'refused' | 'limited'> {
  const { device_id: id, pin_hash: pinHash } = till;
  const ofDevice = hashApiKey(id);
  if (!(await takeGuess(ctx, 'pin', id, ofDevice))) return 'limited';
  if (!(await isPassword(pin, pinHash))) {
    ctx.log.warn('till PIN refused', { till_id: till.id, device_id: id });
    return 'refused';
  }
  await returnGuess(ctx, 'pin', id, ofDevice);
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    // A PIN that was changed since it was checked opens nothing: the change has locked all devices.
    const current = await runOne(tx, lockPin, { id: till.id });
    if (current?.pin_hash !== pinHash) return 'refused';
    await run(tx, setOpened, { id, openedAt: now, now });
    return { opening: openingOf(till, now) };
  });
}

/** Asks for the PIN again on this device. */
export async function lockDevice(ctx: Context, device: PairedTill): Promise<void> {
  await run(ctx.db, setOpened, { id: device.device_id, openedAt: null, now: ctx.now() });
}

const see = sql<never, { id: string; now: Date; seenBefore: Date } & Place>(
  'see_till_device',
  (p) => `
    UPDATE till_devices SET seen_at = ${p.now}, address = ${p.address}, agent = ${p.agent}
    WHERE id = ${p.id} AND seen_at < ${p.seenBefore}`,
);

/** Writes down that a person uses the device, once a minute. */
export async function seeDevice(ctx: Context, till: PairedTill, place: Place): Promise<void> {
  const now = ctx.now();
  const seenBefore = addSeconds(now, -SEEN_EVERY_SECONDS);
  if (till.seen_at < seenBefore) await run(ctx.db, see, { id: till.device_id, now, seenBefore, ...place });
}
