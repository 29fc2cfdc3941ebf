import { Client } from 'pg';

/** What is not done yet, counted. */
export interface Unfinished {
  readonly payments: number;
  readonly 'events without a delivery': number;
  readonly 'pending deliveries': number;
  readonly 'overdue pieces of work': number;
}

/** A look into the service's database, over a connection that lasts as long as the look. */
export async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Every status that nothing moves a payment on from unless somebody asks for a refund. */
const TERMINAL = `('SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED')`;
/** Work that recurs is due all the time; what is late by more than a lease of 30 s was forgotten, or is still to come back. */
const OVERDUE = `run_at < now() - interval '40 seconds'`;

/** Counts what is still to be done. */
export async function unfinished(url: string): Promise<Unfinished> {
  const [row] = await query<Unfinished>(
    url,
    `SELECT (SELECT count(*)::int FROM payments WHERE status NOT IN ${TERMINAL}) AS payments,
       (SELECT count(*)::int FROM events e WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id)) AS "events without a delivery",
       (SELECT count(*)::int FROM deliveries WHERE status = 'pending') AS "pending deliveries",
       (SELECT count(*)::int FROM scheduled_jobs WHERE ${OVERDUE}) AS "overdue pieces of work"`,
  );
  if (row === undefined) throw new Error('the database answers nothing');
  return row;
}

/** The first of what is unfinished, for people to look at. */
export async function describeUnfinished(url: string): Promise<string[]> {
  const looks = [
    `SELECT id, status, created_at FROM payments WHERE status NOT IN ${TERMINAL} LIMIT 10`,
    `SELECT d.id, d.endpoint_id, d.status, d.attempts, d.next_attempt_at FROM deliveries d WHERE status <> 'delivered' LIMIT 10`,
    `SELECT * FROM webhook_endpoints WHERE leased_by IS NOT NULL OR circuit_open_until IS NOT NULL OR disabled_at IS NOT NULL LIMIT 10`,
    `SELECT * FROM scheduled_jobs ORDER BY visible_at LIMIT 20`,
    `SELECT now()`,
  ];
  const rows = await Promise.all(looks.map((look) => query(url, look)));
  return rows.flat().map((row) => JSON.stringify(row));
}

/** What Postgres says that there is, and what must not be there. */
export interface Truth {
  readonly payments: readonly { readonly id: string; readonly status: string }[];
  readonly events: readonly {
    readonly id: string;
    readonly merchant_id: string;
    readonly body: string;
  }[];
  readonly counts: Readonly<Record<'deliveries' | 'failed' | 'attempts', number>>;
  /** Payments whose events are not numbered 1, 2, 3 ... up to their own number. */
  readonly gaps: readonly { readonly payment_id: string }[];
}

/** Reads all of it. */
export async function readTruth(url: string): Promise<Truth> {
  const [payments, events, [counts], gaps] = await Promise.all([
    query<Truth['payments'][number]>(url, `SELECT id, status FROM payments`),
    query<Truth['events'][number]>(url, `SELECT id, merchant_id, body FROM events`),
    query<Truth['counts']>(
      url,
      `SELECT (SELECT count(*)::int FROM deliveries) AS deliveries, (SELECT count(*)::int FROM delivery_attempts) AS attempts,
         (SELECT count(*)::int FROM deliveries WHERE status = 'failed') AS failed`,
    ),
    query<Truth['gaps'][number]>(
      url,
      `SELECT p.id AS payment_id FROM payments p LEFT JOIN events e ON e.payment_id = p.id GROUP BY p.id, p.sequence
       HAVING count(e.id) <> p.sequence OR min(e.sequence) <> 1 OR max(e.sequence) <> p.sequence`,
    ),
  ]);
  if (counts === undefined) throw new Error('the database answers nothing');
  return { payments, events, counts, gaps };
}
