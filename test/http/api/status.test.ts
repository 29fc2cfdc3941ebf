import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { PERMISSIONS } from '../../../src/domain/api/endpoint.ts';
import { newApiKey } from '../../../src/platform/values/cells.ts';
import { createPayment, expectLimitHeaders, type Answer } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('specification: Status report', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const FIELDS: readonly [field: string, meaning: string, check: (answer: Answer) => unknown][] = [
    ['status', 'one of ok, degraded, maintenance', ({ body }) => expect(body.status).to.equal('ok')],
    [
      'version',
      'the current API version',
      async ({ body }) => {
        const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
        expect(body.version).to.equal((JSON.parse(text) as { version: string }).version);
      },
    ],
    [
      'timestamp',
      'the server time',
      ({ body }) => expect(body.timestamp).to.equal('2026-01-31T12:00:00.000Z'),
    ],
    ['authenticated', 'whether the key is valid', ({ body }) => expect(body.authenticated).to.equal(true)],
    [
      'merchant_id',
      "the merchant's identifier",
      ({ body }) => expect(body.merchant_id).to.equal(harness.merchant.id),
    ],
    ['mode', "whether the merchant's payments are tests", ({ body }) => expect(body.mode).to.equal('test')],
    [
      'permissions',
      'what the key may do',
      ({ body }) => expect(body.permissions).to.deep.equal([...PERMISSIONS]),
    ],
  ];
  let answer: Answer;
  before(async () => {
    answer = await harness.api('get', '/v1/status').expect(200);
  });
  for (const [field, meaning, check] of FIELDS) it(`has ${field}: ${meaning}`, () => check(answer));
  it('has these fields and no others, in this order', () => {
    expect(Object.keys(answer.body)).to.deep.equal(FIELDS.map(([field]) => field));
    expectLimitHeaders(answer);
  });

  it('without a valid key: 200, authenticated false, and no merchant_id', async () => {
    for (const apiKey of [null, '', 'x', newApiKey('test'), `${harness.merchant.apiKey}x`]) {
      const { body } = await harness.api('get', '/v1/status', apiKey).expect(200);
      expect(body).to.deep.equal({
        status: 'ok',
        version: answer.body.version,
        timestamp: '2026-01-31T12:00:00.000Z',
        authenticated: false,
      });
    }
  });

  it('degraded while work waits for more than a minute, and ok again once it is done', async () => {
    const statusNow = async (): Promise<unknown> =>
      (await harness.api('get', '/v1/status').expect(200)).body.status;
    await harness.work();
    await createPayment(harness);
    harness.advance(60);
    expect(await statusNow()).to.equal('ok');
    harness.advance(1);
    expect(await statusNow()).to.equal('degraded');
    await harness.work();
    expect(await statusNow()).to.equal('ok');
  });

  // maintenance: unavailable.test.ts.

  it('answers HEAD like GET, without the body', async () => {
    const head = await harness.api('head', '/v1/status').expect(200);
    expect(head.text ?? '').to.equal('');
    expectLimitHeaders(head);
  });
});
