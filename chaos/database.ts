import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Counts of unfinished work. */
interface Unfinished {
  readonly payments: number;
  readonly 'events without a delivery': number;
  readonly 'pending deliveries': number;
  readonly 'overdue pieces of work': number;
}

/** Queries the service's database over a new connection. */
export async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // A database that ends breaks idle connections, too; without a listener that would end this process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The statuses that a payment leaves only by a refund. */
const TERMINAL = `('SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED')`;
/**
 * Recurring jobs are always due; a job that is late by more than a lease of 30 s is lost or waits for a
 * retry.
 */
const OVERDUE = `run_at < now() - interval '40 seconds'`;

/** Counts unfinished work. */
async function unfinished(url: string): Promise<Unfinished> {
  const [row] = await query<Unfinished>(
    url,
    `SELECT (SELECT count(*)::int FROM payments WHERE status NOT IN ${TERMINAL}) AS payments,
       (SELECT count(*)::int FROM events e WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id)) AS "events without a delivery",
       (SELECT count(*)::int FROM deliveries WHERE status = 'pending') AS "pending deliveries",
       (SELECT count(*)::int FROM scheduled_jobs WHERE ${OVERDUE}) AS "overdue pieces of work"`,
  );
  if (row === undefined) throw new Error('the count returned no row');
  return row;
}

const POLL_MS = 500;
const POLLS_PER_LINE = 20;

/**
 * Waits until all work is finished; returns what is not within the time limit, with its first rows. `report`
 * says now and then what is left.
 */
export async function untilFinished(
  url: string,
  withinMs: number,
  report: (line: string) => void,
): Promise<string[]> {
  const end = performance.now() + withinMs;
  for (let poll = 0; ; poll += 1) {
    const open = Object.entries(await unfinished(url)).filter(([, count]) => count > 0);
    if (open.length === 0) return [];
    const left = `left: ${open.map(([what, count]) => `${count} ${what}`).join(', ')}`;
    if (performance.now() > end) return [`${left}\n${(await describeUnfinished(url)).join('\n')}`];
    if (poll % POLLS_PER_LINE === 0) report(left);
    await sleep(POLL_MS);
  }
}

/** Returns the first rows of unfinished work, for the report. */
async function describeUnfinished(url: string): Promise<string[]> {
  const statements = [
    `SELECT id, status, created_at FROM payments WHERE status NOT IN ${TERMINAL} LIMIT 10`,
    `SELECT d.id, d.endpoint_id, d.status, d.attempts, d.next_attempt_at FROM deliveries d WHERE status <> 'delivered' LIMIT 10`,
    `SELECT * FROM webhook_endpoints WHERE leased_by IS NOT NULL OR circuit_open_until IS NOT NULL OR disabled_at IS NOT NULL LIMIT 10`,
    `SELECT * FROM scheduled_jobs ORDER BY visible_at LIMIT 20`,
    `SELECT now()`,
  ];
  const rows = await Promise.all(statements.map((statement) => query(url, statement)));
  return rows.flat().map((row) => JSON.stringify(row));
}

/** What Postgres stores, and the gaps that must not exist. */
export interface DatabaseState {
  readonly payments: readonly { readonly id: string; readonly status: string }[];
  readonly events: readonly {
    readonly id: string;
    readonly merchant_id: string;
    readonly body: string;
  }[];
  readonly counts: Readonly<Record<'deliveries' | 'failed' | 'attempts', number>>;
  /** Payments whose events are not numbered 1, 2, 3 ... up to their sequence. */
  readonly gaps: readonly { readonly payment_id: string }[];
}

/** Reads the state of the database. */
export async function readState(url: string): Promise<DatabaseState> {
  const [payments, events, [counts], gaps] = await Promise.all([
    query<DatabaseState['payments'][number]>(url, `SELECT id, status FROM payments`),
    query<DatabaseState['events'][number]>(url, `SELECT id, merchant_id, body FROM events`),
    query<DatabaseState['counts']>(
      url,
      `SELECT (SELECT count(*)::int FROM deliveries) AS deliveries, (SELECT count(*)::int FROM delivery_attempts) AS attempts,
         (SELECT count(*)::int FROM deliveries WHERE status = 'failed') AS failed`,
    ),
    query<DatabaseState['gaps'][number]>(
      url,
      `SELECT p.id AS payment_id FROM payments p LEFT JOIN events e ON e.payment_id = p.id GROUP BY p.id, p.sequence
       HAVING count(e.id) <> p.sequence OR min(e.sequence) <> 1 OR max(e.sequence) <> p.sequence`,
    ),
  ]);
  if (counts === undefined) throw new Error('the count returned no row');
  return { payments, events, counts, gaps };
}
