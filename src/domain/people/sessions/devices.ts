import type { Place } from './store.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** Of a person who clears the browser's memory every day these are two months. */
const MOST_DEVICES = 60;

interface Device {
  readonly personId: string;
  readonly deviceHash: Buffer;
}

const knowsDevice = sql<{ device_hash: Buffer }, Device>(
  'known_device_of_person',
  (p) => `
    SELECT device_hash FROM known_devices
    WHERE person_id = ${p.personId} AND device_hash = ${p.deviceHash} AND revoked_at IS NULL`,
);

/** Whether the person has signed in from the device before, and since their password was changed. */
export async function isKnown(connection: Connection, device: Device): Promise<boolean> {
  return (await runOne(connection, knowsDevice, device)) !== null;
}

/** A device, and who has signed in from it before. */
export interface DeviceOfPeople {
  /** In hex. */
  readonly hash: string;
  readonly people: readonly { readonly id: string; readonly email_folded: string }[];
}

// By known_devices_by_hash.
const peopleOfDevices = sql<DeviceOfPeople, { deviceHashes: readonly string[] }>(
  'people_of_devices',
  (p) => `
    SELECT encode(d.device_hash, 'hex') AS hash,
      json_agg(json_build_object('id', who.id, 'email_folded', who.email_folded)) AS people
    FROM known_devices d JOIN people who ON who.id = d.person_id
    WHERE d.device_hash = ANY (
        ARRAY (SELECT decode(hash, 'hex') FROM unnest(${p.deviceHashes}::text[]) AS hash))
      AND d.revoked_at IS NULL
    GROUP BY d.device_hash`,
);

/** The devices of marks by their hashes, in hex; one from which nobody has signed in is absent. */
export async function findDevices(
  connection: Connection,
  deviceHashes: readonly string[],
): Promise<ReadonlyMap<string, DeviceOfPeople>> {
  const found = await run(connection, peopleOfDevices, { deviceHashes });
  return new Map(found.map((device) => [device.hash, device]));
}

const revokedDevice = sql<{ device_hash: Buffer }, Device>(
  'revoked_device_of_person',
  (p) => `
    SELECT device_hash FROM known_devices
    WHERE person_id = ${p.personId} AND device_hash = ${p.deviceHash} AND revoked_at IS NOT NULL`,
);

/** Whether the device is known no more: its mark is not used again, because a copy would be known as well. */
export async function isRevoked(tx: Tx, device: Device): Promise<boolean> {
  return (await runOne(tx, revokedDevice, device)) !== null;
}

const revokeAll = sql<never, { personId: string; kept: Buffer | null; now: Date }>(
  'revoke_devices_of_person',
  (p) => `
    UPDATE known_devices SET revoked_at = ${p.now}
    WHERE person_id = ${p.personId} AND revoked_at IS NULL AND device_hash IS DISTINCT FROM ${p.kept}`,
);

/** Lets all devices of a person be unknown but the one that is `kept`. The caller has locked the person. */
export async function revokeDevices(tx: Tx, personId: string, kept: Buffer | null, now: Date): Promise<void> {
  await run(tx, revokeAll, { personId, kept, now });
}

const upsertDevice = sql<{ is_new: boolean }, Device & Place & { now: Date }>(
  'note_device_of_person',
  (p) => `
    INSERT INTO known_devices (person_id, device_hash, created_at, seen_at, address, agent)
    VALUES (${p.personId}, ${p.deviceHash}, ${p.now}, ${p.now}, ${p.address}, ${p.agent})
    ON CONFLICT (person_id, device_hash) DO UPDATE SET seen_at = excluded.seen_at
    RETURNING xmax = 0 AS is_new`,
);

const forgetOldest = sql<{ device_hash: Buffer }, { personId: string; most: number }>(
  'forget_oldest_devices',
  (p) => `
    DELETE FROM known_devices WHERE person_id = ${p.personId} AND device_hash IN (
      SELECT device_hash FROM known_devices WHERE person_id = ${p.personId}
      ORDER BY seen_at DESC OFFSET ${p.most})
    RETURNING device_hash`,
);

const countDevices = sql<{ devices: number }, { personId: string }>(
  'count_devices_of_person',
  (p) => `SELECT count(*)::int AS devices FROM known_devices WHERE person_id = ${p.personId}`,
);

/** Remembers a device. Returns whether it is new for a person who has signed in from another before. */
export async function noteDevice(tx: Tx, device: Device, place: Place, now: Date): Promise<boolean> {
  const noted = await runOne(tx, upsertDevice, { ...device, ...place, now });
  if (noted?.is_new !== true) return false;
  const { personId } = device;
  await run(tx, forgetOldest, { personId, most: MOST_DEVICES });
  return ((await runOne(tx, countDevices, { personId }))?.devices ?? 0) > 1;
}

const forgetUnseen = sql<{ device_hash: Buffer }, { before: Date; limit: number }>(
  'forget_unseen_devices',
  (p) => `
    DELETE FROM known_devices WHERE ctid IN (
      SELECT ctid FROM known_devices WHERE seen_at <= ${p.before} LIMIT ${p.limit} FOR UPDATE SKIP LOCKED)
    RETURNING device_hash`,
);

/** Forgets devices that were not seen since `before`, `limit` at most, and returns how many. */
export async function forgetUnseenDevices(
  connection: Connection,
  before: Date,
  limit: number,
): Promise<number> {
  return (await run(connection, forgetUnseen, { before, limit })).length;
}
