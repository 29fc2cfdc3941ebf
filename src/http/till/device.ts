import type { Request, RequestHandler, Response } from 'express';
import { findPaired, isOpened, OPEN_SECONDS, type PairedTill } from '../../domain/tills/opening.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { Guesses } from '../api/guesses.ts';
import type { Gate } from '../api/mount.ts';
import { DEVICE_SECONDS, hostCookies } from '../desk/shell/cookies.ts';
import { noteFacts } from '../logging/access-log.ts';

const COOKIES = { device: 'till', opening: 'till-open' } as const;

/** The till that a device is. */
interface Device {
  readonly till: PairedTill;
  /** The PIN was entered in this browser. */
  readonly isOpened: boolean;
}

/** Which till asks; null: the device is none, or not any more. */
export const deviceOf = ({ locals }: Response): Device | null => (locals.till as Device | null) ?? null;

/** What the limits count by: the device, so that nobody at the same address takes what it has. */
export function clientOf(request: Request, { addressOf }: Gate['clients']): string {
  const device = request.res === undefined ? null : deviceOf(request.res);
  return device === null ? addressOf(request) : device.till.device_id;
}

/** The cookies of tills: `write` returns a value of Set-Cookie, of a new device or of one that was opened. */
export interface TillCookies {
  /** Finds out which till asks: what follows reads it by `deviceOf`. */
  readonly identify: RequestHandler;
  readonly write: (cookie: keyof typeof COOKIES, token: string) => string;
}

/**
 * The device is looked up before anything is limited, in one statement by an index: a guest on the shop's
 * network, who has its address, must not be able to keep its tills from selling.
 */
export function tillCookies({ ctx, clients }: Pick<Gate, 'ctx' | 'clients'>): TillCookies {
  const cookies = hostCookies(ctx.config.publicUrl);
  const guesses = new Guesses(ctx.config, (hashes) => findPaired(ctx.db, hashes));
  return {
    async identify(request, response, next) {
      const token = cookies.read(request.headers, COOKIES.device);
      if (token === null) return next();
      const till = await guesses.find(clients.addressOf(request), hashApiKey(token));
      if (till !== null) {
        const opening = cookies.read(request.headers, COOKIES.opening);
        response.locals.till = { till, isOpened: isOpened(till, opening, ctx.now()) } satisfies Device;
        noteFacts(response, { till_id: till.id, device_id: till.device_id });
      }
      next();
    },
    write: (cookie, token) =>
      cookies.write(COOKIES[cookie], token, cookie === 'device' ? DEVICE_SECONDS : OPEN_SECONDS),
  };
}
