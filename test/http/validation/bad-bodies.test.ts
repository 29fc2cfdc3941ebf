import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { refusesBadInput } from '../../support/bad-input.ts';
import { expectError, ORDER, type Details } from '../../support/http.ts';

/** The whole body at fault, sent as these very bytes. */
const BODY_FAULTS: readonly (readonly [name: string, body: string | Buffer, details: Details])[] = [
  ['no body', '', { field: 'body', constraint: 'required' }],
  ['an empty object', '{}', { field: 'pay_amount', constraint: 'required' }],
  ['no order_id', '{"pay_amount":"1"}', { field: 'order_id', constraint: 'required' }],
  ['broken JSON', '{"pay_amount":', { field: 'body', constraint: 'json' }],
  ['two values', '{} {}', { field: 'body', constraint: 'json' }],
  ['a comma too many', '{"pay_amount":"1",}', { field: 'body', constraint: 'json' }],
  ['no JSON', 'pay_amount=1', { field: 'body', constraint: 'json' }],
  ['white space', '  \n', { field: 'body', constraint: 'json' }],
  ['NaN', '{"pay_amount":NaN}', { field: 'body', constraint: 'json' }],
  [
    'bytes that are no UTF-8',
    Buffer.from('{"order_id":"\xff"}', 'latin1'),
    { field: 'body', constraint: 'json' },
  ],
  ['null', 'null', { field: 'body', constraint: 'type' }],
  ['a number', '5', { field: 'body', constraint: 'type' }],
  ['a string', '"x"', { field: 'body', constraint: 'type' }],
  ['true', 'true', { field: 'body', constraint: 'type' }],
  ['a list', '[]', { field: 'body', constraint: 'type' }],
  ['a list of payments', `[${JSON.stringify(ORDER)}]`, { field: 'body', constraint: 'type' }],
  ['10,000 lists deep', '['.repeat(10_000) + ']'.repeat(10_000), { field: 'body', constraint: 'type' }],
  ['10,000 lists deep without an end', '['.repeat(10_000), { field: 'body', constraint: 'json' }],
  [
    '10,000 objects deep',
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    { field: 'pay_amount', constraint: 'required' },
  ],
  [
    '10,000 objects deep in metadata',
    `{"pay_amount":"1","order_id":"1","metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_001)}`,
    { field: 'metadata.a', constraint: 'type' },
  ],
  [
    '__proto__ at the top',
    '{"pay_amount":"1","order_id":"1","__proto__":{"customer_email":"a@example.com"}}',
    { field: '__proto__', constraint: 'additionalProperties' },
  ],
  [
    '__proto__ with the required fields inside',
    '{"__proto__":{"pay_amount":"1","order_id":"1"}}',
    { field: 'pay_amount', constraint: 'required' },
  ],
  [
    '__proto__ in metadata',
    '{"pay_amount":"1","order_id":"1","metadata":{"__proto__":"x"}}',
    { field: 'metadata.__proto__', constraint: 'not' },
  ],
];

describe('bad input in a body', () => {
  const input = refusesBadInput();
  const post = (body: string | Buffer, headers?: Record<string, string | undefined>) =>
    input.send('POST', '/v1/payment', body, headers);

  describe('the body of POST /v1/payment: 400', () => {
    for (const [name, body, details] of BODY_FAULTS)
      it(name, async () => {
        expectError(input.harness, await post(body), 400, details);
        const length = { 'Content-Length': String(Buffer.byteLength(body)) };
        expectError(input.harness, await post(body, length), 400, details);
      });

    it('reports nothing of Object.prototype, and does not change it', async () => {
      await post('{"__proto__":{"polluted":"yes"},"metadata":{"__proto__":"yes"}}');
      expect({}).to.not.have.property('polluted');
    });

    it('none at all, not even a length or a type', async () => {
      const answer = await post('', { 'Content-Type': undefined, 'Content-Length': '0' });
      expectError(input.harness, answer, 400, { field: 'body', constraint: 'required' });
    });
  });

  describe('compressed bodies', () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    it('are read: a fault inside is named', async () => {
      const body = gzipSync(JSON.stringify({ ...ORDER, pay_amount: '0' }));
      expectError(input.harness, await post(body, gzip), 400, { field: 'pay_amount', constraint: 'pattern' });
    });
    it('that are not what they say: 400', async () => {
      const answer = await post(JSON.stringify(ORDER), gzip);
      expectError(input.harness, answer, 400, { field: 'body', constraint: 'json' });
    });
    it('that are cut off: 400', async () => {
      const body = gzipSync(JSON.stringify(ORDER));
      const answer = await post(body.subarray(0, body.length - 12), gzip);
      expectError(input.harness, answer, 400, { field: 'body', constraint: 'json' });
    });
    it('that grow beyond 100 kB: 413', async () => {
      const body = gzipSync(Buffer.alloc(50_000_000, ' '));
      expectError(input.harness, await post(body, gzip), 413);
    });
    for (const encoding of ['lzma', 'zstd', 'gzip, gzip'])
      it(`in an encoding that is not read, ${encoding}: 415, which blames that`, async () => {
        const answer = await post('x', { 'Content-Encoding': encoding });
        expectError(input.harness, answer, 415);
        expect(answer.body.message).to.match(/^This Content-Encoding is not read/);
      });
    it('that are compressed twice, or do not say that they are: 400 that says so', async () => {
      const body = gzipSync(JSON.stringify(ORDER));
      const zstd = Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd), body]);
      for (const answer of [await post(gzipSync(body), gzip), await post(body), await post(zstd)]) {
        expectError(input.harness, answer, 400, { field: 'body', constraint: 'json' });
        expect(answer.body.message).to.include('is still compressed');
      }
    });
  });

  describe('a body above 100 kB: 413', () => {
    const body = JSON.stringify({ ...ORDER, order_description: 'x'.repeat(200_000) });
    it('whose length is known', async () => {
      expectError(input.harness, await post(body, { 'Content-Length': String(body.length) }), 413);
    });
    it('in chunks, without a length', async () => {
      expectError(input.harness, await post(body, { 'Transfer-Encoding': 'chunked' }), 413);
    });
    it('of one byte too many, and not of one less', async () => {
      const exactly = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });
      expect(exactly(102_400)).to.have.length(102_400);
      expectError(input.harness, await post(exactly(102_401)), 413);
      expectError(input.harness, await post(exactly(102_400)), 400, {
        field: 'pay_amount',
        constraint: 'required',
      });
    });
  });

  describe('another content type: 415', () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json-patch+json',
      'application/jsonp',
      'text/json',
      'json',
      '*/*',
      'application/json, text/plain',
      'application/json; charset=latin1',
      'application/json; charset="ISO-8859-1"',
      'application/json;charset=utf-16',
      'application/json; charset=nonsense',
    ])
      it(type, async () => {
        expectError(input.harness, await post(JSON.stringify(ORDER), { 'Content-Type': type }), 415);
      });
    it('none', async () => {
      expectError(input.harness, await post(JSON.stringify(ORDER), { 'Content-Type': undefined }), 415);
    });

    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON; Charset="UTF-8"',
      'application/json;charset=utf8',
      'application/json; version=1',
    ])
      it(`but not for ${type}`, async () => {
        const answer = await post('{}', { 'Content-Type': type });
        expectError(input.harness, answer, 400, { field: 'pay_amount', constraint: 'required' });
      });
  });
});
