import { expect } from 'chai';
import { refusesBadInput } from '../../support/bad-input.ts';
import { expectError, withoutPlace } from '../../support/http.ts';

describe('bad input in a path', () => {
  const input = refusesBadInput();

  describe('a malformed id: 404, the same bytes as for one that does not exist', () => {
    const IDS = [
      'x',
      'pay_',
      `pay_${'0'.repeat(25)}`,
      `pay_${'0'.repeat(27)}`,
      `pay_${'u'.repeat(26)}`,
      `pay_${'a'.repeat(26)}`,
      `PAY_${'0'.repeat(26)}`,
      `evt_${'0'.repeat(26)}`,
      '0',
      '-1',
      'null',
      '__proto__',
      '%00',
      `pay_${'0'.repeat(25)}%00`,
      '..%2F..%2Fstatus',
      "'%20OR%201=1--",
      '%E2%80%AE',
      '😀',
      '%',
      '%zz',
      '%ff',
      '%ed%a0%80',
      `%ff${'0'.repeat(26)}`,
      'x'.repeat(5_000),
      'x'.repeat(7_000),
    ].map((id) => id.replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent));
    const ROUTES = [
      ['GET', (id: string) => `/v1/payment/${id}`],
      ['POST', (id: string) => `/v1/payment/${id}/refund`],
      ['POST', (id: string) => `/v1/sandbox/payments/${id}/transfers`],
      ['POST', (id: string) => `/v1/sandbox/payments/${id}/replace`],
    ] as const;
    for (const [method, pathOf] of ROUTES)
      for (const id of IDS)
        it(`${method} ${pathOf(id.slice(0, 40))}`, async () => {
          const ask = (asked: string) =>
            input.send(method, pathOf(asked), method === 'POST' ? '{}' : undefined);
          const missing = await ask(`pay_${'0'.repeat(26)}`);
          const answer = await ask(id);
          expectError(input.harness, answer, 404);
          expect(answer.body.path).to.equal(pathOf(id));
          expect(withoutPlace(answer.body)).to.deep.equal(withoutPlace(missing.body));
          expect(answer.headers['x-ratelimit-limit']).to.equal(missing.headers['x-ratelimit-limit']);
        });
    const POSTS = [
      (id: string) => `/v1/payment/${id}/refund`,
      (id: string) => `/v1/webhooks/deliveries/${id}/redeliver`,
      (id: string) => `/v1/sandbox/payments/${id}/transfers`,
      (id: string) => `/v1/sandbox/payments/${id}/replace`,
      (id: string) => `/v1/sandbox/payments/${id}/advance`,
    ];
    for (const pathOf of POSTS)
      it(`POST ${pathOf(':id')} with an Idempotency-Key, for each of them`, async () => {
        const body = pathOf('').endsWith('advance') ? '{"by":"1m"}' : '{}';
        const ask = (id: string) => input.send('POST', pathOf(id), body, { 'Idempotency-Key': 'one' });
        const missing = await ask(`pay_${'0'.repeat(26)}`);
        for (const id of IDS) {
          const answer = await ask(id);
          expectError(input.harness, answer, 404);
          expect(withoutPlace(answer.body)).to.deep.equal(withoutPlace(missing.body));
        }
      });
    it('needs a key like any other', async () => {
      for (const id of ['%ff', '%00', 'x'])
        expectError(
          input.harness,
          await input.send('GET', `/v1/payment/${id}`, undefined, { 'X-API-Key': undefined }),
          401,
        );
    });
  });

  describe('a path that cannot be decoded', () => {
    for (const path of ['/v1/%', '/v1/%ff', '/v1/payments/%zz', '/v1/%00'])
      it(`${path}: 404`, async () => {
        const answer = await input.send('GET', path);
        expectError(input.harness, answer, 404);
        expect(answer.body.path).to.equal(path);
      });
  });
});
