import { expect } from 'chai';
import { createEndpoints } from '../../../src/http/routes.ts';
import { wordsOf } from '../../../src/domain/api/patterns.ts';
import { SENTENCES } from '../../../src/domain/api/sentences.ts';
import { refusesBadInput } from '../../support/bad-input.ts';
import { ORDER } from '../../support/http.ts';

/** Keywords that break nothing by themselves, or name what another one checks. */
const SILENT = new Set(
  'anyOf oneOf allOf if then else items properties description default title examples propertyName'.split(
    ' ',
  ),
);

describe('the message of a 400', () => {
  const input = refusesBadInput();
  const PAYMENT = '/v1/payment';
  const MESSAGES: readonly (readonly [path: string, body: object | undefined, message: string])[] = [
    [PAYMENT, { pay_amount: '1', orderid: 'a' }, 'orderid is not known; order_id is required.'],
    [
      PAYMENT,
      { amount: '1', orderid: 'a' },
      'amount is not known; orderid is not known; pay_amount is required.',
    ],
    [
      PAYMENT,
      { ...ORDER, calback_url: 'https://shop.example' },
      'calback_url is not a known field: did you mean callback_url?',
    ],
    [PAYMENT, { ...ORDER, tip: '1' }, 'tip is not a known field.'],
    [PAYMENT, { ...ORDER, pay_amount: 25 }, 'pay_amount must be a string, not a number: write "25.00".'],
    [PAYMENT, { ...ORDER, pay_amount: 9.5 }, 'pay_amount must be a string, not a number: write "9.50".'],
    [PAYMENT, { ...ORDER, pay_amount: 1e30 }, 'pay_amount must be a string, not a number: write "25.00".'],
    [
      PAYMENT,
      { order_id: 'a', price_amount: '1.005', price_currency: 'EUR' },
      'price_amount must have at most 2 decimals in EUR.',
    ],
    [
      PAYMENT,
      { ...ORDER, price_amount: '1', price_currency: 'EUR' },
      'pay_amount cannot be combined with the other fields.',
    ],
    [PAYMENT, { ...ORDER, order_id: 7 }, 'order_id must be a string.'],
    [PAYMENT, { ...ORDER, order_id: '' }, 'order_id must not be empty.'],
    [PAYMENT, { ...ORDER, order_id: 'x'.repeat(256) }, 'order_id must have at most 255 characters.'],
    [PAYMENT, { ...ORDER, metadata: [] }, 'metadata must be an object.'],
    [PAYMENT, { ...ORDER, expiration_minutes: 1 }, 'expiration_minutes must be 5 or more.'],
    [PAYMENT, { ...ORDER, expiration_minutes: '30' }, 'expiration_minutes must be a whole number.'],
    ['/v1/payments?limit=many', undefined, 'limit must be a whole number.'],
    ['/v1/events?payment_id=x', undefined, 'payment_id must be an id: pay_ and 26 digits or capitals.'],
  ];
  for (const [path, body, message] of MESSAGES)
    it(message, async () => {
      const method = body === undefined ? 'GET' : 'POST';
      const answer = await input.send(method, path, body && JSON.stringify(body));
      expect(answer.body.message).to.equal(message);
    });

  it('is ours for every keyword, and in words for every pattern, that an endpoint takes', () => {
    const keywords = new Set<string>();
    const patterns = new Set<string>();
    const walk = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [keyword, value] of Object.entries(schema as Record<string, unknown>)) {
        if (!Array.isArray(schema)) keywords.add(keyword);
        if (keyword === 'pattern') patterns.add(String(value));
        if (keyword === 'properties') Object.values(value as object).forEach(walk);
        else if (keyword !== 'default') walk(value);
      }
    };
    for (const { body, query } of createEndpoints(input.harness)) [body, query].forEach(walk);
    expect([...keywords].filter((keyword) => !(keyword in SENTENCES) && !SILENT.has(keyword))).to.deep.equal(
      [],
    );
    expect([...patterns].filter((pattern) => wordsOf(pattern) === null)).to.deep.equal([]);
  });
});
