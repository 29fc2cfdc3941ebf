import { createHash } from 'node:crypto';
import type { IdempotencyClaim } from '../../../../domain/api/endpoint.ts';
import { ApiError } from '../../../../domain/api/errors.ts';
import type { Html } from '../../../../platform/pages/html.ts';
import { newToken } from '../../../../platform/values/ids.ts';
import { hidden } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';

const FORM = 'form';

/** A field that makes each form one of its own: sent again, it does nothing a second time. */
export const formField = (): Html => hidden(FORM, newToken());

/** Forms differ by their token alone: what else was in it does not matter. */
const NO_BODY = createHash('sha256').digest();

/** The claim of a form; `path`: what it does. */
export function claimOf({ merchant, field }: AtMerchant, path: string): IdempotencyClaim {
  const token = field(FORM);
  const key = /^[\w-]{32}$/.test(token) ? token : newToken();
  return {
    merchantId: merchant.merchant_id,
    method: 'POST',
    path: `/dashboard ${path}`,
    key,
    bodyHash: NO_BODY,
  };
}

/**
 * Runs a verb of the API for a person. Returns `missing` for what is not the merchant's, and the text of the
 * error for what cannot be done; everything else is thrown on.
 */
export async function attempt<T>(
  { texts }: AtMerchant,
  verb: () => Promise<T>,
): Promise<{ done: T } | { fault: string } | 'missing'> {
  try {
    return { done: await verb() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const own: Readonly<Partial<Record<string, string>>> = texts.developers.faults;
    return error.status === 404 ? 'missing' : { fault: own[error.code] ?? error.message };
  }
}
