import { HELD_PAYOUTS } from '../../payments/refunds/by-signer/intent.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { durationText, type Section } from './section.ts';

interface Held {
  readonly what: string;
  readonly because: string | null;
}

const heldPayouts = sql<Held, { now: Date }>(
  'status_of_held_payouts',
  (p) => `SELECT what, because FROM (${HELD_PAYOUTS(p.now)}) held ORDER BY since DESC NULLS LAST LIMIT 20`,
);

const waitingPayouts = sql<{ open: number; waiting_seconds: number | null }, { now: Date }>(
  'status_of_waiting_payouts',
  (p) => `
    SELECT count(*)::integer AS open,
      max(extract(epoch FROM ${p.now}::timestamptz - i.created_at))::float8 AS waiting_seconds
    FROM payout_intents i LEFT JOIN payouts o ON o.refund_id = i.refund_id
    WHERE i.created_at > ${p.now}::timestamptz - interval '30 days' AND i.held_by IS NULL
      AND (o.refund_id IS NULL OR o.state IN ('waiting', 'signed'))
      AND NOT EXISTS (SELECT FROM payout_stops s WHERE s.refund_id = i.refund_id)`,
);

/** A person approves within hours; a block is final within minutes. */
const LATE_SECONDS = 6 * 3_600;

/** What the signer is asked to pay, and does not. */
export const payoutsSection: Section = {
  name: 'payouts',
  async read({ db, systemNow }) {
    const now = systemNow();
    const held = await run(db, heldPayouts, { now });
    const [found] = await run(db, waitingPayouts, { now });
    const { open = 0, waiting_seconds: seconds = null } = found ?? {};
    const lines = [
      open === 0 || seconds === null
        ? 'none is open'
        : `${open} are open, the oldest for ${durationText(seconds)}: npm run ops -- payouts list`,
      ...held.map(({ what, because }) => `HELD ${what}: ${because ?? 'no reason is known'}`),
    ];
    const isBad = held.length > 0 || (seconds ?? 0) > LATE_SECONDS;
    return { facts: { open, oldest_seconds: seconds, held }, lines, isBad };
  },
};
