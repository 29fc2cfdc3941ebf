import { expect } from 'chai';
import { refusesBadInput } from '../../support/bad-input.ts';
import { expectError, ORDER, type Details } from '../../support/http.ts';

type Row = readonly [name: string, field: string, value: unknown, constraint: string, named?: string];

const LONE = '\ud800';
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

/**
 * One field of POST /v1/payment at fault; `named` is what `details.field` says where it is not the field's
 * own name.
 */
const FIELD_FAULTS: readonly Row[] = [
  ['a number', 'pay_amount', 10.5, 'type'],
  ['an integer', 'pay_amount', 10, 'type'],
  ['null', 'pay_amount', null, 'type'],
  ['a list', 'pay_amount', ['1'], 'type'],
  ['empty', 'pay_amount', '', 'pattern'],
  ['zero', 'pay_amount', '0', 'pattern'],
  ['zero with decimals', 'pay_amount', '0.0', 'pattern'],
  ['zero with 18 decimals', 'pay_amount', '0.000000000000000000', 'pattern'],
  ['negative', 'pay_amount', '-1', 'pattern'],
  ['with a plus', 'pay_amount', '+1', 'pattern'],
  ['with an exponent', 'pay_amount', '1e5', 'pattern'],
  ['with an exponent beyond any float', 'pay_amount', '1e400', 'pattern'],
  ['in Arabic digits', 'pay_amount', '٣', 'pattern'],
  ['in full-width digits', 'pay_amount', '１', 'pattern'],
  ['with a space before', 'pay_amount', ' 1', 'pattern'],
  ['with a space after', 'pay_amount', '1 ', 'pattern'],
  ['with a line feed after', 'pay_amount', '1\n', 'pattern'],
  ['with a leading zero', 'pay_amount', '01', 'pattern'],
  ['without digits before the point', 'pay_amount', '.5', 'pattern'],
  ['without digits after the point', 'pay_amount', '5.', 'pattern'],
  ['with a decimal comma', 'pay_amount', '1,5', 'pattern'],
  ['with two points', 'pay_amount', '1.2.3', 'pattern'],
  ['hexadecimal', 'pay_amount', '0x10', 'pattern'],
  ['NaN', 'pay_amount', 'NaN', 'pattern'],
  ['Infinity', 'pay_amount', 'Infinity', 'pattern'],
  ['with 19 decimals', 'pay_amount', '1.0000000000000000001', 'pattern'],
  ['with 19 digits before the point', 'pay_amount', '1000000000000000000', 'pattern'],
  ['of 100,000 digits less than the body may hold', 'pay_amount', '9'.repeat(100_000), 'pattern'],

  ['a number', 'order_id', 1, 'type'],
  ['null', 'order_id', null, 'type'],
  ['empty', 'order_id', '', 'minLength'],
  ['of 256 characters', 'order_id', 'x'.repeat(256), 'maxLength'],
  ['of 256 characters of two UTF-16 units each', 'order_id', '😀'.repeat(256), 'maxLength'],
  ['with NUL', 'order_id', 'a\0b', 'pattern'],
  ['with a lone surrogate', 'order_id', `a${LONE}b`, 'pattern'],
  ['with a lone trailing surrogate', 'order_id', 'a\udc00', 'pattern'],

  ['a number', 'order_description', 1, 'type'],
  ['null', 'order_description', null, 'type'],
  ['of 1001 characters', 'order_description', 'x'.repeat(1001), 'maxLength'],
  ['with NUL', 'order_description', '\0', 'pattern'],
  ['with a lone surrogate', 'order_description', LONE, 'pattern'],

  ['4', 'expiration_minutes', 4, 'minimum'],
  ['0', 'expiration_minutes', 0, 'minimum'],
  ['-60', 'expiration_minutes', -60, 'minimum'],
  ['1441', 'expiration_minutes', 1441, 'maximum'],
  ['1e300', 'expiration_minutes', 1e300, 'maximum'],
  ['5.5', 'expiration_minutes', 5.5, 'type'],
  ['"60"', 'expiration_minutes', '60', 'type'],
  ['true', 'expiration_minutes', true, 'type'],
  ['null', 'expiration_minutes', null, 'type'],

  ['a number', 'customer_email', 1, 'type'],
  ['null', 'customer_email', null, 'type'],
  ['empty', 'customer_email', '', 'format'],
  ['without @', 'customer_email', 'ann', 'format'],
  ['with two @', 'customer_email', 'a@b@example.com', 'format'],
  ['with a line feed, which would begin another header', 'customer_email', 'a@example.com\nBcc: b', 'format'],
  ['with NUL', 'customer_email', 'a\0@example.com', 'pattern'],
  ['with a lone surrogate', 'customer_email', `${LONE}@example.com`, 'pattern'],
  ['of 255 characters', 'customer_email', `${'a'.repeat(243)}@example.com`, 'maxLength'],

  ['a string', 'metadata', 'x', 'type'],
  ['a list', 'metadata', ['x'], 'type'],
  ['null', 'metadata', null, 'type'],
  ['with 51 keys', 'metadata', keys(51), 'maxProperties'],
  [
    'with a key of 41 characters',
    'metadata',
    { ['k'.repeat(41)]: '' },
    'maxLength',
    `metadata.${'k'.repeat(41)}`,
  ],
  ['with an empty key', 'metadata', { '': 'x' }, 'minLength', 'metadata.'],
  ['with NUL in a key', 'metadata', { 'a\0': 'x' }, 'pattern', 'metadata.a\0'],
  ['with a lone surrogate in a key', 'metadata', { [LONE]: 'x' }, 'pattern', `metadata.${LONE}`],
  ['with the reserved key', 'metadata', { orderId: 'x' }, 'not', 'metadata.orderId'],
  ['with a number for a value', 'metadata', { sku: 1 }, 'type', 'metadata.sku'],
  ['with a number under a key of digits', 'metadata', { 7: 1 }, 'type', 'metadata.7'],
  ['with a key that JSON Pointer escapes', 'metadata', { 'a/b~c': 1 }, 'type', 'metadata.a/b~c'],
  ['with null for a value', 'metadata', { sku: null }, 'type', 'metadata.sku'],
  ['with an object for a value', 'metadata', { sku: {} }, 'type', 'metadata.sku'],
  ['with a value of 501 characters', 'metadata', { sku: 'x'.repeat(501) }, 'maxLength', 'metadata.sku'],
  ['with NUL in a value', 'metadata', { sku: '\0' }, 'pattern', 'metadata.sku'],
  ['with a lone surrogate in a value', 'metadata', { sku: LONE }, 'pattern', 'metadata.sku'],

  ['given: it is a misspelling', 'calback_url', 'https://shop.example/', 'additionalProperties'],
  ["given: the service's own", 'status', 'SETTLED', 'additionalProperties'],
  ["given: the service's own", 'merchant_id', 'mer_1', 'additionalProperties'],
  ['given: what objects are born with', 'constructor', {}, 'additionalProperties'],
];

