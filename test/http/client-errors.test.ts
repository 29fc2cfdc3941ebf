import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Harness } from '../support/harness.ts';
import {
  createPayment,
  expectError,
  ORDER,
  type Answer,
  type Details,
  type Listening,
} from '../support/http.ts';
import { servedHarness } from '../support/served-harness.ts';
import { until } from '../support/until.ts';

const HOST = 'Host: pay.example\r\n';
const CHUNKED = `${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
const BODY = JSON.stringify(ORDER);

describe('what Node refuses of a request', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened), { RATE_LIMIT_SCALE: '1' });

  const key = () => `X-API-Key: ${harness.merchant.apiKey}\r\n`;
  const open = async (): Promise<{ socket: Socket; text: () => string }> => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(socket, 'connect');
    return { socket, text: () => text };
  };
  /** Sends bytes and reads until the server ends the connection: the responses to all of them. */
  const exchange = async (bytes: string | Buffer): Promise<Answer[]> => {
    const { socket, text } = await open();
    socket.write(bytes);
    await once(socket, 'end');
    socket.destroy();
    return answersOf(text());
  };

  const MALFORMED: readonly (readonly [
    name: string,
    bytes: (key: string) => string | Buffer,
    status: number,
    message: RegExp,
    details?: Details,
  ])[] = [
    [
      'a raw umlaut in the query',
      (key) => Buffer.from(`GET /v1/payments?order_id=\xe4 HTTP/1.1\r\n${HOST}${key}\r\n`, 'latin1'),
      400,
      /^query must be percent-encoded UTF-8\.$/,
      { field: 'query', constraint: 'format' },
    ],
    ['a raw blank in the query', (key) => `GET /v1/payments?a=b c HTTP/1.1\r\n${HOST}${key}\r\n`, 400, /%20/],
    [
      'a header of 20 kB',
      () => `GET /v1/payments HTTP/1.1\r\n${HOST}A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      /16 kB/,
    ],
    [
      'a URL of 20 kB',
      () => `GET /v1/payments?a=${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
      431,
      /16 kB/,
    ],
    ['no Host', (key) => `GET /v1/payments HTTP/1.1\r\nConnection: close\r\n${key}\r\n`, 400, /Host/],
    [
      'two ways to say the length of a body',
      (key) => `POST /v1/payment HTTP/1.1\r\n${CHUNKED}${key}Content-Length: 3\r\n\r\n0\r\n\r\n`,
      400,
      /Content-Length/,
    ],
    ['a header that is none', () => `GET /v1/payments HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`, 400, /header/],
    ['an end within the headers', () => `GET /v1/payments HTTP/1.1\r\n${HOST}A: b`, 400, /HTTP/],
    [
      'a chunk that is none',
      (key) => `POST /v1/payment HTTP/1.1\r\n${CHUNKED}${key}\r\n5\r\n{"pay\r\nzz\r\n`,
      400,
      /chunk/,
    ],
    [
      'a body that is encoded in an unknown way',
      (key) =>
        `POST /v1/payment HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${key}Transfer-Encoding: x\r\n\r\n{}`,
      400,
      /Transfer-Encoding/,
    ],
    [
      'another Expect',
      (key) =>
        `POST /v1/payment HTTP/1.1\r\n${HOST}${key}Expect: 200-ok\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      417,
      /100-continue/,
    ],
  ];
  for (const [name, bytes, status, message, details] of MALFORMED)
    it(`${name}: ${status} with the API's body, a request id and the limits`, async () => {
      const { socket, text } = await open();
      socket.write(bytes(key()));
      if (name.startsWith('an end')) socket.end();
      await once(socket, 'end');
      socket.destroy();
      const [answer, ...more] = answersOf(text());
      if (answer === undefined) expect.fail('no response');
      expect(more).to.deep.equal([]);
      expectError(harness, answer, status, details);
      expect(answer.headers['x-request-id']).to.match(/^req_/);
      expect(answer.headers.connection).to.equal('close');
      expect(answer.body.message).to.match(message);
    });

  it('what is no HTTP at all gets a response too', async () => {
    const [answer] = await exchange(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
    expect(answer?.status).to.equal(400);
    expect(answer?.body.request_id).to.match(/^req_/);
  });

  it('outside of the API the response is a page', async () => {
    for (const path of ['/checkout/x y', '/docs?ä', '/'])
      for (const [answer] of [await exchange(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`)])
        expect([answer?.status, answer?.headers['content-type']]).to.deep.equal([
          400,
          'text/html; charset=utf-8',
        ]);
  });

  it('a checkout page whose cookies are too large is a page as well', async () => {
    const [answer] = await exchange(`GET /checkout/x HTTP/1.1\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect([answer?.status, answer?.headers['content-type']]).to.deep.equal([
      431,
      'text/html; charset=utf-8',
    ]);
  });

  it('a request behind others is answered after them, in order', async () => {
    const good = `GET /v1/payments HTTP/1.1\r\n${HOST}${key()}\r\n`;
    const create = `POST /v1/payment HTTP/1.1\r\n${HOST}${key()}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
    const answers = await exchange(`${good}${create}${good}GET /v1/a b HTTP/1.1\r\n${HOST}\r\n${good}`);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 201, 200, 400]);
    expect(answers.map(({ headers }) => headers.connection)).to.deep.equal([
      'keep-alive',
      'keep-alive',
      'keep-alive',
      'close',
    ]);
  });

  it('a connection that was kept alive is answered, and ends', async () => {
    const { socket, text } = await open();
    socket.write(`GET /v1/status HTTP/1.1\r\n${HOST}\r\n`);
    await until('the first response', () => text().includes('"status"'));
    socket.write(`GET /v1/a b HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, 'end');
    socket.destroy();
    expect(answersOf(text()).map(({ status }) => status)).to.deep.equal([200, 400]);
  });

  it('a response that does not need the body is the only one', async () => {
    const { socket, text } = await open();
    socket.write(`GET /v1/payments HTTP/1.1\r\n${HOST}${key()}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
    await until('the response', () => text().includes('"pagination"'));
    socket.write('zz\r\n');
    await once(socket, 'end');
    socket.destroy();
    expect(answersOf(text()).map(({ status }) => status)).to.deep.equal([200]);
  });

  it('a form whose last chunk is broken changes nothing', async () => {
    const payment = await createPayment(harness);
    const form = 'method=USDC%3Aethereum';
    const [answer, ...more] = await exchange(
      `POST /checkout/${payment.token_id}/coin HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${form.length.toString(16)}\r\n${form}\r\nzz\r\n`,
    );
    expect([answer?.status, more.length]).to.deep.equal([400, 0]);
    const { body } = await harness.api('get', `/v1/payment/${payment.id}/events`).expect(200);
    expect(body.data).to.have.lengthOf(1);
  });

  it('beyond 60 a minute and address is 429', async () => {
    const own: Answer[] = [];
    for (let n = 0; n < 61; n += 1) own.push(...(await exchange(`GET /v1/a b HTTP/1.1\r\n${HOST}\r\n`)));
    expect(own.at(-1)?.status).to.equal(429);
    expect((await harness.api('get', '/v1/payments')).status).to.equal(200);
  });
});

/** The responses in what a connection has brought, each with a length or in chunks. */
function answersOf(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== '';) {
    const [head = '', ...after] = rest.split('\r\n\r\n');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    ) as Record<string, string>;
    const bytes = Buffer.from(after.join('\r\n\r\n'));
    const length = Number(headers['content-length']);
    const body = bytes.subarray(0, length).toString();
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    const parsed: unknown = isJson ? JSON.parse(body) : undefined;
    answers.push({ status: Number(first.split(' ')[1]), headers, text: body, body: parsed });
    rest = bytes.subarray(length).toString();
  }
  return answers;
}
