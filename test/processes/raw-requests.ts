import { ENDPOINTS } from '../support/endpoints.ts';
import type { Random } from '../support/random.ts';

/** What the requests of a fuzz may name. */
export interface Targets {
  readonly apiKey: string;
  readonly ids: readonly [string, ...string[]];
  readonly tokens: readonly [string, ...string[]];
}

const BAD_IDS = ['%00', '%ff', '%', '..%2F..', 'x'.repeat(7_000), "'--", '', 'pay_0'] as const;
const FORMS = [
  'coin=BTC&network=bitcoin',
  'coin=x',
  'address=nowhere',
  'do=pay',
  'do=expire',
  '%',
  'a'.repeat(2_000),
] as const;
const BODIES = [
  '{}',
  '{"pay_amount":"10.50","order_id":"fuzz"}',
  '{"by":"1m"}',
  '{"story":"paid"}',
  '{',
  'null',
  '"\\u0000"',
  'x'.repeat(120_000),
] as const;
const GARBAGE = [
  '\0\u0001\u0002',
  'GET',
  'GET / HTTP/9.9\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
] as const;
const OTHER_PATHS = [
  '/',
  '/v1/openapi.json',
  '/metrics',
  '/admin/queues',
  '/v1/nothing',
  '*',
  '//',
  '/%',
] as const;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'] as const;
const HEADERS = [
  '',
  '',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'X-Forwarded-For: 1.2.3.4, ::1, x\r\n',
  'Accept-Language: de;q=x, \xff\r\n',
  'Idempotency-Key: one\r\n',
  'Last-Event-ID: x\r\n',
] as const;

/** The bytes of one request, well-formed or not. */
export function rawRequest(random: Random, targets: Targets): string {
  if (random.chance(0.03)) return random.of(GARBAGE);
  return random.chance(0.5) ? checkoutRequest(random, targets) : apiRequest(random, targets);
}

/** Requests for pages or documents, and for a stream behind them: responses that fill a connection. */
export function rawPages(random: Random, { tokens }: Targets): string {
  const path = `/checkout/${random.of(tokens)}`;
  const get = (what: string) => `GET ${what} HTTP/1.1\r\nHost: x\r\n\r\n`;
  return get(random.of([path, '/v1/openapi.json'])).repeat(60 + random.below(200)) + get(`${path}/events`);
}

function apiRequest(random: Random, { apiKey, ids }: Targets): string {
  const id = random.chance(0.6) ? random.of(ids) : random.of(BAD_IDS);
  const endpoint = ENDPOINTS[random.below(ENDPOINTS.length)];
  const isOther = endpoint === undefined || random.chance(0.1);
  const path = isOther ? random.of(OTHER_PATHS) : endpoint.path.replace(':id', id);
  const method = isOther || random.chance(0.1) ? random.of(METHODS) : endpoint.method.toUpperCase();
  const key = random.of([apiKey, apiKey, apiKey, '', 'x', `sk_test_${'g'.repeat(32)}`]);
  const headers = `${key === '' ? '' : `X-API-Key: ${key}\r\n`}${random.of(HEADERS)}`;
  const body = ['POST', 'PUT'].includes(method) ? random.of(BODIES) : '';
  return request(random, method, path, headers, 'application/json', body);
}

function checkoutRequest(random: Random, { tokens }: Targets): string {
  const token = random.chance(0.8) ? random.of(tokens) : random.of(BAD_IDS);
  const action = random.of([
    '',
    '',
    '/status',
    '/events',
    '/events',
    '/coin',
    '/refund-address',
    '/simulate',
  ]);
  const isForm = /^\/(coin|refund|simulate)/.test(action);
  const method = random.chance(0.05) ? random.of(METHODS) : isForm ? 'POST' : 'GET';
  const body = method === 'POST' ? random.of(FORMS) : '';
  const path = `/checkout/${token}${action}${random.of(['', '?lang=ja', '?version=x', '?%', '?a=1&a=2'])}`;
  return request(random, method, path, random.of(HEADERS), 'application/x-www-form-urlencoded', body);
}

function request(
  random: Random,
  method: string,
  path: string,
  headers: string,
  type: string,
  body: string,
): string {
  const begin = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}`;
  if (body === '') return `${begin}\r\n`;
  const typed = `${begin}Content-Type: ${type}\r\n`;
  if (random.chance(0.2))
    return `${typed}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  // Sometimes more or less than was announced: the rest is read as a request, or never comes.
  const length = body.length + (random.chance(0.1) ? random.below(20) - 10 : 0);
  return `${typed}Content-Length: ${Math.max(0, length)}\r\n\r\n${body}`;
}
