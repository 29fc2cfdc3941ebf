import { createHash, createHmac } from 'node:crypto';
import { messageOf } from '../../../platform/log.ts';
import { plain } from '../../../platform/values/money.ts';
import { fetchWithin } from '../../chain/rates/fetch-json.ts';
import { ExchangeError, type ErrorMeaning, type SaleReason } from '../port.ts';

/** An API key of Kraken, and its private part in base64. */
export interface Credentials {
  readonly key: string;
  readonly secret: string;
}

/** Calls a method of an account. Throws ExchangeError. */
export type Call = (method: string, params?: Readonly<Record<string, string>>) => Promise<unknown>;

/** For the whole exchange of a request. An order that took longer is looked up. */
const DEADLINE_MS = 10_000;

/** Calls a private method under a nonce. Throws ExchangeError, whose message holds no secret. */
export async function callPrivate(
  base: string,
  method: string,
  params: Readonly<Record<string, string>>,
  { key, secret }: Credentials,
  nonce: string,
): Promise<unknown> {
  const path = `/0/private/${method}`;
  const body = new URLSearchParams({ nonce, ...params }).toString();
  return resultOf(method, () =>
    fetchWithin(`${base}${path}`, DEADLINE_MS, {
      method: 'POST',
      body,
      headers: {
        'api-key': key,
        'api-sign': signatureOf(path, nonce, body, secret),
        'content-type': 'application/x-www-form-urlencoded',
      },
    }),
  );
}

/** Calls a public method. Throws ExchangeError. */
export async function callPublic(base: string, method: string, params: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(params).toString();
  return resultOf(method, () => fetchWithin(`${base}/0/public/${method}?${query}`, DEADLINE_MS));
}

/** HMAC-SHA512 of path and SHA-256 of nonce and body, under the private key. */
export function signatureOf(path: string, nonce: string, body: string, secret: string): string {
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest();
  return createHmac('sha512', Buffer.from(secret, 'base64')).update(path).update(digest).digest('base64');
}

async function resultOf(method: string, fetch: () => Promise<unknown>): Promise<unknown> {
  const answer = await fetch().catch((error: unknown) => {
    throw new ExchangeError('unknown', 'exchange_unavailable', `${method}: ${messageOf(error)}`);
  });
  const { error, result } = fieldsOf(answer);
  // `W...` are warnings.
  const faults = Array.isArray(error) ? error.filter((one) => !String(one).startsWith('W')) : null;
  if (faults?.length === 0) return result;
  throw errorOf(method, faults === null ? 'an answer without error or result' : String(faults[0]));
}

/** What Kraken's errors mean, by their beginnings; the first that fits. */
const MEANINGS: readonly (readonly [begins: string, meaning: ErrorMeaning, reason: SaleReason])[] = [
  ['EAPI:Invalid nonce', 'later', 'exchange_unavailable'],
  ['EAPI:Rate limit', 'later', 'rate_limited'],
  ['EOrder:Rate limit', 'later', 'rate_limited'],
  ['EOrder:Domain rate limit', 'later', 'rate_limited'],
  ['EGeneral:Temporary lockout', 'later', 'rate_limited'],
  ['EService:Market in', 'later', 'exchange_unavailable'],
  ['EAPI:', 'refused', 'key_refused'],
  ['EGeneral:Permission denied', 'refused', 'key_refused'],
  ['EOrder:Insufficient funds', 'refused', 'insufficient_funds'],
  ['EOrder:Order minimum not met', 'refused', 'below_minimum'],
  ['EOrder:Cost minimum not met', 'refused', 'below_minimum'],
  ['EGeneral:Invalid arguments:volume minimum', 'refused', 'below_minimum'],
  ['EGeneral:Invalid arguments', 'refused', 'order_refused'],
  ['EOrder:', 'refused', 'order_refused'],
  ['EFunding:', 'refused', 'order_refused'],
];

/** Its text is Kraken's own, and may say anything: only so much of it is kept. */
const MOST_LENGTH = 200;

function errorOf(method: string, fault: string): ExchangeError {
  const [, meaning = 'unknown', reason = 'exchange_unavailable'] =
    MEANINGS.find(([begins]) => fault.startsWith(begins)) ?? [];
  return new ExchangeError(meaning, reason, `${method}: ${fault.slice(0, MOST_LENGTH)}`);
}

/** The fields of a JSON object; of anything else there are none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The entries of a JSON array; of anything else there are none. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** A decimal as Kraken writes it, without its last zeros. Throws ExchangeError for anything else. */
export function decimalOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && /^\d{1,18}(\.\d{1,18})?$/.test(text)) return plain(text);
  throw new ExchangeError('unknown', 'exchange_unavailable', 'an answer with an amount that is none');
}
