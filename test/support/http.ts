import { once } from 'node:events';
import { request as httpRequest, STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import type { Express } from 'express';
import { createServer } from '../../src/http/server.ts';
import type { Harness } from './harness.ts';

/** What these helpers need of a response, from supertest or `send`. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders | Record<string, string>;
  // The tests assert the body.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
}

export interface Details {
  readonly field: string;
  readonly constraint: string;
}

/**
 * Asserts the whole error body and the headers of an error under /v1. `details` is there exactly when it is
 * given.
 */
export function expectError(harness: Harness, answer: Answer, status: number, details?: Details): void {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
  const { message, path, ...rest } = answer.body as Record<string, unknown>;
  expect(rest).to.deep.equal({
    statusCode: status,
    error: STATUS_CODES[status],
    ...(details === undefined ? {} : { details }),
    timestamp: harness.ctx.now().toISOString(),
    request_id: answer.headers['x-request-id'],
  });
  expect(message)
    .to.be.a('string')
    .and.match(/^\S.*\S$/s);
  expect(path).to.match(/^\/v1/);
  expectLimitHeaders(answer);
}

/** Asserts the three headers of every response under /v1. */
export function expectLimitHeaders({ headers }: Pick<Answer, 'headers'>): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect(headers[name], name).to.match(/^\d+$/);
}

/** Returns a body without what differs between two errors of one kind: place and time. */
export function withoutPlace(body: Record<string, unknown>): Record<string, unknown> {
  const { timestamp, path, request_id, ...rest } = body;
  expect([timestamp, path, request_id]).to.not.include(undefined);
  return rest;
}

const COUNTED = [
  'payments',
  'events',
  'quotes',
  'refunds',
  'refund_addresses',
  'conversions',
  'scheduled_jobs',
  'deliveries',
  'transfers',
  'sim_transfers',
  'idempotency_keys',
];

/** Counts the rows of every table that a request may write to. */
export async function countRows({ ctx }: Harness): Promise<Record<string, number>> {
  const counts = COUNTED.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = (await ctx.db.raw(`SELECT ${counts.join(', ')}`)) as { rows: Record<string, number>[] };
  return rows[0] ?? {};
}

export const ORDER = { pay_amount: '10.50', order_id: 'order 1' };

/** Creates a payment and returns the API's response. */
export async function createPayment(
  harness: Harness,
  fields: object = {},
  apiKey?: string,
): Promise<Payment> {
  const { body } = await harness
    .api('post', '/v1/payment', apiKey)
    .send({ ...ORDER, ...fields })
    .expect(201);
  return body as Payment;
}
export type Payment = Record<string, unknown> & { id: string; token_id: string; checkout_url: string };

export interface Page {
  readonly data: Payment[];
  readonly pagination: Record<string, unknown> & { next_cursor: string | null; has_more: boolean };
}

/** A page of the merchant's list; `query` begins with "?". */
export async function listPage(harness: Harness, apiKey: string, query = ''): Promise<Page> {
  return (await harness.api('get', `/v1/payments${query}`, apiKey).expect(200)).body as Page;
}

/**
 * Gives a merchant `count` payments past the API, numbered from 1 on: the n-th is n * `every` seconds into
 * the year, of order "bulk n % 1000". Their ids are the same for every merchant, so `clearPayments` must
 * follow.
 */
export async function fillPayments(
  harness: Harness,
  merchantId: string,
  count: number,
  every = 1,
): Promise<void> {
  await harness.ctx.db.raw(
    `INSERT INTO payments (id, merchant_id, token_id, order_id, metadata, pay_amount, pay_currency, pay_network, status, coin, network,
       address, crypto_amount, created_at, expires_at, deadline_at)
     SELECT 'pay_' || lpad(n::text, 26, '0'), ?, 'token ' || n, 'bulk ' || n % 1000, '{}', '1', 'USDC', 'ethereum', 'WAITING', 'USDC',
       'ethereum', 'a', '1', t, t, t
     FROM generate_series(1, ?) n, LATERAL (SELECT ?::timestamptz + n * ? * interval '1 second' AS t) times`,
    [merchantId, count, '2026-01-01T00:00:00Z', every],
  );
}

/** Deletes all payments of `fillPayments`. */
export async function clearPayments(harness: Harness): Promise<void> {
  await harness.ctx.db.raw(`DELETE FROM payments WHERE token_id LIKE 'token %'`);
}

/**
 * Pays through the sandbox and lets blocks pass until nothing more happens to the payment; for ethereum with
 * blocks of a second.
 */
export async function pay(harness: Harness, id: string, transfer: object = {}): Promise<void> {
  await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send(transfer).expect(201);
  for (let block = 0; block < 14; block += 1) {
    await harness.work();
    harness.advance(1);
  }
  await harness.work();
}

export interface Listening {
  readonly url: string;
  /** Bytes that the server has written to its connections so far, headers included. */
  sentBytes(): number;
  close(): Promise<void>;
}

/** Serves the app as a web process does, on a free port of this machine or on `port`. */
export async function listen(app: Express, port = 0): Promise<Listening> {
  const server = createServer(app);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentBytes: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Sends a request unchanged: no client normalises the path, adds a header or sets the length of the body. A
 * body is sent in chunks unless the headers state its length. Resolves with the response, even before the
 * body is sent.
 */
export async function send(
  { url }: Pick<Listening, 'url'>,
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const outgoing = httpRequest({ hostname, port, method, path, headers, agent: false });
  const answered = new Promise<Answer>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
        const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed });
      });
    });
  });
  outgoing.end(body);
  return answered;
}
