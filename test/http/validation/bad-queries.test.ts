import { expect } from 'chai';
import { refusesBadInput } from '../../support/bad-input.ts';
import { expectError } from '../../support/http.ts';

describe('bad input in a query', () => {
  const input = refusesBadInput();

  describe('a query', () => {
    const FAULTS: readonly (readonly [query: string, field: string, constraint: string])[] = [
      ['page=0', 'page', 'minimum'],
      ['page=-1', 'page', 'minimum'],
      ['page=1.5', 'page', 'type'],
      ['page=1e3', 'page', 'type'],
      ['page=', 'page', 'type'],
      ['page=abc', 'page', 'type'],
      ['page=%D9%A3', 'page', 'type'],
      ['page=1000001', 'page', 'maximum'],
      ['page=99999999999999999999', 'page', 'type'],
      ['limit=0', 'limit', 'minimum'],
      ['limit=101', 'limit', 'maximum'],
      ['limit=abc', 'limit', 'type'],
      ['limit=20%20', 'limit', 'type'],
      ['limit=%00', 'limit', 'type'],
      ['status=BOGUS', 'status', 'enum'],
      ['status=settled', 'status', 'enum'],
      ['status=', 'status', 'enum'],
      ['status=WAITING,BOGUS', 'status', 'enum'],
      ['status=WAITING,', 'status', 'enum'],
      ['order_id=', 'order_id', 'minLength'],
      [`order_id=${'x'.repeat(256)}`, 'order_id', 'maxLength'],
      ['order_id=a%00', 'order_id', 'pattern'],
      ['from_date=yesterday', 'from_date', 'format'],
      ['from_date=', 'from_date', 'format'],
      ['from_date=2026-02-30', 'from_date', 'format'],
      ['from_date=2026-13-01', 'from_date', 'format'],
      ['from_date=2026-1-1', 'from_date', 'format'],
      ['from_date=20260101', 'from_date', 'format'],
      ['from_date=1769860800', 'from_date', 'format'],
      ['from_date=2026-01-31T12:00:00', 'from_date', 'format'],
      ['from_date=2026-01-31T25:00:00Z', 'from_date', 'format'],
      ['from_date=2026-02-30T12:00:00Z', 'from_date', 'format'],
      ['from_date=2016-12-31T23:59:60Z', 'from_date', 'format'],
      ['from_date=2026-01-31T12:00:00%2B01', 'from_date', 'format'],
      ['from_date=2026-01-31T12:00:00+01:00', 'from_date', 'format'],
      ['to_date=yesterday', 'to_date', 'format'],
      ['to_date=2026-02-30', 'to_date', 'format'],
      ['from_date=2026-02-01&to_date=2026-01-31', 'from_date', 'maximum'],
      ['from_date=2026-01-31T12:00:00.001Z&to_date=2026-01-31T12:00:00Z', 'from_date', 'maximum'],
      ['cursor=', 'cursor', 'minLength'],
      ['cursor=abc', 'cursor', 'format'],
      [`cursor=${'x'.repeat(101)}`, 'cursor', 'maxLength'],
      ['cursor=%00', 'cursor', 'pattern'],
      [`cursor=${Buffer.from('1.pay_1').toString('base64url')}`, 'cursor', 'format'],
      [
        `cursor=${Buffer.from(`9999999999999999.pay_${'0'.repeat(26)}`).toString('base64url')}`,
        'cursor',
        'format',
      ],
      [`page=1&cursor=${Buffer.from(`1.pay_${'0'.repeat(26)}`).toString('base64url')}`, 'cursor', 'not'],
      ['page=1&page=2', 'page', 'type'],
      ['page=1&page=1', 'page', 'type'],
      ['limit=10&page=1&limit=20', 'limit', 'type'],
      ['status=WAITING&status=SETTLED', 'status', 'type'],
      ['order_id=a&order_id=b', 'order_id', 'type'],
      ['order_id=a&order%5Fid=b', 'order_id', 'type'],
      ['from_date=2026-01-01&from_date=2026-01-01', 'from_date', 'type'],
      ['foo=1', 'foo', 'additionalProperties'],
      ['Status=WAITING', 'Status', 'additionalProperties'],
      ['status[]=WAITING', 'status[]', 'additionalProperties'],
      ['order_id[a]=1', 'order_id[a]', 'additionalProperties'],
      ['=1', 'query', 'additionalProperties'],
      ['__proto__=1', '__proto__', 'additionalProperties'],
      ['constructor=1', 'constructor', 'additionalProperties'],
      [`${Array.from({ length: 1500 }, (_, n) => `a${n}`).join('&')}&page=0`, 'a0', 'additionalProperties'],
      ['order_id=%', 'order_id', 'format'],
      ['order_id=%zz', 'order_id', 'format'],
      ['order_id=%ff', 'order_id', 'format'],
      ['order_id=%ed%a0%80', 'order_id', 'format'],
      ['%ff=1', 'query', 'format'],
    ];
    for (const [query, field, constraint] of FAULTS)
      it(`?${query.slice(0, 80)}: 400, never an empty list`, async () => {
        const answer = await input.send('GET', `/v1/payments?${query}`);
        expectError(input.harness, answer, 400, { field, constraint });
      });

    for (const [method, path] of [
      ['GET', '/v1/status'],
      ['GET', `/v1/payment/pay_${'0'.repeat(26)}`],
      ['GET', '/v1/webhooks/config'],
      ['GET', '/v1/webhooks/secrets'],
      ['POST', '/v1/payment'],
      ['POST', '/v1/webhooks/secrets/rotate'],
      ['PUT', '/v1/webhooks/config'],
      ['POST', '/v1/webhooks/test'],
      ['POST', '/v1/webhooks/examine'],
    ] as const)
      it(`of ${method} ${path}, which takes none: 400`, async () => {
        const answer = await input.send(method, `${path}?limit=1`, method === 'GET' ? undefined : '{}');
        expectError(input.harness, answer, 400, { field: 'limit', constraint: 'additionalProperties' });
      });

    it('that is empty is none', async () => {
      for (const query of ['?', '?&', '?&&limit=1&'])
        expect((await input.send('GET', `/v1/payments${query}`)).status, query).to.equal(200);
    });
  });
});
