import { addSeconds } from '../../../platform/clock.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../platform/values/ids.ts';
import type { Section } from './section.ts';

interface Created {
  readonly last_hour: number;
  readonly last_day: number;
  /** As Postgres knew it when it last looked at the table; negative: it never has. */
  readonly estimate: number;
}

/** Counting so many entries of an index takes some 0.3 s. */
const COUNTED = 500_000;

// Index: payments_pkey. Ids sort by the time at which they were made; those of test clocks have its time.
const created = sql<Created, { hourAgo: string; dayAgo: string; limit: number }>(
  'status_of_payments',
  (p) => `
    SELECT
      (SELECT count(*)::int FROM (SELECT FROM payments WHERE id >= ${p.hourAgo} LIMIT ${p.limit}) h)
        AS last_hour,
      (SELECT count(*)::int FROM (SELECT FROM payments WHERE id >= ${p.dayAgo} LIMIT ${p.limit}) d)
        AS last_day,
      (SELECT reltuples::float8 FROM pg_class WHERE oid = 'payments'::regclass) AS estimate`,
);

/** How large a cell is, and how fast it grows: by that new merchants are placed, and others moved. */
export const paymentsSection: Section = {
  name: 'payments',
  async read({ db, systemNow }) {
    const now = systemNow();
    const idAt = (seconds: number) => firstIdAt('pay', addSeconds(now, -seconds));
    const params = { hourAgo: idAt(3_600), dayAgo: idAt(86_400), limit: COUNTED + 1 };
    const found = await runOne(db, created, params);
    if (found === null) throw new Error('payments were not counted');
    const estimate = found.estimate < 0 ? null : found.estimate;
    const line = `${text(found.last_hour)} in the last hour, ${text(found.last_day)} in the last day, ${
      estimate === null ? 'not estimated' : `some ${estimate.toLocaleString('en')}`
    } in all`;
    return { facts: { ...found, estimate }, lines: [line], isBad: false };
  },
};

const text = (count: number) =>
  count > COUNTED ? `over ${COUNTED.toLocaleString('en')}` : count.toLocaleString('en');
