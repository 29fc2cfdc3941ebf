import type { Keys } from '../../chain/wallets/mac.ts';
import { EVENTS_KEPT_SECONDS } from '../../events/sweep.ts';
import { RETENTION_SECONDS } from '../../webhooks/endpoints/sweep.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import { AUDIT_ROWS } from './audit.ts';
import { deliveryInvariants } from './deliveries.ts';
import { dueWorkInvariants } from './due-work.ts';
import { eventInvariants } from './events.ts';
import {
  END,
  inSnapshot,
  readPageEnd,
  type Invariant,
  type Offender,
  type OtherInvariant,
  type Page,
} from './invariant.ts';
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
  readonly pagePayments?: number;
  /** Called after each page with how many rows of what were read so far. */
  readonly onProgress?: (rows: number, of: string) => void;
}

/**
 * Checks every invariant over the whole database, a page at a time, beside a service that runs: each page is
 * a snapshot, because what a transaction changes together must be seen together, and lasts only as long as
 * its statements. Writes nothing.
 */
export async function verify(ctx: VerifyContext, options: VerifyOptions): Promise<Report> {
  const findings = new Findings([...INVARIANTS, ...OTHERS]);
  await verifyPayments(ctx, options, findings);
  if (options.since === null)
    for (const invariant of OTHERS) {
      let after: readonly string[] | null = invariant.first;
      while (after !== null) {
        const from: readonly string[] = after;
        const page = await inSnapshot(ctx.db, (tx) => invariant.read(tx, from, PAGE_OTHERS, ctx.config));
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
  const { since, pagePayments = PAGE_PAYMENTS, onProgress } = options;
  const kept = await readKept(ctx);
  let after = since === null ? '' : firstIdAt('pay', since);
  while (after !== END)
    after = await inSnapshot(ctx.db, async (tx) => {
      const { rows, until } = await readPageEnd(tx, after, pagePayments);
      for (const { name, find } of INVARIANTS)
        findings.add(name, await findNamed(name, () => find(tx, { ...kept, after, until })));
      const read = findings.count('payments', rows);
      onProgress?.(read, 'payments');
      return until;
    });
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

const markBefore = sql<{ txid: string }, { until: Date }>(
  'verify_event_mark',
  (p) => `SELECT txid FROM event_marks WHERE at <= ${p.until} ORDER BY at DESC LIMIT 1`,
);

/** Sweeps go by the clock of another process. */
const MARGIN_SECONDS = 86_400;

/** Says which rows retention cannot have deleted (events/sweep.ts, deliveries/retention). */
async function readKept(ctx: VerifyContext): Promise<Omit<Page, 'after' | 'until'>> {
  const { db } = ctx;
  const wholeSince = addSeconds(ctx.now(), MARGIN_SECONDS - EVENTS_KEPT_SECONDS);
  const deliveredSince = addSeconds(ctx.now(), MARGIN_SECONDS - RETENTION_SECONDS);
  const swept = await runOne(db, markBefore, { until: wholeSince });
  const dropped = await runOne(db, markBefore, { until: deliveredSince });
  return {
    wholeFrom: swept === null ? '' : firstIdAt('pay', wholeSince),
    deliveredFrom: dropped?.txid ?? '0',
    deliveredPayments: dropped === null ? '' : firstIdAt('pay', deliveredSince),
  };
}
