import { TRANSITIONS, type Transition } from '../../payments/lifecycle/states.ts';
import type { Invariant, Page, Range } from './invariant.ts';
import { SWEPT_ELSEWHERE } from './pages/kept.ts';
import { searched, search } from './pages/statements.ts';

// Events are deleted with age, oldest first: of old payments, the last ones may be all that is left.
const sequences = search<Range & Pick<Page, 'wholeFrom'>>(
  'verify_sequences',
  (within, p) => `
    SELECT p.id, format('sequence is %s, %s events from %s to %s', p.sequence, coalesce(e.count, 0), e.first,
      e.last) AS detail
    FROM payments p CROSS JOIN LATERAL (
      SELECT nullif(count(*), 0) AS count, min(sequence) AS first, max(sequence) AS last
      FROM events WHERE payment_id = p.id
    ) e
    WHERE ${within('p.id')} AND (e.last > p.sequence OR (
      p.id >= ${p.wholeFrom} AND (${p.wholeFrom} = '' OR p.test_clock IS NULL)
      AND (e.count, e.first, e.last) IS DISTINCT FROM (p.sequence::bigint, 1, p.sequence)
      AND NOT ${SWEPT_ELSEWHERE}))`,
);

/**
 * SQL: the status that the body of an event `e` reports: the first of its fields of that name, before any
 * text of a merchant. Without a JSON parser, because a body that is damaged must not end the search.
 */
const STATUS = `split_part(split_part(e.body, '"status":"', 2), '"', 1)`;

const TABLE: readonly Transition[] = Object.values(TRANSITIONS);
/** SQL: the transition table, as rows of from_status (null: none), to_status and event. */
const TRANSITION_ROWS = TABLE.flatMap(({ from, to, event }) =>
  (from.length === 0 ? [null] : from).map(
    (before) => `(${before === null ? 'NULL' : `'${before}'`}, '${to ?? before}', '${event}')`,
  ),
).join(', ');

const transitions = search<Range>(
  'verify_transitions',
  (within) => `
    SELECT step.payment_id AS id, format('event %s (%s) goes from %s to %s', step.sequence, step.type,
      coalesce(step.before, 'nothing'), coalesce(nullif(step.status, ''), 'no status')) AS detail
    FROM (
      SELECT e.payment_id, e.sequence, e.type, e.status, lag(e.status) OVER earlier AS before
      FROM (
        SELECT e.payment_id, e.sequence, e.type, ${STATUS} AS status
        FROM events e WHERE ${within('e.payment_id')} OFFSET 0
      ) e
      WINDOW earlier AS (PARTITION BY e.payment_id ORDER BY e.sequence)
    ) step
    WHERE (step.before IS NOT NULL OR step.sequence = 1) AND NOT EXISTS (
      SELECT FROM (VALUES ${TRANSITION_ROWS}) AS allowed (from_status, to_status, event)
      WHERE allowed.from_status IS NOT DISTINCT FROM step.before AND allowed.to_status = step.status
        AND allowed.event = step.type)
    UNION ALL
    SELECT p.id, format('status is %s, its last event reports %s', p.status, ${STATUS})
    FROM payments p JOIN events e ON e.payment_id = p.id AND e.sequence = p.sequence
    WHERE ${within('p.id')} AND p.status IS DISTINCT FROM ${STATUS}`,
);

const bodies = search<Range>(
  'verify_events',
  (within) => `
    SELECT e.id, CASE WHEN p.id IS NULL THEN format('payment %s does not exist', e.payment_id)
      WHEN p.merchant_id <> e.merchant_id THEN format('it is of %s, payment %s of %s', e.merchant_id, p.id,
        p.merchant_id)
      WHEN NOT starts_with(e.body, '{"id":"' || e.id || '"') THEN 'its body has another id'
      ELSE format('the feed has it before event %s of %s', e.sequence - 1, p.id) END AS detail
    FROM (
      SELECT id, payment_id, merchant_id, sequence, body, txid, place, lag(txid) OVER earlier AS txid_before,
        lag(place) OVER earlier AS place_before
      FROM events WHERE ${within('payment_id')}
      WINDOW earlier AS (PARTITION BY payment_id ORDER BY sequence)
    ) e LEFT JOIN payments p ON p.id = e.payment_id
    WHERE p.id IS NULL OR p.merchant_id <> e.merchant_id OR NOT starts_with(e.body, '{"id":"' || e.id || '"')
      OR e.txid < e.txid_before OR (e.txid = e.txid_before AND e.place < e.place_before)`,
);

/** The events of payments. */
export const eventInvariants: readonly Invariant[] = [
  searched(sequences, {
    name: 'sequences',
    meaning: "a payment's events are numbered 1, 2, 3 ... up to its sequence, but for those past retention",
    remedy:
      'Rows of events were deleted or restored by hand: restore them from a backup. Receivers may lack them.',
  }),
  searched(transitions, {
    name: 'transitions',
    meaning:
      'each event follows from the one before by the transition table, and the last one has the status',
    remedy: "The status was written by something else than a transition. Correct it to the last event's.",
  }),
  searched(bodies, {
    name: 'events',
    meaning:
      "an event belongs to its payment's merchant, has its own id in its body, and its place in the feed",
    remedy: 'Rows of events are never updated: restore them from a backup.',
  }),
];
