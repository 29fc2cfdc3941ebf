import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Context } from '../../platform/context.ts';
import { clientsBehind } from '../api/client-address.ts';
import { noteFacts } from '../logging/access-log.ts';
import { FailedSignIns } from './failed-sign-ins.ts';

/**
 * Basic authentication with the user `admin`. A failed try is logged with its address and without what was
 * sent, and an address that fails again and again must wait; `onFailure` counts both.
 */
export function signIn(
  ctx: Context,
  password: string,
  onFailure: (outcome: 'failed' | 'refused') => void,
): RequestHandler {
  const expected = digest(`admin:${password}`);
  const clients = clientsBehind(ctx.config.trustedProxies);
  const failed = new FailedSignIns(ctx.config.rateLimitScale);
  return (request, response, next) => {
    const { authorization } = request.headers;
    // A browser's first request has none: that is no guess.
    if (authorization === undefined) {
      noteFacts(response, { reason: 'no password' });
      return askForPassword(response);
    }
    const address = clients.addressOf(request);
    const waitSeconds = failed.waitSeconds(address, performance.now());
    if (waitSeconds > 0) {
      onFailure('refused');
      noteFacts(response, { reason: 'too many wrong passwords' });
      return refuse(response, waitSeconds);
    }
    // Digests have one length: the time of the comparison says nothing about the password or its length.
    if (timingSafeEqual(digest(credentialsOf(authorization)), expected)) return next();
    onFailure('failed');
    noteFacts(response, { reason: 'wrong password' });
    logFailure(ctx, address, failed.fail(address, performance.now()));
    askForPassword(response);
  };
}

function logFailure(
  ctx: Context,
  address: string,
  { failures, refused, waitSeconds }: ReturnType<FailedSignIns['fail']>,
): void {
  ctx.log.warn('operator sign-in failed', {
    address,
    failures,
    refused_before: refused,
    wait_seconds: waitSeconds,
  });
}

/** `user:password` of the header; empty when it is of another scheme. */
function credentialsOf(authorization: string): string {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function askForPassword(response: Response): void {
  response
    .status(401)
    .set('WWW-Authenticate', 'Basic realm="operators", charset="UTF-8"')
    .send('Password needed.');
}

function refuse(response: Response, waitSeconds: number): void {
  response
    .status(429)
    .set('Retry-After', String(waitSeconds))
    .send(`Too many failed sign-ins from this address. Try again in ${waitSeconds} s.`);
}
