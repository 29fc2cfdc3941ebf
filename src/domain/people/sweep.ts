import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { deleteInChunks, type Connection } from '../../platform/postgres/db.ts';
import { deleteEndedInvitations } from './members/invitations.ts';
import { deleteEndedChallenges } from './passkeys/challenges.ts';
import { deleteEndedLinks } from './recovery/links.ts';
import { forgetUnseenDevices } from './sessions/devices.ts';
import { deleteEndedSessions } from './sessions/store.ts';

/** As long as a browser keeps the cookie of a device (src/http/desk/shell/cookies.ts). */
const DEVICE_SECONDS = 400 * 86_400;

type Sweep = (connection: Connection, now: Date, limit: number) => Promise<number>;

/**
 * What ends by itself, and is read by nobody then. The step of an app's code that was used last is one number
 * of its person, and guesses have a fixed number of rows: neither grows.
 */
const SWEEPS = {
  sessions: deleteEndedSessions,
  devices: (connection, now, limit) =>
    forgetUnseenDevices(connection, addSeconds(now, -DEVICE_SECONDS), limit),
  invitations: deleteEndedInvitations,
  challenges: deleteEndedChallenges,
  passwordLinks: deleteEndedLinks,
} as const satisfies Record<string, Sweep>;

/** Deletes what has ended of people's sign-ins, some rows at a time; returns how many of each kind. */
export async function sweepPeopleOnce(ctx: Context): Promise<Record<keyof typeof SWEEPS, number>> {
  const sweep = (kind: keyof typeof SWEEPS) =>
    deleteInChunks((limit) => SWEEPS[kind](ctx.db, ctx.now(), limit));
  return {
    sessions: await sweep('sessions'),
    devices: await sweep('devices'),
    invitations: await sweep('invitations'),
    challenges: await sweep('challenges'),
    passwordLinks: await sweep('passwordLinks'),
  };
}
