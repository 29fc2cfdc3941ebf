import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** What a merchant has done of the first things that an integration does. */
export interface FirstSteps {
  readonly has_used_key: boolean;
  readonly has_created_payment: boolean;
  readonly has_endpoint: boolean;
  readonly has_delivered: boolean;
  /** A receiver check saw events refused that somebody else had signed, or nobody. */
  readonly has_refused_forgeries: boolean;
  readonly has_run_story: boolean;
}

// Payments of stories have a clock of their own, and so have their endpoints, whose ids begin otherwise.
// Indexes: api_keys_of_merchant, payments_newest, webhook_endpoints_pkey, endpoint_registrations_of_merchant.
const firstSteps = sql<FirstSteps, { merchantId: string }>(
  'first_steps_of_merchant',
  (p) => `
    SELECT
      EXISTS (SELECT FROM api_keys k WHERE k.merchant_id = m.id AND k.last_used_at IS NOT NULL)
        AS has_used_key,
      EXISTS (SELECT FROM payments p WHERE p.merchant_id = m.id AND p.test_clock IS NULL)
        AS has_created_payment,
      m.webhook_url IS NOT NULL OR EXISTS (
        SELECT FROM endpoint_registrations r WHERE r.merchant_id = m.id AND r.deleted_at IS NULL)
        AS has_endpoint,
      EXISTS (SELECT FROM webhook_endpoints o
        WHERE o.id >= m.id AND o.id < m.id || '!' AND o.last_success_at IS NOT NULL) AS has_delivered,
      m.forgeries_refused_at IS NOT NULL AS has_refused_forgeries,
      m.story_run_at IS NOT NULL AS has_run_story
    FROM merchants m WHERE m.id = ${p.merchantId}`,
);

/** Which of the first steps the merchant has done; null: there is no such merchant. */
export function readFirstSteps(connection: Connection, merchantId: string): Promise<FirstSteps | null> {
  return runOne(connection, firstSteps, { merchantId });
}

interface Step {
  readonly merchantId: string;
  readonly now: Date;
}

const STEPS = {
  story: sql<never, Step>(
    'note_first_story',
    (p) => `
      UPDATE merchants SET story_run_at = ${p.now} WHERE id = ${p.merchantId} AND story_run_at IS NULL`,
  ),
  forgeriesRefused: sql<never, Step>(
    'note_refused_forgeries',
    (p) => `
      UPDATE merchants SET forgeries_refused_at = ${p.now}
      WHERE id = ${p.merchantId} AND forgeries_refused_at IS NULL`,
  ),
};

/** Notes a first step that leaves no other trace; a later one changes nothing. */
export async function noteFirstStep(
  connection: Connection,
  step: keyof typeof STEPS,
  of: Step,
): Promise<void> {
  await run(connection, STEPS[step], of);
}
