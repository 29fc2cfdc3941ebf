import type { Request, RequestHandler, Response } from 'express';
import { findSessions, type Session } from '../../domain/people/sessions/store.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { Guesses } from '../api/guesses.ts';
import type { Gate } from '../api/mount.ts';
import type { DeskCookies } from './shell/cookies.ts';

/** Who is signed in; null: nobody. */
export const sessionOf = ({ locals }: Response): Session | null => (locals.session as Session | null) ?? null;

/**
 * What the limits of pages behind the second factor count by: the person, so that nobody at the same address,
 * such as a guest on the shop's network, takes what they have.
 */
export function clientOf(request: Request, { addressOf }: Gate['clients']): string {
  const session = request.res === undefined ? null : sessionOf(request.res);
  return session === null || session.factor_at === null ? addressOf(request) : session.person_id;
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
