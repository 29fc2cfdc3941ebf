import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';

interface Suspension {
  readonly merchantId: string;
  readonly now: Date;
  readonly reason: string | null;
}

/** A merchant that was or is suspended. */
export interface SuspendedMerchant {
  readonly id: string;
  readonly name: string;
  readonly suspended_at: Date | null;
}

const suspend = sql<SuspendedMerchant, Suspension>(
  'suspend_merchant',
  (p) => `
    UPDATE merchants SET suspended_at = coalesce(suspended_at, ${p.now}), suspended_reason = ${p.reason}
    WHERE id = ${p.merchantId} RETURNING id, name, suspended_at`,
);

/**
 * Suspends a merchant: from 10 s later at the latest its keys get 403, so it creates and refunds nothing.
 * Payments that exist go on: customers have paid or are about to, and their money must be settled or sent
 * back; webhooks report it. Throws RangeError for an unknown merchant.
 */
export async function suspendMerchant(
  connection: Connection,
  merchantId: string,
  now: Date,
  reason: string | null,
): Promise<SuspendedMerchant> {
  return foundMerchant(merchantId, await runOne(connection, suspend, { merchantId, now, reason }));
}

const resume = sql<SuspendedMerchant, { merchantId: string }>(
  'resume_merchant',
  (p) => `
    UPDATE merchants SET suspended_at = NULL, suspended_reason = NULL
    WHERE id = ${p.merchantId} RETURNING id, name, suspended_at`,
);

/** Ends a suspension. Throws RangeError for an unknown merchant. */
export async function resumeMerchant(connection: Connection, merchantId: string): Promise<SuspendedMerchant> {
  return foundMerchant(merchantId, await runOne(connection, resume, { merchantId }));
}

function foundMerchant(id: string, merchant: SuspendedMerchant | null): SuspendedMerchant {
  if (merchant === null) throw new RangeError(`There is no merchant ${id}`);
  return merchant;
}
