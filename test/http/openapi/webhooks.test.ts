import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../../src/domain/payments/lifecycle/states.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { startReceiver } from '../../support/receivers.ts';

interface Webhook {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: { name: string; required: boolean; schema: { pattern?: string } }[];
  readonly requestBody: { content: { 'application/json': { schema: object } } };
  readonly responses: Record<string, { description: string }>;
}
interface Document {
  readonly webhooks: Record<string, { post: Webhook }>;
}
interface Event {
  readonly type: string;
  readonly data: Record<string, unknown> & { checkout: Record<string, unknown> };
}

describe('the webhooks of the OpenAPI document', () => {
  let harness: Harness;
  let document: Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  before(async () => {
    harness = await createHarness();
    document = (await harness.api('get', '/v1/openapi.json', null)).body as Document;
    ajv.addSchema(document, 'openapi.json');
  });
  after(() => harness.close());

  const webhookOf = (type: string): Webhook => document.webhooks[type]?.post ?? expect.fail(type);
  const fits = (type: string, event: unknown): boolean => {
    const $ref = `openapi.json#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
    return ajv.validate({ $ref }, event);
  };

  it('are all seven types of events, each described for itself', () => {
    expect(Object.keys(document.webhooks))
      .to.deep.equal([...EVENT_TYPES])
      .and.have.length(7);
    for (const type of EVENT_TYPES) {
      const { summary, responses } = webhookOf(type);
      expect(summary).to.match(/\.$/);
      expect(responses).to.have.all.keys('2XX', '410', 'default');
    }
    expect(new Set(EVENT_TYPES.map((type) => webhookOf(type).summary))).to.have.property('size', 7);
    expect(new Set(EVENT_TYPES.map((type) => webhookOf(type).operationId))).to.have.property('size', 7);
  });

  it('describe what is sent: body and headers of each type, and no event fits another type', async () => {
    const receiver = await startReceiver();
    try {
      for (const type of EVENT_TYPES)
        await harness.api('post', '/v1/webhooks/test').send({ type, url: receiver.url }).expect(200);
      expect(receiver.requests).to.have.length(EVENT_TYPES.length);
      for (const { headers, rawBody } of receiver.requests) {
        const event = JSON.parse(rawBody.toString()) as Event;
        expect(EVENT_TYPES.filter((type) => fits(type, event))).to.deep.equal([event.type]);
        for (const { name, required, schema } of webhookOf(event.type).parameters) {
          const value = headers[name.toLowerCase()];
          if (required) expect(value, name).to.be.a('string');
          if (schema.pattern !== undefined) expect(value).to.match(new RegExp(schema.pattern));
        }
      }
    } finally {
      await receiver.close();
    }
  });

  it('require what a type reports: a refund, a transfer, the time of settlement', async () => {
    const receiver = await startReceiver();
    try {
      const sent = async (type: string): Promise<Event> =>
        (await harness.api('post', '/v1/webhooks/test').send({ type, url: receiver.url })).body
          .event as Event;
      for (const [type, part] of [
        ['checkout.refunded', 'refund'],
        ['checkout.funds_received', 'transfer'],
      ] as const) {
        const event = await sent(type);
        expect(fits(type, event)).to.equal(true);
        const { [part]: _, ...data } = event.data;
        expect(fits(type, { ...event, data })).to.equal(false);
      }
      const settled = await sent('checkout.settled');
      const checkout = { ...settled.data.checkout, settledAt: null };
      expect(fits('checkout.settled', { ...settled, data: { ...settled.data, checkout } })).to.equal(false);
    } finally {
      await receiver.close();
    }
  });
});
