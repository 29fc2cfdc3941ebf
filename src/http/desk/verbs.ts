import type { Static, TSchema } from 'typebox';
import { ApiError } from '../../domain/api/errors.ts';
import type { Caller, IdempotencyClaim } from '../../domain/api/endpoint.ts';
import { getValidator } from '../../domain/api/validator.ts';
import { hashBody } from '../../domain/idempotency/claim.ts';
import { findMerchant } from '../../domain/merchants/api-keys.ts';
import type { Html } from '../../platform/pages/html.ts';
import { newToken } from '../../platform/values/ids.ts';
import { hidden } from './shell/fields.ts';
import type { AtMerchant } from './shell/route.ts';

// What forms need to run the verbs of the API for a person.

/** Whose payments and endpoints a verb is about. */
export const callerOf = ({ merchant }: AtMerchant): Pick<Caller, 'merchantId'> => ({
  merchantId: merchant.merchant_id,
});

/** The merchant of the page with all that verbs may ask of a caller. */
export async function readCaller({ ctx, merchant }: AtMerchant): Promise<Caller> {
  const caller = await findMerchant(ctx.db, merchant.merchant_id);
  if (caller === null) throw new ApiError('unavailable');
  return caller;
}

/** What a form means, checked as the API checks a request. Throws ValidationError. */
export const checked = <S extends TSchema>({ ctx }: AtMerchant, schema: S, meant: unknown): Static<S> =>
  getValidator({ allowPrivate: ctx.config.allowPrivateNetworks }).compile(schema, 'body')(meant);

const FORM = 'form';
/** A form's token (platform/values/ids.ts). */
const TOKEN = /^[\w-]{32}$/;
/** Longer than what any form does: an index holds no more than some 2 kB of what a path names. */
const STORABLE = /^[\w ]{1,100}$/;

/** A field that makes each form one of its own: sent again, it does nothing a second time. */
export const formField = (): Html => hidden(FORM, newToken());

/**
 * The claim of a form, however often its button is clicked; `path`: what it does. With other `fields` the
 * same form is a conflict. Null: it has no token, or is about nothing that can exist.
 */
export function claimOf(
  { merchant, field }: AtMerchant,
  path: string,
  fields: object = {},
): IdempotencyClaim | null {
  const key = field(FORM);
  if (!TOKEN.test(key) || !STORABLE.test(path)) return null;
  const bodyHash = hashBody(fields);
  return { merchantId: merchant.merchant_id, method: 'POST', path: `/dashboard ${path}`, key, bodyHash };
}

/** Why a verb did nothing, in words, with the status of the API and the field at fault; null: none. */
export interface Fault {
  readonly fault: string;
  readonly status: number;
  readonly field: string | null;
}

/**
 * Runs a verb of the API for a person. Returns the text of the error for what cannot be done; everything else
 * is thrown on, also what is not the merchant's, which the router answers as missing.
 */
export async function attempt<T>(
  { texts }: AtMerchant,
  verb: () => Promise<T>,
): Promise<{ readonly done: T } | Fault> {
  try {
    return { done: await verb() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 404) throw error;
    const { code, status, details } = error;
    const own = (texts.faults as Readonly<Partial<Record<string, string>>>)[code];
    if (status >= 500 && own === undefined) throw error;
    return { fault: own ?? error.message, status, field: details?.field ?? null };
  }
}
