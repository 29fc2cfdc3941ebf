import { ApiError, ValidationError } from '../../../../domain/api/errors.ts';
import type { Caller } from '../../../../domain/api/endpoint.ts';
import { findMerchant } from '../../../../domain/merchants/api-keys.ts';
import type { AtMerchant } from '../../shell/route.ts';

/** The merchant of the page as the verbs of the API know it. */
export async function callerOf({ ctx, merchant }: AtMerchant): Promise<Caller> {
  const caller = await findMerchant(ctx.db, merchant.merchant_id);
  if (caller === null) throw new ApiError('unavailable');
  return caller;
}

/** Returns what came of it, or what is wrong with what was entered, as the API would say it. */
export async function orFault<Value>(
  work: () => Promise<Value>,
): Promise<Value | { readonly fault: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ValidationError) return { fault: error.message };
    throw error;
  }
}

/** Whether work ended with a fault. */
export const isFault = (value: unknown): value is { readonly fault: string } =>
  typeof value === 'object' && value !== null && 'fault' in value;
