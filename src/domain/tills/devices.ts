import { recordAction } from '../audit/record.ts';
import type { Place } from '../people/sessions/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Actor, Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { newPublicToken } from '../../platform/values/cells.ts';
import { hashApiKey, newId } from '../../platform/values/ids.ts';
import { findByLink, type PairedTill } from './opening.ts';
import { isName, lockTill } from './store.ts';
import type { Till } from './till.ts';

/** For as long as somebody walks from the desk to the counter. */
const PAIRING_SECONDS = 3_600;
const MOST_DEVICES = 20;

/** A device that is a till, or a link that can become one. */
export interface Device extends Place {
  readonly id: string;
  readonly name: string;
  readonly is_link: boolean;
  readonly created_at: Date;
  readonly seen_at: Date;
}

const devicesOfTill = sql<Device, { tillId: string; since: Date }>(
  'devices_of_till',
  (p) => `
    SELECT id, name, is_link, created_at, seen_at, address, agent FROM till_devices
    WHERE till_id = ${p.tillId} AND (NOT is_link OR created_at > ${p.since}) ORDER BY id`,
);

/** Returns the devices of a till, and the links that can still be used, oldest first. */
export async function listDevices(connection: Connection, tillId: string, now: Date): Promise<Device[]> {
  return run(connection, devicesOfTill, { tillId, since: addSeconds(now, -PAIRING_SECONDS) });
}

const deletePassed = sql<never, { tillId: string; since: Date }>(
  'delete_passed_pairings',
  (p) => `DELETE FROM till_devices WHERE till_id = ${p.tillId} AND is_link AND created_at <= ${p.since}`,
);
const insertLink = sql<never, { id: string; tillId: string; name: string; tokenHash: Buffer; now: Date }>(
  'insert_pairing',
  (p) => `
    INSERT INTO till_devices (id, till_id, name, token_hash, is_link, created_at, seen_at, address, agent)
    VALUES (${p.id}, ${p.tillId}, ${p.name}, ${p.tokenHash}, true, ${p.now}, ${p.now}, '', '')`,
);

/** The path of a link that makes a device a till. */
export function pairingPath(token: string): string {
  return `/till/pair/${token}`;
}

/** Makes a link that makes one device the till, within the hour; only its hash is stored. */
export async function createPairing(
  ctx: Pick<Context, 'db' | 'now' | 'config'>,
  { id: tillId, merchant_id: merchantId }: Till,
  deviceName: string,
  by: Actor,
): Promise<{ token: string } | 'badName' | 'tooMany'> {
  const name = deviceName.trim();
  if (!isName(name)) return 'badName';
  const now = ctx.now();
  const [id, token] = [newId('dev', now), newPublicToken(ctx.config)];
  return ctx.db.transaction(async (tx) => {
    await lockTill(tx, tillId);
    await run(tx, deletePassed, { tillId, since: addSeconds(now, -PAIRING_SECONDS) });
    if ((await listDevices(tx, tillId, now)).length >= MOST_DEVICES) return 'tooMany';
    await run(tx, insertLink, { id, tillId, name, tokenHash: hashApiKey(token), now });
    const details = { till: tillId, device: id, name };
    await recordAction(tx, { at: now, ...by, merchantId, command: 'till device invited', details });
    return { token };
  });
}

/** The till that a link would make a device; null: it was used, is too old, or there was none. */
export async function findPairing(
  ctx: Pick<Context, 'db' | 'now'>,
  token: string,
): Promise<PairedTill | null> {
  return findByLink(ctx.db, token, addSeconds(ctx.now(), -PAIRING_SECONDS));
}

type Redeemed = { linkHash: Buffer; tokenHash: Buffer; since: Date; now: Date } & Place;

// The one statement that uses a link up: of two devices that post it, one finds no row.
const redeem = sql<{ id: string; till_id: string }, Redeemed>(
  'use_pairing',
  (p) => `
    UPDATE till_devices SET token_hash = ${p.tokenHash}, is_link = false, created_at = ${p.now},
      seen_at = ${p.now}, address = ${p.address}, agent = ${p.agent}
    WHERE token_hash = ${p.linkHash} AND is_link AND created_at > ${p.since}
    RETURNING id, till_id`,
);

/** Makes a device the till of a link, and returns the token of its cookie; null: the link does not work. */
export async function pair(
  ctx: Pick<Context, 'db' | 'now' | 'config'>,
  link: string,
  place: Place,
): Promise<{ token: string } | null> {
  const now = ctx.now();
  const token = newPublicToken(ctx.config);
  const found = await findPairing(ctx, link);
  if (found === null) return null;
  const hashes = { linkHash: hashApiKey(link), tokenHash: hashApiKey(token) };
  return ctx.db.transaction(async (tx) => {
    const since = addSeconds(now, -PAIRING_SECONDS);
    const used = await runOne(tx, redeem, { ...hashes, since, now, ...place });
    if (used === null) return null;
    const who = { kind: 'person', actor: used.id, address: place.address } as const;
    const details = { till: used.till_id, device: used.id };
    const { merchant_id: merchantId } = found;
    await recordAction(tx, { at: now, ...who, merchantId, command: 'till device paired', details });
    return { token };
  });
}

const deleteDevice = sql<{ name: string }, { tillId: string; id: string }>(
  'delete_till_device',
  (p) => `DELETE FROM till_devices WHERE id = ${p.id} AND till_id = ${p.tillId} RETURNING name`,
);

/** Takes the till from a device, or ends a link, at once; false: the till has none of that id. */
export async function revokeDevice(
  ctx: Pick<Context, 'db' | 'now'>,
  { id: tillId, merchant_id: merchantId }: Till,
  id: string,
  by: Actor,
): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const revoked = await runOne(tx, deleteDevice, { tillId, id });
    if (revoked === null) return false;
    const details = { till: tillId, device: id, name: revoked.name };
    await recordAction(tx, { at: ctx.now(), ...by, merchantId, command: 'till device revoked', details });
    return true;
  });
}
