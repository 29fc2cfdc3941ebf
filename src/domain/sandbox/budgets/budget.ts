import { ApiError, ValidationError } from '../../api/errors.ts';
import { runOne, sql, type Connection } from '../../../platform/postgres/db.ts';

/** How long a story, and an advance, may run in real time. An advance sends webhooks to real receivers. */
export const STORY_SECONDS = 10;
export const ADVANCE_SECONDS = 60;
/** More than a story of the library writes by a factor of ten. */
export const STORY_ROWS = 1_000;
/** Each event carries the payment's metadata, up to the 100 kB of a request; a report has all events. */
export const STORY_EVENT_BYTES = 4_000_000;
/** A job writes a few rows, so the rows exceed their limit by few. */
const JOBS_BETWEEN_COUNTS = 20;

/** What a request may spend while it runs jobs on a frozen test clock. */
export interface Budget {
  /** Called before each job. Throws when the budget is used up, or nobody waits for the response. */
  spend(at: Spending): Promise<void>;
}

export interface Spending {
  readonly connection: Connection;
  readonly paymentId: string;
  /** The time of the test clock. */
  readonly now: Date;
}

/** The parts of a budget that a request decides. */
export interface BudgetOptions {
  /** Whether the client has left. */
  readonly isAbandoned: () => boolean;
  /** Real milliseconds, from any beginning. */
  readonly milliseconds?: () => number;
}

const monotonic = () => performance.now();

/**
 * Returns the budget of a story. It throws ValidationError that names `field`, the story or its script, and
 * the limit that was reached (`seconds`, `rows`, `bytes`).
 */
export function storyBudget(
  field: 'story' | 'script',
  { isAbandoned, milliseconds = monotonic }: BudgetOptions,
): Budget {
  const endsAt = milliseconds() + STORY_SECONDS * 1000;
  let jobs = 0;
  return {
    async spend({ connection, paymentId }) {
      if (isAbandoned()) throw abandoned();
      if (milliseconds() > endsAt)
        throw new ValidationError(field, 'seconds', `takes longer than ${STORY_SECONDS} s: shorten it`);
      jobs += 1;
      if (jobs % JOBS_BETWEEN_COUNTS !== 0) return;
      const written = await runOne(connection, writtenOfPayment, { paymentId });
      if (written === null) return;
      if (Number(written.rows) > STORY_ROWS)
        throw new ValidationError(field, 'rows', `writes more than ${STORY_ROWS} rows: shorten it`);
      if (Number(written.bytes) > STORY_EVENT_BYTES)
        throw new ValidationError(
          field,
          'bytes',
          `makes events of more than ${STORY_EVENT_BYTES / 1e6} MB: shorten it or its metadata`,
        );
    },
  };
}

/**
 * Returns the budget of an advance. What it has done stays: it throws ValidationError on `by` that says where
 * the clock stands. A request that can be repeated by its Idempotency-Key runs on without its client.
 */
export function advanceBudget({
  isAbandoned,
  isRepeatable,
  milliseconds = monotonic,
}: BudgetOptions & { readonly isRepeatable: boolean }): Budget {
  const endsAt = milliseconds() + ADVANCE_SECONDS * 1000;
  return {
    spend({ now }) {
      if (!isRepeatable && isAbandoned()) throw abandoned();
      if (milliseconds() <= endsAt) return Promise.resolve();
      const reason = `takes longer than ${ADVANCE_SECONDS} s; the clock has stopped at ${now.toISOString()}`;
      throw new ValidationError('by', 'seconds', `${reason}: advance the rest with another request`);
    },
  };
}

/** Nobody reads this response; it only ends the work. */
function abandoned(): ApiError {
  return new ApiError('validation', { message: 'The client has closed the connection.' });
}

// Every table that a story writes a varying number of rows to. Indexes: those by payment,
// deliveries_of_payment and sim_transfers_by_address.
const writtenOfPayment = sql<{ rows: string; bytes: string }, { paymentId: string }>(
  'written_of_payment',
  (p) => `
    SELECT e.bytes, e.rows
      + (SELECT count(DISTINCT d.id) + count(a.number)
         FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
         WHERE d.payment_id = ${p.paymentId})
      + (SELECT count(*) FROM transfers WHERE payment_id = ${p.paymentId})
      + (SELECT count(*) FROM sim_transfers WHERE address IN (
           SELECT address FROM quotes WHERE payment_id = ${p.paymentId}))
      + (SELECT count(*) FROM refunds WHERE payment_id = ${p.paymentId})
      + (SELECT count(*) FROM conversions WHERE payment_id = ${p.paymentId})
      + (SELECT count(*) FROM ledger_entries WHERE payment_id = ${p.paymentId}) AS rows
    FROM (
      SELECT count(*) AS rows, coalesce(sum(octet_length(body)), 0) AS bytes
      FROM events WHERE payment_id = ${p.paymentId}) e`,
);