describe('bad input in a field', () => {
  const input = refusesBadInput();

  describe('a field of POST /v1/payment: 400 names it and the rule', () => {
    for (const [name, field, value, constraint, named = field] of FIELD_FAULTS)
      it(`${field}: ${name}`, async () => {
        const answer = await input.send('POST', '/v1/payment', JSON.stringify({ ...ORDER, [field]: value }));
        // A lone surrogate goes over the wire as an escape and is one again when it is parsed.
        expectError(input.harness, answer, 400, { field: named, constraint });
      });
  });

  describe('the body of PUT /v1/webhooks/config: 400', () => {
    const FAULTS: readonly (readonly [name: string, body: unknown, details: Details])[] = [
      ['no webhookUrl', { enabled: true }, { field: 'webhookUrl', constraint: 'required' }],
      ['no enabled', { webhookUrl: 'https://shop.example/' }, { field: 'enabled', constraint: 'required' }],
      ['webhookUrl a number', { webhookUrl: 1, enabled: true }, { field: 'webhookUrl', constraint: 'type' }],
      ['webhookUrl empty', { webhookUrl: '', enabled: true }, { field: 'webhookUrl', constraint: 'format' }],
      [
        'webhookUrl javascript:',
        { webhookUrl: 'javascript:1', enabled: true },
        { field: 'webhookUrl', constraint: 'format' },
      ],
      [
        'webhookUrl http:',
        { webhookUrl: 'http://shop.example/', enabled: true },
        { field: 'webhookUrl', constraint: 'format' },
      ],
      [
        'webhookUrl with credentials',
        { webhookUrl: 'https://a:b@shop.example/', enabled: true },
        { field: 'webhookUrl', constraint: 'format' },
      ],
      [
        'webhookUrl of 2049 characters',
        { webhookUrl: `https://shop.example/${'a'.repeat(2028)}`, enabled: true },
        { field: 'webhookUrl', constraint: 'maxLength' },
      ],
      [
        'webhookUrl null while enabled',
        { webhookUrl: null, enabled: true },
        { field: 'webhookUrl', constraint: 'type' },
      ],
      [
        'enabled "true"',
        { webhookUrl: 'https://shop.example/', enabled: 'true' },
        { field: 'enabled', constraint: 'type' },
      ],
      [
        'enabled null',
        { webhookUrl: 'https://shop.example/', enabled: null },
        { field: 'enabled', constraint: 'type' },
      ],
      [
        'an unknown field',
        { webhookUrl: 'https://shop.example/', enabled: true, url: '' },
        { field: 'url', constraint: 'additionalProperties' },
      ],
      ['a list', [], { field: 'body', constraint: 'type' }],
    ];
    for (const [name, body, details] of FAULTS)
      it(name, async () => {
        expectError(
          input.harness,
          await input.harness.api('put', '/v1/webhooks/config').send(body as object),
          400,
          details,
        );
        const { body: config } = await input.harness.api('get', '/v1/webhooks/config').expect(200);
        expect(config).to.include({ webhookUrl: null, enabled: false });
      });
    it('no body', async () => {
      expectError(input.harness, await input.harness.api('put', '/v1/webhooks/config'), 400, {
        field: 'body',
        constraint: 'required',
      });
    });
  });

  describe('the bodies of refunds and sandbox transfers: 400', () => {
    const missing = `pay_${'0'.repeat(26)}`;
    const REFUND = `/v1/payment/${missing}/refund`;
    const TRANSFER = `/v1/sandbox/payments/${missing}/transfers`;
    const FAULTS: readonly (readonly [path: string, body: unknown, details: Details])[] = [
      [REFUND, { amount: 1 }, { field: 'amount', constraint: 'type' }],
      [REFUND, { amount: '0' }, { field: 'amount', constraint: 'pattern' }],
      [REFUND, { amount: '-1' }, { field: 'amount', constraint: 'pattern' }],
      [REFUND, { amount: null }, { field: 'amount', constraint: 'type' }],
      [REFUND, { reason: 1 }, { field: 'reason', constraint: 'type' }],
      [REFUND, { reason: 'x'.repeat(1001) }, { field: 'reason', constraint: 'maxLength' }],
      [REFUND, { reason: '\0' }, { field: 'reason', constraint: 'pattern' }],
      [REFUND, { reasons: '' }, { field: 'reasons', constraint: 'additionalProperties' }],
      [REFUND, [], { field: 'body', constraint: 'type' }],
      [REFUND, null, { field: 'body', constraint: 'type' }],
      [TRANSFER, { amount: '1e5' }, { field: 'amount', constraint: 'pattern' }],
      [TRANSFER, { amount: 1 }, { field: 'amount', constraint: 'type' }],
      [TRANSFER, { coin: 'XXX' }, { field: 'coin', constraint: 'enum' }],
      [TRANSFER, { coin: 'constructor' }, { field: 'coin', constraint: 'enum' }],
      [TRANSFER, { coin: 1 }, { field: 'coin', constraint: 'enum' }],
      [TRANSFER, { network: 'dogecoin' }, { field: 'network', constraint: 'enum' }],
      [TRANSFER, { address: 'x' }, { field: 'address', constraint: 'additionalProperties' }],
      [TRANSFER, null, { field: 'body', constraint: 'type' }],
    ];
    for (const [path, body, details] of FAULTS)
      it(`${path.slice(4, 11)} ${JSON.stringify(body).slice(0, 40)}`, async () => {
        expectError(input.harness, await input.send('POST', path, JSON.stringify(body)), 400, details);
      });
  });
});
