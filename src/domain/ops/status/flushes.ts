import { run, sql } from '../../../platform/postgres/db.ts';
import { durationText, type Section } from './section.ts';

interface Open {
  readonly network: string;
  readonly tx_hash: string;
  readonly sent_seconds: number;
}

// Index: flushes_open. Since when there is one, and by which transaction now.
const openFlushes = sql<Open, { now: Date }>(
  'status_of_flushes',
  (p) => `
    SELECT network, (array_agg(tx_hash ORDER BY sent_at DESC))[1] AS tx_hash,
      greatest(0, extract(epoch FROM ${p.now}::timestamptz - min(sent_at)))::float8 AS sent_seconds
    FROM flushes WHERE ended_at IS NULL GROUP BY network ORDER BY network`,
);

/** With a timer of an hour it was looked at several times by then. */
const LATE_SECONDS = 6 * 3_600;

/** Flushes of forwarders of which nothing is final. */
export const flushesSection: Section = {
  name: 'flushes',
  async read({ db, systemNow }) {
    const open = await run(db, openFlushes, { now: systemNow() });
    const lines = open.map(
      ({ network, tx_hash, sent_seconds }) =>
        `${network}: ${tx_hash}, open for ${durationText(sent_seconds)}: npm run ops -- wallet flush`,
    );
    return {
      facts: { open },
      lines: lines.length === 0 ? ['none is open'] : lines,
      isBad: open.some(({ sent_seconds }) => sent_seconds > LATE_SECONDS),
    };
  },
};
