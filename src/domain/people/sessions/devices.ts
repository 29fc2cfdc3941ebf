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
    WHERE person_id = ${p.personId} AND device_hash = ${p.deviceHash}`,
);

/** Whether the person has signed in from the device before. */
export async function isKnown(connection: Connection, device: Device): Promise<boolean> {
  return (await runOne(connection, knowsDevice, device)) !== null;
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
