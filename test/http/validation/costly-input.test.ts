import { expect } from 'chai';
import supertest from 'supertest';
import { acceptedEncoding } from '../../../src/platform/pages/compress.ts';
import { paymentIn } from '../../support/checkout.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** JSON of less than 100 kB, as deep as that allows. */
const DEPTH = 40_000;
const DEEP = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;

describe('input that is worth more work than it has bytes', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  for (const [method, path, body] of [
    ['post', '/v1/payment', DEEP],
    ['post', '/v1/payment', `{"metadata":{"a":${DEEP}}}`],
    ['post', '/v1/payment', `{"unknown":${DEEP}}`],
    ['post', '/v1/payment', `{"pay_amount":"1","order_id":"1","customer_email":${DEEP}}`],
    ['put', '/v1/webhooks/config', `{"webhookUrl":${DEEP},"enabled":true}`],
    ['put', '/v1/checkout/appearance', `{"name":"Shop","methods":${DEEP}}`],
    [
      'post',
      '/v1/sandbox/scenarios',
      `{"payment":{"pay_amount":"1","order_id":"1"},"script":[{"do":${DEEP}}]}`,
    ],
    [
      'post',
      '/v1/sandbox/scenarios',
      `{"payment":{"pay_amount":"1","order_id":"1"},"script":[{"do":"transfer","at":${DEEP}}]}`,
    ],
    ['post', '/v1/webhooks/redeliver', `{"from":${DEEP}}`],
  ] as const)
    it(`is refused as any other: ${method.toUpperCase()} ${path} ${body.slice(0, 90).replace(/\[+$/, '')}...`, async () => {
      const answer = await harness.api(method, path).type('json').send(body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
    });

  it('is ignored where the API ignores a field', async () => {
    const body = `{"name":"Shop","accent_used":${DEEP}}`;
    await harness.api('put', '/v1/checkout/appearance').type('json').send(body).expect(200);
  });

  it('may stand in the headers of a page', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    for (const blanks of [' '.repeat(14_000), '; '.repeat(7_000), ', '.repeat(7_000)])
      for (const header of ['Accept-Encoding', 'Accept-Language', 'User-Agent', 'If-None-Match'])
        await supertest(harness.app).get(`/checkout/${token_id}`).set(header, `a${blanks}b`).expect(200);
  });

  it('leaves it to the browser how a page is compressed', () => {
    expect(acceptedEncoding('gzip, deflate, br, zstd')).to.equal('br');
    expect(acceptedEncoding('GZIP ; Q=0.5 , br;q=0')).to.equal('gzip');
    expect(acceptedEncoding('br ;q=1.0')).to.equal('br');
    for (const none of [undefined, '', 'identity', 'gzip;q=0', `gzip${' '.repeat(14_000)}b`])
      expect(acceptedEncoding(none)).to.equal(null);
  });
});
