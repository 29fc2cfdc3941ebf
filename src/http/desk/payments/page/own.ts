import { hashBody } from '../../../../domain/idempotency/claim.ts';
import { ApiError } from '../../../../domain/api/errors.ts';
import type { Caller, IdempotencyClaim } from '../../../../domain/api/endpoint.ts';
import type { AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import type { Sandbox } from '../../../../domain/sandbox/test-clock/sandbox.ts';
import type { AtMerchant, DeskReply } from '../../shell/route.ts';

export const paymentsPath = ({ merchant }: AtMerchant): string =>
  `/dashboard/${merchant.merchant_id}/payments`;

/** The page of the payment that a path is about. */
export const paymentPath = (visit: AtMerchant): string =>
  `${paymentsPath(visit)}/${visit.params.payment ?? ''}`;

export const callerOf = ({ merchant }: AtMerchant): Pick<Caller, 'merchantId'> => ({
  merchantId: merchant.merchant_id,
});

/** What is not theirs is as missing as what does not exist. */
export async function orMissing(work: () => Promise<DeskReply>): Promise<DeskReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'missing';
    throw error;
  }
}

/** What a person is told where the domain refuses what they asked for; null: the error is none of these. */
export function faultOf({ texts }: AtMerchant, error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const said = Object.entries(texts.payments.faults).find(([code]) => code === error.code)?.[1];
  if (said !== undefined) return said;
  return error.status < 400 || error.status > 409 || error.status === 404 ? null : error.message;
}

/** A form's token (platform/values/ids.ts). */
const TOKEN = /^[\w-]{32}$/;

/** The claim of a form that works once, however often its button is clicked; null: it has no token. */
export function claimOf({ merchant, path, field }: AtMerchant, fields: object): IdempotencyClaim | null {
  const key = field('token');
  if (!TOKEN.test(key)) return null;
  return { merchantId: merchant.merchant_id, method: 'POST', path, key, bodyHash: hashBody(fields) };
}

/** What the pages of payments depend on besides the database. */
export interface PaymentDependencies {
  readonly adapters: AdaptersByMode;
  /** Null: the sandbox is off. */
  readonly sandbox: Sandbox | null;
}
