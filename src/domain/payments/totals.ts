import { isUnavailable, runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** Counting stops here: a larger exact total helps nobody, and counting costs more than the page. */
export const EXACT_TOTAL_LIMIT = 10_000;

/** Some 100 bytes each: 1 MB. */
const MAX_MERCHANTS = 10_000;

/**
 * The payments in which `look` searches. More than it needs to find, because scenarios have payments too;
 * theirs are of a January, thus seldom among the newest.
 */
const LOOKED_AT = 2 * EXACT_TOTAL_LIMIT;

/**
 * Merchants that have more payments than a list counts, for ever: the total of their whole list needs no
 * count.
 *
 * That is exact for as long as the process lives, whatever other processes do. A merchant is remembered when
 * more than EXACT_TOTAL_LIMIT of its payments, committed, had no test clock. Only payments of scenarios are
 * deleted (sandbox/scenarios/discard.ts), those of `scenario_runs`. Their rows are inserted with a test
 * clock, and in the transaction that inserts their run; no statement takes a test clock away. So a payment
 * that had none at any moment is no scenario's, also when it got a clock later, and nothing deletes it; nor
 * does a payment change its merchant. Their number can only grow. Late commits and clocks that disagree only
 * add to it, and a standby shows nothing that is not on the primary.
 */
export class LargeMerchants {
  readonly #merchants = new Set<string>();
  readonly #underway = new Set<string>();

  has(merchantId: string): boolean {
    return this.#merchants.has(merchantId);
  }

  /**
   * Remembers the merchant where it has more than EXACT_TOTAL_LIMIT payments that nothing deletes. Does
   * nothing while another look for the merchant is under way, or where Postgres takes too long.
   */
  async look(connection: Connection, merchantId: string): Promise<void> {
    if (this.#underway.has(merchantId)) return;
    this.#underway.add(merchantId);
    try {
      const found = await runOne(connection, permanentPayments, { merchantId, limit: LOOKED_AT });
      if (Number(found?.count ?? 0) > EXACT_TOTAL_LIMIT) this.#remember(merchantId);
    } catch (error) {
      // The caller has its page already.
      if (!isUnavailable(error)) throw error;
    } finally {
      this.#underway.delete(merchantId);
    }
  }

  /** A Set keeps the order of insertion: its first entry is the oldest. */
  #remember(merchantId: string): void {
    const [oldest] = this.#merchants.size >= MAX_MERCHANTS ? this.#merchants : [];
    if (oldest !== undefined) this.#merchants.delete(oldest);
    this.#merchants.add(merchantId);
  }
}

// Index: payments_newest.
const permanentPayments = sql<{ count: string }, { merchantId: string; limit: number }>(
  'permanent_payments',
  (p) => `
    SELECT count(*) FILTER (WHERE test_clock IS NULL) FROM (
      SELECT test_clock FROM payments WHERE merchant_id = ${p.merchantId}
      ORDER BY created_at DESC, id DESC LIMIT ${p.limit}) newest`,
);
