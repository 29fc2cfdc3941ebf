/**
 * The floor that requests are compared with: bare `node:http` and `pg`, one named statement for each request.
 * It writes and reads the rows that the service does, in a copy of its database, and answers the same JSON.
 * It checks nothing: no key, no limit, no schema, no log.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { newId, newToken } from '../../src/platform/values/ids.ts';

// Ten are what `pg` opens by default; FLOOR_CONNECTIONS tries another number.
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.FLOOR_CONNECTIONS ?? 10),
});
const merchantId = process.env.FLOOR_MERCHANT ?? '';

interface Row {
  readonly id: string;
  readonly token_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly pay_amount: string;
  readonly pay_currency: string;
  readonly pay_network: string;
  readonly actually_paid: string | null;
  readonly actually_paid_currency: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly settled_at: Date | null;
  readonly metadata: object;
  readonly exceptions: readonly string[];
  readonly amount_received: string;
  readonly amount_refunded: string;
  readonly sequence: number;
}

const RESOURCE = `id, token_id, order_id, status, pay_amount, pay_currency, pay_network, actually_paid,
  actually_paid_currency, created_at, expires_at, settled_at, metadata, exceptions, amount_received,
  amount_refunded, sequence`;

// The columns that have no default and are not null.
const ROWS = `
  payment AS (
    INSERT INTO payments (id, merchant_id, token_id, order_id, metadata, pay_amount, pay_currency, pay_network,
      status, coin, network, address, crypto_amount, created_at, expires_at, deadline_at, policy)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'WAITING', $7, $8, $9, $6, $10, $11, $11, $12)
  ), quote AS (
    INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, quoted_at)
    VALUES ($1, $7, $8, $9, $6, '1', $10)
  ), event AS (
    INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at)
    VALUES ($13, $1, $2, 1, 'checkout.created', $14, $10)
  ), job AS (
    INSERT INTO scheduled_jobs (job, key, run_at, visible_at, for_merchant)
    VALUES ('event.fan-out', $13, $10, $10, NULL), ('payment.expire', $1, $11, $11, $2)
  )`;
const CREATE = { name: 'floor_create', text: `WITH ${ROWS} SELECT 1` };
const CREATE_ONCE = {
  name: 'floor_create_once',
  text: `WITH claim AS (
      INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
      VALUES ($2, $15, 'POST', '/v1/payment', $16, 201, $17, $10)
    ), ${ROWS} SELECT 1`,
};
const READ = { name: 'floor_read', text: `SELECT ${RESOURCE} FROM payments WHERE id = $1` };
const LIST = {
  name: 'floor_list',
  text: `SELECT ${RESOURCE} FROM payments WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20`,
};

const POLICY = { underpaid: 'wait', underpaid_tolerance_percent: 0, late: 'honour', overpaid: 'keep' };
const PAGE = { page: 1, limit: 20, total: 10_000, total_is_exact: false, total_pages: null, has_more: true };

createServer((request, response) => {
  handle(request, response).catch((error: unknown) => send(response, 500, { error: String(error) }));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('"listening"'));
process.once('SIGTERM', () => process.exit(0));

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'POST') return create(request, response);
  if (url.startsWith('/v1/payment/')) {
    const { rows } = await pool.query<Row>({ ...READ, values: [url.slice('/v1/payment/'.length)] });
    return rows[0] === undefined ? send(response, 404, {}) : send(response, 200, resourceOf(rows[0]));
  }
  const { rows } = await pool.query<Row>({ ...LIST, values: [merchantId] });
  const cursor = Buffer.from(`${rows.at(-1)?.created_at.getTime()} ${rows.at(-1)?.id}`).toString('base64url');
  send(response, 200, { data: rows.map(resourceOf), pagination: { ...PAGE, next_cursor: cursor } });
}

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(request);
  const { pay_amount, order_id } = JSON.parse(text) as { pay_amount: string; order_id: string };
  const now = new Date();
  const row: Row = {
    id: newId('pay', now),
    token_id: newToken(),
    order_id,
    status: 'WAITING',
    pay_amount,
    pay_currency: 'USDC',
    pay_network: 'ethereum',
    actually_paid: null,
    actually_paid_currency: null,
    created_at: now,
    expires_at: new Date(now.getTime() + 3_600_000),
    settled_at: null,
    metadata: {},
    exceptions: [],
    amount_received: '0',
    amount_refunded: '0',
    sequence: 1,
  };
  const eventId = newId('evt', now);
  const address = `0x${randomBytes(20).toString('hex')}`;
  const payment = [row.id, merchantId, row.token_id, order_id, '{}', pay_amount, 'USDC', 'ethereum'];
  const rest = [address, now, row.expires_at, JSON.stringify(POLICY), eventId, eventBodyOf(row, eventId)];
  const values = [...payment, ...rest];
  const body = JSON.stringify(resourceOf(row));
  const key = request.headers['idempotency-key'];
  const hash = () => createHash('sha256').update(text).digest();
  await pool.query(
    key === undefined ? { ...CREATE, values } : { ...CREATE_ONCE, values: [...values, key, hash(), body] },
  );
  sendText(response, 201, body);
}

function resourceOf({ token_id, ...row }: Row) {
  return { ...row, token_id, checkout_url: `https://pay.example/checkout/${token_id}` };
}

function eventBodyOf(row: Row, id: string): string {
  return JSON.stringify({
    id,
    type: 'checkout.created',
    timestamp: row.created_at,
    sequence: 1,
    data: {
      checkout: {
        id: row.id,
        status: row.status,
        amount: row.pay_amount,
        currency: row.pay_currency,
        cryptoAmount: row.pay_amount,
        cryptoCurrency: row.pay_currency,
        settledAt: null,
        exceptions: [],
        policy: POLICY,
      },
      payment: { txHash: null, confirmations: 0, requiredConfirmations: 12, network: row.pay_network },
    },
    metadata: { orderId: row.order_id },
  });
}

/** By events: an async iterator takes longer. */
function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => resolve(text));
    request.on('error', reject);
  });
}

function send(response: ServerResponse, status: number, value: object): void {
  sendText(response, status, JSON.stringify(value));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}
