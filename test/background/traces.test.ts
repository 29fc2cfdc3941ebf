import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startTraces } from '../../src/platform/traces/traces.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { createPayment, pay } from '../support/http.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
}
interface OtlpRequest {
  readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly OtlpSpan[] }[] }[];
}

const MERCHANTS_TRACE = '0af7651916cd43dd8448eb211c80319c';
const MERCHANTS_SPAN = 'b7ad6b7169203331';

describe('traces', () => {
  let harness: Harness;
  let receiver: Receiver;
  let collector: Server;
  let endpoint: string;
  /** Requests that the receiver got before this test. */
  let seen = 0;
  const sent: { headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  before(async () => {
    collector = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        sent.push({ headers: request.headers, body });
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    receiver = await startReceiver();
    harness = await createHarness();
    await harness
      .api('put', '/v1/webhooks/config')
      .send({ webhookUrl: `${receiver.url}/hook?token=in-the-url`, enabled: true })
      .expect(200);
  });
  after(async () => {
    await harness.close();
    await receiver.close();
    collector.close();
    collector.closeAllConnections();
  });
  beforeEach(() => {
    sent.length = 0;
    seen = receiver.requests.length;
  });

  const received = () => receiver.requests.slice(seen);

  /** Runs work with traces on, and returns the spans that the collector got. */
  async function traced(work: () => Promise<unknown>): Promise<OtlpSpan[]> {
    const config = {
      otlpEndpoint: endpoint,
      otlpHeaders: { 'x-api-token': 'a' },
      serviceName: 's',
      traceRatio: 1,
    };
    const end = await startTraces(config, 'test', (problem) => expect.fail(problem));
    try {
      await work();
    } finally {
      await end();
    }
    const requests = sent.map(({ body }) => JSON.parse(body) as OtlpRequest);
    return requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  it('run from the POST through the job to the receiver, also for what workers record later', async () => {
    const spans = await traced(async () => {
      const { body } = await harness
        .api('post', '/v1/payment')
        .set('traceparent', `00-${MERCHANTS_TRACE}-${MERCHANTS_SPAN}-01`)
        .send({ pay_amount: '10', order_id: 'o', customer_email: 'anna@customer.example' })
        .expect(201);
      await pay(harness, (body as { id: string }).id);
      await harness.work();
    });
    const own = spans.filter(({ traceId }) => traceId === MERCHANTS_TRACE);
    const post = own.find(({ name }) => name === 'POST /v1/payment');
    expect(post?.parentSpanId).to.equal(MERCHANTS_SPAN);
    const jobs = own.filter(({ name }) => name === 'job event.dispatch');
    const deliveries = own.filter(({ name }) => name === 'POST webhook');
    expect(jobs.length).to.be.above(1);
    expect(deliveries).to.have.length(jobs.length);
    for (const span of [...jobs.slice(0, 1), ...deliveries.slice(0, 1)])
      expect(span.parentSpanId).to.equal(post?.spanId);
    // Each request at the receiver names the span that sent it.
    const traceparents = received().map(({ headers }) => String(headers.traceparent));
    expect(traceparents).to.have.members(
      deliveries.map(({ spanId }) => `00-${MERCHANTS_TRACE}-${spanId}-01`),
    );
    expect(sent[0]?.headers['x-api-token']).to.equal('a');
    const text = sent.map(({ body }) => body).join('');
    expect(text).to.include(harness.merchant.id).and.include('payment_id');
    expect(text).to.not.match(/in-the-url|anna@|whsec_/);
    expect(text).to.not.include(harness.merchant.apiKey);
  });

  it('off: nothing is stored, no header is sent, nothing reaches a collector', async () => {
    const { body } = await harness
      .api('post', '/v1/payment')
      .set('traceparent', `00-${MERCHANTS_TRACE}-${MERCHANTS_SPAN}-01`)
      .send({ pay_amount: '10', order_id: 'o' })
      .expect(201);
    await harness.work();
    expect(received()).to.have.length(1);
    expect(received()[0]?.headers).to.not.have.property('traceparent');
    const { rows } = await harness.ctx.db.raw<{ rows: { traceparent: string | null }[] }>(
      'SELECT traceparent FROM events WHERE payment_id = ?',
      [(body as { id: string }).id],
    );
    expect(rows).to.deep.equal([{ traceparent: null }]);
    expect(sent).to.have.length(0);
  });

  it('a trace that its caller does not sample, and a malformed traceparent, are taken as such', async () => {
    const spans = await traced(async () => {
      for (const traceparent of [
        `00-${MERCHANTS_TRACE}-${MERCHANTS_SPAN}-00`,
        '00-zzz-1',
        `00-${'0'.repeat(32)}-${MERCHANTS_SPAN}-01`,
      ])
        await harness.api('get', '/v1/status').set('traceparent', traceparent).expect(200);
    });
    expect(spans).to.have.length(2);
    for (const { traceId, parentSpanId = '' } of spans) {
      expect(traceId)
        .to.match(/^(?!0{32})[\da-f]{32}$/)
        .and.not.equal(MERCHANTS_TRACE);
      expect(parentSpanId).to.equal('');
    }
  });

  it('a collector that is away fails and delays no request', async () => {
    const problems: string[] = [];
    const config = { otlpEndpoint: 'http://127.0.0.1:1', otlpHeaders: {}, serviceName: 's', traceRatio: 1 };
    const end = await startTraces(config, 'test', (problem) => problems.push(problem));
    try {
      for (let i = 0; i < 20; i += 1) await createPayment(harness);
      await harness.work();
    } finally {
      await end();
    }
    expect(received()).to.have.length(20);
  });
});
