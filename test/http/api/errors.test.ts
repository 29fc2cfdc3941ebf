import { STATUS_CODES } from 'node:http';
import { expect } from 'chai';
import {
  createPayment,
  expectError,
  expectLimitHeaders,
  ORDER,
  send,
  type Answer,
  type Listening,
} from '../../support/http.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import type { Harness } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

const MISSING = `pay_${'0'.repeat(26)}`;
const pathOf = (pattern: string) => pattern.replace(':id', MISSING);

describe('errors', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened));

  describe('specification: Status codes', () => {
    const CODES: readonly [code: number, meaning: string, ask: () => PromiseLike<Answer>][] = [
      [400, 'validation error', () => harness.api('post', '/v1/payment').send({})],
      [401, 'invalid or missing API key', () => harness.api('get', '/v1/payments', null)],
      [
        403,
        'the API key lacks the permission',
        async () => {
          const reader = await harness.addMerchant({ permissions: ['payments:read'] });
          return harness.api('post', '/v1/payment', reader.apiKey).send(ORDER);
        },
      ],
      [404, 'payment not found', () => harness.api('get', `/v1/payment/${MISSING}`)],
      [404, 'no such path', () => harness.api('get', '/v1/nothing')],
      [405, 'method not taken', () => harness.api('delete', '/v1/payment')],
      [
        409,
        'idempotency key conflict',
        async () => {
          const post = (amount: string) =>
            harness
              .api('post', '/v1/payment')
              .set('Idempotency-Key', 'one')
              .send({ ...ORDER, pay_amount: amount });
          await post('1').expect(201);
          return post('2');
        },
      ],
      [
        413,
        'body above 100 kB',
        () => harness.api('post', '/v1/payment').send({ order_id: 'x'.repeat(200_000) }),
      ],
      [415, 'another content type', () => harness.api('post', '/v1/payment').type('text/plain').send('x')],
    ];

    it('200: request successful', async () => {
      expectLimitHeaders(await harness.api('get', '/v1/payments').expect(200));
    });
    it('201: payment created', async () => {
      expectLimitHeaders(await harness.api('post', '/v1/payment').send(ORDER).expect(201));
    });
    for (const [code, meaning, ask] of CODES)
      it(`${code}: ${meaning}`, async () => {
        const answer = await ask();
        expectError(harness, answer, code, answer.body.details);
        expect('details' in answer.body, 'details').to.equal(code === 400);
      });
    // 429: rate-limits.test.ts. 500: below. 503: unavailable.test.ts.
  });

  describe('specification: Error body', () => {
    const FIELDS: readonly [field: string, meaning: string, check: (answer: Answer) => void][] = [
      ['statusCode', 'the HTTP status code', ({ body }) => expect(body.statusCode).to.equal(400)],
      ['error', 'the short status name', ({ body }) => expect(body.error).to.equal('Bad Request')],
      [
        'message',
        'an explanation for people',
        ({ body }) => expect(body.message).to.equal('metadata.sku must be a string.'),
      ],
      [
        'details',
        'the offending field and the violated rule',
        ({ body }) => expect(body.details).to.deep.equal({ field: 'metadata.sku', constraint: 'type' }),
      ],
      [
        'timestamp',
        'the time of the error',
        ({ body }) => expect(body.timestamp).to.equal('2026-01-31T12:00:00.000Z'),
      ],
      ['path', 'the path, without the query', ({ body }) => expect(body.path).to.equal('/v1/payment')],
      [
        'request_id',
        'also the header X-Request-Id',
        ({ body, headers }) => {
          expect(body.request_id).to.match(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
          expect(headers['x-request-id']).to.equal(body.request_id);
        },
      ],
    ];
    let answer: Answer;
    before(async () => {
      answer = await harness.api('post', '/v1/payment').send({ ...ORDER, metadata: { sku: 1 } });
    });
    for (const [field, meaning, check] of FIELDS) it(`has ${field}: ${meaning}`, () => check(answer));
    it('has these fields and no others, in this order', () => {
      expect(Object.keys(answer.body)).to.deep.equal(FIELDS.map(([field]) => field));
    });
    it('leaves the query, which may hold secrets, out of the path', async () => {
      const { body } = await harness.api('get', '/v1/payments?order_id=&limit=1');
      expect(body.path).to.equal('/v1/payments');
    });
  });

  describe('X-Request-Id', () => {
    const idOf = async (given?: string): Promise<[status: number, id: unknown]> => {
      const headers = given === undefined ? {} : { 'X-Request-Id': given };
      const answer = await send(server, 'GET', '/v1/payments', headers);
      expect(answer.headers['x-request-id']).to.equal(answer.body.request_id);
      return [answer.status, answer.body.request_id];
    };
    for (const valid of ['a', 'A-Z.a_z-0.9', 'x'.repeat(64)])
      it(`is kept: ${valid.slice(0, 20)}`, async () => {
        expect(await idOf(valid)).to.deep.equal([401, valid]);
      });
    for (const invalid of ['', 'x'.repeat(65), 'a b', 'a,b', 'ä', '<b>', 'a/b', '"'])
      it(`is replaced: ${invalid.slice(0, 20)}`, async () => {
        const [, id] = await idOf(invalid);
        expect(id).to.match(/^req_/);
      });
    it('is replaced when given twice', async () => {
      const { headers } = await send(server, 'GET', '/v1/status', { 'X-Request-Id': ['a', 'b'] });
      expect(headers['x-request-id']).to.match(/^req_/);
    });
    it('is another for each request', async () => {
      expect((await idOf())[1]).to.not.equal((await idOf())[1]);
    });
    it('is on successes too', async () => {
      const { headers } = await harness.api('get', '/v1/payments').set('X-Request-Id', 'mine').expect(200);
      expect(headers['x-request-id']).to.equal('mine');
    });
  });

  describe('a method that a path does not take: 405 with Allow, with a key and without', () => {
    const paths = [...new Set(ENDPOINTS.map(({ path }) => path))];
    for (const path of paths) {
      const taken = ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
      const allow = [...taken, ...(taken.includes('get') ? ['head'] : [])].map((method) =>
        method.toUpperCase(),
      );
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
        (method) => !allow.includes(method),
      );
      for (const method of others)
        it(`${method} ${path}`, async () => {
          for (const headers of [{}, { 'X-API-Key': harness.merchant.apiKey }]) {
            const answer = await send(server, method, pathOf(path), headers);
            expect(answer.headers.allow).to.equal(allow.join(', '));
            if (method === 'HEAD') {
              expect([answer.status, answer.text]).to.deep.equal([405, '']);
              expectLimitHeaders(answer);
            } else expectError(harness, answer, 405);
          }
        });
    }
    it('is returned before the body is read', async () => {
      const answer = await harness.api('delete', '/v1/payment').type('text/plain').send('x'.repeat(200_000));
      expectError(harness, answer, 405);
    });
  });

  describe('a path that does not exist: 404', () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/payment/a/b',
      '/v1/payments/x',
      '/v1/webhooks',
      '/v1/sandbox',
      '/v1/%2e%2e/openapi.json',
      '/v1/<script>',
    ])
      for (const method of ['GET', 'POST'])
        it(`${method} ${path}`, async () => {
          const answer = await send(server, method, path, { 'X-API-Key': harness.merchant.apiKey });
          expectError(harness, answer, 404);
          expect(answer.body.path).to.equal(path);
        });
    const HINTS: readonly (readonly [method: string, path: string, status: number, message: string])[] = [
      [
        'GET',
        '/v1/payments/pay_1',
        404,
        'There is no GET /v1/payments/pay_1. Did you mean GET /v1/payment/:id?',
      ],
      [
        'POST',
        '/v1/payments',
        405,
        'There is no POST /v1/payments: the path takes GET, HEAD. Did you mean POST /v1/payment?',
      ],
      [
        'GET',
        '/v1/payment',
        405,
        'There is no GET /v1/payment: the path takes POST. Did you mean GET /v1/payments?',
      ],
      [
        'POST',
        '/v1/payment/pay_1/refunds',
        405,
        'There is no POST /v1/payment/pay_1/refunds: the path takes GET, HEAD. Did you mean POST /v1/payment/:id/refund?',
      ],
      ['GET', '/v1/event?limit=1', 404, 'There is no GET /v1/event. Did you mean GET /v1/events?'],
      ['GET', '//v1/payments', 404, 'There is no GET //v1/payments. Did you mean GET /v1/payments?'],
      ['GET', '/v1/orders', 404, 'There is no GET /v1/orders. GET /v1/openapi.json lists what there is.'],
      [
        'GET',
        `/v1/${'a'.repeat(7_000)}`,
        404,
        `There is no GET /v1/${'a'.repeat(96)}.... GET /v1/openapi.json lists what there is.`,
      ],
    ];
    for (const [method, path, status, message] of HINTS)
      it(`names the nearest that there is: ${method} ${path.slice(0, 40)}`, async () => {
        const answer = await send(server, method, path, { 'X-API-Key': harness.merchant.apiKey });
        expect([answer.status, answer.body.message]).to.deep.equal([status, message]);
        expect(answer.body.path).to.equal(path.split('?')[0]);
        expect(answer.body.request_id).to.equal(answer.headers['x-request-id']);
        expectLimitHeaders(answer);
      });
    it('outside /v1 is a page, without the insides of anything', async () => {
      const { status, headers, text } = await send(server, 'GET', '/nothing');
      expect(status).to.equal(404);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(text).to.include('Page not found');
    });
  });

  it('a fault of ours: 500, without its insides, and logged', async () => {
    const { id } = await createPayment(harness);
    const logged: unknown[] = [];
    const { error } = harness.ctx.log;
    harness.ctx.log.error = ((...entry: unknown[]) => logged.push(entry)) as unknown as typeof error;
    await harness.ctx.db.raw('ALTER TABLE payments RENAME TO elsewhere');
    try {
      for (const answer of [
        await harness.api('get', `/v1/payment/${id}`),
        await harness.api('get', '/v1/payments'),
        await harness.api('post', '/v1/payment').set('Idempotency-Key', 'broken').send(ORDER),
      ]) {
        expectError(harness, answer, 500);
        expect(answer.body.error).to.equal(STATUS_CODES[500]);
        expect(answer.text).to.not.match(/relation|does not exist|stack|\.ts/);
      }
      expect(logged).to.have.length(3);
      expect(JSON.stringify(logged[0])).to.match(/request_id":"req_.*relation/);
    } finally {
      await harness.ctx.db.raw('ALTER TABLE elsewhere RENAME TO payments');
      harness.ctx.log.error = error;
    }
    // A 5xx stores nothing: the key is still free.
    const retried = await harness.api('post', '/v1/payment').set('Idempotency-Key', 'broken').send(ORDER);
    expect(retried.status).to.equal(201);
    expect(retried.headers).to.not.have.property('idempotent-replayed');
  });
});
