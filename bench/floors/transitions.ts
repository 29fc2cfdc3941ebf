import { Client } from 'pg';
import { copyPayments, empty, type Original } from '../bulk-rows.ts';

/** What a transition writes beside the status. */
const ALSO = {
  PENDING: `, tx_hash = 'bulk', amount_received = pay_amount::numeric, fully_funded = true`,
  PROCESSING: ', confirmations = 12',
  SETTLED: `, actually_paid = pay_amount, actually_paid_currency = pay_currency, settled_at = now()`,
  EXPIRED: '',
} as const;
export type Moved = keyof typeof ALSO;

/** The faster of them on the machine of the run is the floor. */
const SIZES = [1_000, 5_000];

/**
 * The floor of payments that move in bulk: a bare client on the same schema that knows which payments to
 * move, and does for each transition and batch one statement, an UPDATE of the payments and the INSERT of
 * their events. It locks nothing, checks nothing, schedules nothing, and nobody is called. Returns how many
 * rows (a payment and its event) it moved per second.
 */
export async function floorOfTransitions(
  url: string,
  original: Original,
  { count, way }: { count: number; way: readonly Moved[] },
): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const rates: number[] = [];
  for (const size of SIZES) {
    await fill(client, original, count);
    const startedAt = performance.now();
    for (const to of way) await moveAll(client, to, size);
    rates.push((count * way.length * 1_000) / (performance.now() - startedAt));
  }
  await client.end();
  return Math.max(...rates);
}

async function fill(client: Client, original: Original, count: number): Promise<void> {
  const merchantId = original.merchant.id;
  await empty(client);
  await client.query(
    `INSERT INTO merchants SELECT * FROM jsonb_populate_record(NULL::merchants, $1) ON CONFLICT DO NOTHING`,
    [JSON.stringify(original.merchant)],
  );
  await copyPayments(client, original, {
    name: '10',
    from: 1,
    until: count,
    merchantId,
    deadline: new Date(),
    apart: 0,
  });
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

async function moveAll(client: Client, to: Moved, size: number): Promise<void> {
  const text = `
    WITH next AS (
      SELECT id FROM payments WHERE id > $1 ORDER BY id LIMIT ${size}
    ), moved AS (
      UPDATE payments p SET status = '${to}', sequence = sequence + 1${ALSO[to]}
      FROM next WHERE p.id = next.id
      RETURNING p.*
    ), event AS (
      INSERT INTO events (id, payment_id, merchant_id, sequence, type, callback_url, body, created_at)
      SELECT 'evt_' || substr(m.id, 5, 12) || m.sequence || substr(m.id, 18), m.id, m.merchant_id, m.sequence,
        'checkout.${to.toLowerCase()}', m.callback_url, replace(created.body, 'WAITING', '${to}'), now()
      FROM moved m JOIN events created ON created.payment_id = m.id AND created.sequence = 1
    )
    SELECT max(id) AS last FROM next`;
  for (let last: string | null = ''; last !== null;) {
    const { rows }: { rows: { last: string | null }[] } = await client.query({
      name: `move ${to} ${size}`,
      text,
      values: [last],
    });
    last = rows[0]?.last ?? null;
  }
}
