import type { Keys } from '../../chain/wallets/mac.ts';
import { withoutArriving } from '../../moves/arriving.ts';
import type { Context } from '../../../platform/context.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import { addressInvariants } from './addresses.ts';
import { AUDIT_ROWS } from './audit.ts';
import { deliveryInvariants } from './deliveries.ts';
import { dueWorkInvariants } from './due-work.ts';
import { eventInvariants } from './events.ts';
import type { Invariant, Offender, OtherInvariant } from './invariant.ts';
import { readKept } from './pages/kept.ts';
import { inSnapshot, rangePages, pagesOfMerchant } from './pages/payments.ts';
import { ledgerInvariants } from './ledger.ts';
import { moneyInvariants } from './money.ts';
import { OTHER_ROWS } from './other-rows.ts';
import { Findings, type Report } from './report.ts';
import { sumInvariants } from './sums.ts';

/** What must hold of every payment. */
export const INVARIANTS: readonly Invariant[] = [
  ...moneyInvariants,
  ...ledgerInvariants,
  ...sumInvariants,
  ...eventInvariants,
  ...deliveryInvariants,
  ...dueWorkInvariants,
  ...addressInvariants,
];

/** What must hold of rows that belong to no payment's range. */
export const OTHERS: readonly OtherInvariant[] = [...OTHER_ROWS, ...AUDIT_ROWS];

/** The payments of a page: one transaction of some 100 ms, and some megabytes of this process's memory. */
const PAGE_PAYMENTS = 1_000;
const PAGE_OTHERS = 5_000;

/** What a check reads: the database, and the system clock, which says what retention may have deleted. */
export type VerifyContext = Pick<Context, 'db' | 'now'> & { readonly config: Keys };

export interface VerifyOptions {
  /** Only payments that were created since; null: all. */
  readonly since: Date | null;
  /** Only what is of this merchant; null or absent: of all. */
  readonly merchantId?: string | null;
  readonly pagePayments?: number;
  /** Called after each page with how many rows of what were read so far. */
  readonly onProgress?: (rows: number, of: string) => void;
}

/**
 * Checks every invariant over the whole database, or over what is of one merchant, a page at a time, beside a
 * service that runs: each page is a snapshot, because what a transaction changes together must be seen
 * together, and lasts only as long as its statements. Writes nothing.
 */
export async function verify(ctx: VerifyContext, options: VerifyOptions): Promise<Report> {
  const findings = new Findings([...INVARIANTS, ...OTHERS]);
  const scope = { merchantId: options.merchantId ?? null, config: ctx.config };
  await verifyPayments(ctx, options, findings);
  if (options.since === null)
    for (const invariant of OTHERS) {
      let after: readonly string[] | null = invariant.first;
      while (after !== null) {
        const from: readonly string[] = after;
        const page = await inSnapshot(ctx.db, (tx) => invariant.read(tx, from, PAGE_OTHERS, scope));
        findings.add(invariant.name, page.offenders);
        findings.parked += page.parked;
        const read = findings.count(invariant.of, page.rows);
        options.onProgress?.(read, invariant.of);
        after = page.next;
      }
    }
  return findings.report(options.since);
}

async function verifyPayments(ctx: VerifyContext, options: VerifyOptions, findings: Findings): Promise<void> {
  const { since, merchantId = null, pagePayments = PAGE_PAYMENTS, onProgress } = options;
  const kept = { ...(await readKept(ctx)), merchantId, config: ctx.config };
  const pages =
    merchantId === null
      ? rangePages(since === null ? '' : firstIdAt('pay', since), pagePayments)
      : pagesOfMerchant(merchantId, pagePayments);
  let after: readonly string[] | null = pages.first;
  while (after !== null) {
    const from: readonly string[] = after;
    after = await inSnapshot(ctx.db, async (tx) => {
      const { rows, next, ...page } = await pages.read(tx, from);
      for (const { name, find } of INVARIANTS) {
        const found = await findNamed(name, () => find(tx, { ...kept, ...page }));
        findings.add(name, merchantId === null ? await withoutArriving(tx, found) : found);
      }
      const read = findings.count('payments', rows);
      onProgress?.(read, 'payments');
      return next;
    });
  }
}

/** Says which invariant could not be searched: the statement's own error does not. */
async function findNamed(name: string, find: () => Promise<Offender[]>): Promise<Offender[]> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Error) error.message = `verify, ${name}: ${error.message}`;
    throw error;
  }
}
