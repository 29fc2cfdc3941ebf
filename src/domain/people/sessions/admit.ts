import { schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { hashApiKey, newToken } from '../../../platform/values/ids.ts';
import { isRevoked, noteDevice } from './devices.ts';
import { tellDevice } from './jobs.ts';
import { byPerson, recordOfPerson } from './record.ts';
import { placeOf, type Visitor } from './sign-in.ts';
import { insertNewSession, renewSession, type Session } from './store.ts';

/** What the browser keeps from now on. */
export interface Proven {
  /** Of the session, in the place of the one that it had. */
  readonly token: string;
  /** The name of the device. */
  readonly device: string;
}

/**
 * Lets a session in whose second factor was proven, under a new token: a mail reports the first time on a new
 * device. `ended`: the session is gone, and nothing was written.
 */
export async function admit(
  ctx: Pick<Context, 'now'>,
  tx: Tx,
  { id, person_id: personId }: Pick<Session, 'id' | 'person_id'>,
  visitor: Visitor,
  done: { readonly command: string; readonly details?: object },
): Promise<Proven | 'ended'> {
  const at = ctx.now();
  const token = await renewSession(tx, id, at);
  if (token === null) return 'ended';
  const device = await welcomeDevice(tx, personId, visitor, at);
  await recordOfPerson(tx, personId, { at, ...byPerson(personId, visitor), ...done });
  return { token, device };
}

/**
 * Begins the session of a person who has proven all that is asked for at once. The caller has locked the
 * person.
 */
export async function beginProven(
  ctx: Pick<Context, 'now'>,
  tx: Tx,
  personId: string,
  visitor: Visitor,
  command: string,
): Promise<Proven> {
  const at = ctx.now();
  const token = await insertNewSession(tx, personId, placeOf(visitor), { now: at, factorAt: at });
  const device = await welcomeDevice(tx, personId, visitor, at);
  await recordOfPerson(tx, personId, { at, ...byPerson(personId, visitor), command });
  return { token, device };
}

/** Remembers the device, and returns its name. A mail to the person reports a new one. */
export async function welcomeDevice(tx: Tx, personId: string, visitor: Visitor, at: Date): Promise<string> {
  const device = await markOf(tx, personId, visitor);
  const deviceHash = hashApiKey(device);
  if (await noteDevice(tx, { personId, deviceHash }, placeOf(visitor), at)) {
    const key = `${personId} ${deviceHash.toString('hex')}`;
    await schedule(tx, [{ job: tellDevice, key, runAt: at, testClock: null }]);
  }
  return device;
}

async function markOf(tx: Tx, personId: string, { device }: Visitor): Promise<string> {
  if (device === null || (await isRevoked(tx, { personId, deviceHash: hashApiKey(device) })))
    return newToken();
  return device;
}
