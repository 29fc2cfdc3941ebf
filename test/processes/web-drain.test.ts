import { once } from 'node:events';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { expect } from 'chai';
import { openEvents } from '../support/event-stream.ts';
import { startReceiver, type PlainAnswer } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { endAll } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

const BODY = JSON.stringify({ pay_amount: '12.50', order_id: 'slow' });

/** As many as one connection may pipeline, about. */
const PIPELINED = 400;

describe('web, after SIGTERM', function () {
  this.timeout(60_000);
  let stand: Stand;
  let web: Web;
  before(async () => {
    stand = await createStand();
  });
  beforeEach(async () => {
    web = await stand.startWeb();
  });
  afterEach(endAll);
  after(() => stand.close());

  /** A POST whose body the test sends itself. */
  function begin(agent?: Agent): ClientRequest {
    return request({
      port: web.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/payment',
      ...(agent === undefined ? {} : { agent }),
      headers: {
        'X-API-Key': stand.merchant.apiKey,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(BODY),
      },
    });
  }

  /** Sends the first half of a body, and waits until the web process has surely read the header. */
  async function beginSlowly(): Promise<ClientRequest> {
    const slow = begin();
    slow.setHeader('Expect', '100-continue');
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write(BODY.slice(0, 10));
    return slow;
  }

  /** A payment whose test clock can be advanced, by a request that goes on until its webhook is answered. */
  async function beginAdvance() {
    let answered: (how: PlainAnswer) => void = () => undefined;
    const receiver = await startReceiver({ answer: () => new Promise((resolve) => (answered = resolve)) });
    const settings = { webhookUrl: receiver.url, enabled: true };
    expect((await web.api('PUT', '/v1/webhooks/config', settings)).status).to.equal(200);
    const order = { pay_amount: '12.50', order_id: 'late' };
    const { id } = (await (await web.api('POST', '/v1/payment', order)).json()) as { id: string };
    return { receiver, path: `/v1/sandbox/payments/${id}/advance`, answer: () => answered({}) };
  }

  it('answers a request whose body is still coming, takes no new ones, and ends with 0', async () => {
    const slow = await beginSlowly();
    web.signal('SIGTERM');
    await web.says('"draining"');
    await until('it takes no connections', () => isRefused(web.port));
    const answered = once(slow, 'response');
    slow.end(BODY.slice(10));
    const [answer] = (await answered) as [IncomingMessage];
    expect(answer.statusCode).to.equal(201);
    expect(answer.headers.connection, 'says that the connection ends').to.equal('close');
    const { id } = JSON.parse(await text(answer)) as { id: string };
    expect(await stand.rows('SELECT id FROM payments WHERE id = ?', [id])).to.have.lengthOf(1);
    expect(await web.ended()).to.equal(0);
  });

  it('cuts no request of clients that keep their connections busy', async () => {
    const answered: string[] = [];
    const faults: unknown[] = [];
    const clients = Array.from({ length: 6 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        try {
          const going = begin(agent);
          going.end(BODY);
          const [answer] = (await once(going, 'response')) as [IncomingMessage];
          const { id } = JSON.parse(await text(answer)) as { id: string };
          answered.push(id);
        } catch (error) {
          agent.destroy();
          // The connection was ended in order, and a new one is not taken any more.
          if (!isCode(error, 'ECONNREFUSED')) faults.push(error);
          return;
        }
      }
    });
    await until('the clients are busy', () => answered.length > 60);
    web.signal('SIGTERM');
    await Promise.all(clients);
    expect(faults).to.deep.equal([]);
    expect(await web.ended()).to.equal(0);
    const stored = await stand.rows<{ id: string }>('SELECT id FROM payments WHERE id = ANY (?)', [answered]);
    expect(stored).to.have.lengthOf(answered.length);
  });

  it('handles none of the pipelined requests behind the one whose turn it is', async () => {
    const { receiver, path, answer } = await beginAdvance();
    const post = (to: string, body: string) =>
      `POST ${to} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${stand.merchant.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const order = JSON.stringify({ pay_amount: '12.50', order_id: 'pipelined' });
    const socket = connect(web.port, '127.0.0.1');
    socket.write(post(path, JSON.stringify({ by: '61m' })) + post('/v1/payment', order).repeat(PIPELINED));
    await receiver.waitFor(1);
    web.signal('SIGTERM');
    await web.says('"draining"');
    answer();
    const answers = await text(socket);
    expect(await web.ended()).to.equal(0);
    expect(answers.match(/^HTTP\/1\.1 .*/gm)).to.deep.equal(['HTTP/1.1 200 OK']);
    expect(answers, 'says so').to.match(/^Connection: close/im);
    expect(await stand.rows(`SELECT FROM payments WHERE order_id = 'pipelined'`)).to.have.lengthOf(0);
    await receiver.close();
  });

  it('lets a client that is slow to read have its responses to the end', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const slow = connect(web.port, '127.0.0.1');
    // More than is kept on the way for a client that does not read.
    slow.write(get('/v1/openapi.json').repeat(PIPELINED));
    await once(slow, 'readable');
    const idle = connect(web.port, '127.0.0.1');
    idle.write(get('/v1/status'));
    await once(idle, 'data');
    web.signal('SIGTERM');
    await once(idle, 'close');
    const { whole, rest } = responsesIn(await buffer(slow));
    expect(rest, 'of one that was cut').to.equal(0);
    expect(whole).to.be.within(1, PIPELINED - 1);
    expect(await web.ended()).to.equal(0);
  });

  it('does not wait for connections without a request, used before or never', async () => {
    const agent = new Agent({ keepAlive: true });
    const used = begin(agent);
    used.end(BODY);
    const [answer] = (await once(used, 'response')) as [IncomingMessage];
    await text(answer);
    const silent = connect(web.port, '127.0.0.1');
    await once(silent, 'connect');
    silent.on('error', () => undefined);
    // Answered after `silent` was connected, so the server knows of it.
    expect((await web.api('GET', '/v1/status')).status).to.equal(200);
    web.signal('SIGTERM');
    expect(await web.ended()).to.equal(0);
    agent.destroy();
  });

  it('does not wait for a request that was begun behind a response, and never comes', async () => {
    const socket = connect(web.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/status HTTP/1.1\r\nHost:');
    await once(socket, 'data');
    web.signal('SIGTERM');
    expect(await web.ended()).to.equal(0);
  });

  it('begins no webhook of a test clock, each of which it might have to wait for', async () => {
    const { receiver, path, answer } = await beginAdvance();
    const advanced = web.api('POST', path, { by: '61m' });
    await receiver.waitFor(1);
    web.signal('SIGTERM');
    await web.says('"draining"');
    answer();
    await advanced;
    expect(await web.ended()).to.equal(0);
    expect(receiver.requests, 'its expiration is told by another process').to.have.lengthOf(1);
    await receiver.close();
  });

  it('ends the streams of open checkout pages at once, and does not wait for them', async () => {
    const { token_id } = (await (
      await web.api('POST', '/v1/payment', { pay_amount: '12.50', order_id: 'open' })
    ).json()) as { token_id: string };
    const pages = await Promise.all(
      [1, 2, 3].map(() => openEvents(`http://127.0.0.1:${web.port}/checkout/${token_id}/events`)),
    );
    await Promise.all(pages.map((page) => page.receives(1)));
    web.signal('SIGTERM');
    expect(await web.ended(), 'it has not given up').to.equal(0);
    await until('all are ended, none is cut', () => pages.every((page) => page.isEnded()));
  });

  it('ends at once at a second signal, whatever is still open', async () => {
    const slow = await beginSlowly();
    slow.on('error', () => undefined);
    web.signal('SIGTERM');
    await web.says('"draining"');
    await until('it ends', () => {
      web.signal('SIGTERM');
      return web.isOver();
    });
    expect(await web.ended()).to.equal(1);
  });
});

/** How many whole responses a connection has brought, and how many bytes behind them. */
function responsesIn(bytes: Buffer): { whole: number; rest: number } {
  let [whole, at] = [0, 0];
  for (;;) {
    const body = bytes.indexOf('\r\n\r\n', at) + 4;
    const length = /^Content-Length: (\d+)/im.exec(bytes.toString('latin1', at, body))?.[1];
    const end = body + Number(length);
    if (length === undefined || end > bytes.length) return { whole, rest: bytes.length - at };
    [whole, at] = [whole + 1, end];
  }
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.destroy();
    return false;
  } catch (error) {
    return isCode(error, 'ECONNREFUSED');
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
