import type { Request, RequestHandler, Response } from 'express';
import { findDevices, type DeviceOfPeople } from '../../domain/people/sessions/devices.ts';
import { findSessions, type Session } from '../../domain/people/sessions/store.ts';
import { foldMailAddress } from '../../platform/values/emails.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { Guesses } from '../api/guesses.ts';
import type { Gate } from '../api/mount.ts';
import type { DeskCookies } from './shell/cookies.ts';
import type { DeskRoute } from './shell/route.ts';

/** Who is signed in; null: nobody. */
export const sessionOf = ({ locals }: Response): Session | null => (locals.session as Session | null) ?? null;

/** The device from which somebody has signed in before; null: nobody has. */
const deviceOf = ({ locals }: Response): DeviceOfPeople | null =>
  (locals.device as DeviceOfPeople | null) ?? null;

/**
 * What the limits of a page count by: the person behind the second factor, else the known device, so that
 * nobody at the same address, such as a guest on the shop's network, takes what they have. Where a form names
 * an account, or a session does, the device must be known for it: all others share the address's limit.
 */
export function clientOf(request: Request, { addressOf }: Gate['clients'], route: DeskRoute): string {
  const session = request.res === undefined ? null : sessionOf(request.res);
  if (isOfPerson(route, session)) return session.person_id;
  const device = request.res === undefined ? null : deviceOf(request.res);
  return device !== null && isKnownFor(device, route, session, request)
    ? `device ${device.hash}`
    : addressOf(request);
}

const isOfPerson = ({ access }: DeskRoute, session: Session | null): session is Session =>
  access !== 'anybody' && session !== null && session.factor_at !== null;

function isKnownFor(
  { people }: DeviceOfPeople,
  route: DeskRoute,
  session: Session | null,
  { body }: Request,
): boolean {
  if (route.access !== 'anybody') return people.some(({ id }) => id === session?.person_id);
  if (route.namesAccount !== true) return true;
  const email = (body as { readonly email?: unknown } | undefined)?.email;
  if (typeof email !== 'string') return false;
  const folded = foldMailAddress(email.replaceAll('\0', '').trim());
  return people.some(({ email_folded }) => email_folded === folded);
}

/** Finds out who asks, before anything is limited, in one statement by an index: `sessionOf` reads it. */
export function identify(
  { ctx, clients }: Pick<Gate, 'ctx' | 'clients'>,
  cookies: DeskCookies,
): RequestHandler {
  const guesses = new Guesses(ctx.config, (hashes) => findSessions(ctx.db, hashes, ctx.now()));
  return async (request, response, next) => {
    const { session } = cookies.read(request.headers);
    if (session === null) return next();
    response.locals.session = await guesses.find(clients.addressOf(request), hashApiKey(session));
    next();
  };
}

/** Finds out whose device it is that asks, unless its person is known already, as `identify` does. */
export function deviceFinder(
  { ctx, clients }: Pick<Gate, 'ctx' | 'clients'>,
  cookies: DeskCookies,
): RequestHandler {
  const guesses = new Guesses(ctx.config, (hashes) => findDevices(ctx.db, hashes));
  return async (request, response, next) => {
    const { device } = cookies.read(request.headers);
    if (device === null || (sessionOf(response)?.factor_at ?? null) !== null) return next();
    response.locals.device = await guesses.find(clients.addressOf(request), hashApiKey(device));
    next();
  };
}

/** Reads the form before it is counted for known devices alone: a stranger's is counted unread. */
export const ifDeviceIsKnown =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    deviceOf(response) === null ? next() : handler(request, response, next);
