import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { addDocumentFormats } from '../../support/documented.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const URL = 'https://shop.example/hooks';
const PRICE = { price_amount: '1', price_currency: 'EUR' };
const SCRIPT = { payment: { pay_amount: '1' }, script: [] };

/** Bodies whose fields are valid each, and must fit each other. */
const BODIES: Readonly<
  Record<string, { method: 'put' | 'post'; fitting: readonly object[]; others: readonly object[] }>
> = {
  '/v1/payment': {
    method: 'post',
    fitting: [
      { order_id: '1', pay_amount: '1' },
      { order_id: '1', ...PRICE },
    ],
    others: [
      { order_id: '1' },
      { order_id: '1', pay_amount: '1', ...PRICE },
      { order_id: '1', price_amount: '1' },
      { order_id: '1', price_currency: 'EUR' },
      { order_id: '1', pay_amount: '1', price_currency: 'EUR' },
    ],
  },
  '/v1/webhooks/config': {
    method: 'put',
    fitting: [
      { webhookUrl: URL, enabled: true },
      { webhookUrl: null, enabled: false },
    ],
    others: [{ webhookUrl: null, enabled: true }],
  },
  '/v1/sandbox/scenarios': {
    method: 'post',
    fitting: [{ story: 'paid' }, SCRIPT, { payment: PRICE, script: [] }],
    others: [
      {},
      { story: 'paid', ...SCRIPT },
      { story: 'paid', script: [] },
      { payment: { pay_amount: '1' } },
      { payment: { pay_amount: '1', ...PRICE }, script: [] },
      { script: [] },
      { ...SCRIPT, script: [{ at: '1m', do: 'transfer', coin: 'BTC', network: 'tron' }] },
    ],
  },
  '/v1/checkout/appearance': {
    method: 'put',
    fitting: [
      { methods: [{ coin: 'USDT', network: 'tron' }] },
      { support_url: 'mailto:help@shop.example' },
      { support_url: 'https://shop.example/help' },
    ],
    others: [
      { methods: [{ coin: 'BTC', network: 'tron' }] },
      { support_url: 'javascript:alert(1)' },
      { support_url: 'mailto:help@shop.example?cc=others@shop.example' },
    ],
  },
};

describe('a request of which the service refuses what does not fit together', () => {
  let harness: Harness;
  const ajv = new Ajv2020({ strict: false });
  before(async () => {
    harness = await createHarness();
    addDocumentFormats(ajv);
    ajv.addSchema(openApiDocument(ENDPOINTS, 'https://pay.example'), 'openapi.json');
  });
  after(() => harness.close());

  for (const [path, { method, fitting, others }] of Object.entries(BODIES)) {
    const schema = `openapi.json#/paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`;
    for (const body of fitting)
      it(`is allowed by the document, and by the service: ${path} ${JSON.stringify(body)}`, async () => {
        expect(ajv.validate({ $ref: schema }, body), ajv.errorsText()).to.equal(true);
        expect((await harness.api(method, path).send(body)).status).to.be.within(200, 201);
      });
    for (const body of others)
      it(`is refused by the document as well: ${path} ${JSON.stringify(body)}`, async () => {
        expect(ajv.validate({ $ref: schema }, body)).to.equal(false);
        await harness.api(method, path).send(body).expect(400);
      });
  }
});
