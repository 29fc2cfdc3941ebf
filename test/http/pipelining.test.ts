import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { createApp } from '../../src/http/app.ts';
import { beginEvents, endEvents, write } from '../../src/http/checkout/event-stream.ts';
import { PageStreams } from '../../src/http/checkout/page-streams.ts';
import { createServer } from '../../src/http/server.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { WEB_DB } from '../../src/processes/setup/context.ts';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import { listen, type Listening } from '../support/http.ts';
import { until } from '../support/until.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const NEVER = { intervalMs: 3_600_000 };
/** More than the kernel buffers for a connection that nobody reads. */
const LARGE = Buffer.alloc(8_000_000, 'x');

describe('pipelined requests', () => {
  let harness: Harness;
  let sockets: Socket[] = [];
  before(async () => {
    harness = await createHarness();
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });
  after(() => harness.close());

  /** A connection that reads nothing until it is resumed. */
  const open = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const portOf = ({ url }: Listening) => Number(new URL(url).port);
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

  describe('of an event stream', () => {
    let streams: PageStreams;
    let server: Listening;
    beforeEach(async () => {
      streams = new PageStreams(harness.ctx, { ...NEVER, heartbeatMs: 0 });
      const { adapters, sandbox, health } = harness;
      server = await listen(
        createApp(harness.ctx, { redis: null, admin: null, adapters, sandbox, health, live: streams }),
      );
    });
    afterEach(async () => {
      streams.close();
      await server.close();
    });

    it('behind 100 documents that are not read: its payment becomes final and changes again, and nothing fails', async () => {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const path = `/checkout/${token_id}`;
      const hostile = await open(portOf(server));
      hostile.write(get('/v1/openapi.json').repeat(100) + get(`${path}/events`));
      const reader = await open(portOf(server));
      let received = '';
      reader.on('data', (data) => (received += data.toString()));
      reader.write(get(`${path}/events`));
      await until('the stream is open', () => received.includes('id: '));
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await streams.pollOnce();
      await setColumns(harness, id, CHECKOUT_STATES.refunded ?? {});
      await streams.pollOnce();
      await until('the reader has its end', () => received.endsWith('0\r\n\r\n'));
    });

    it('behind another one: it is not begun, and its place is free when the connection closes', async () => {
      const { token_id } = await paymentIn(harness, 'waiting');
      const client = await open(portOf(server));
      client.write(get(`/checkout/${token_id}/events`).repeat(3));
      client.resume();
      await until('one is open', () => streams.count > 0);
      await (await fetch(`${server.url}/v1/status`)).text();
      expect(streams.count).to.equal(1);
      client.destroy();
      await until('none is open', () => streams.count === 0);
    });
  });

  it('a stream that was ended takes no write and no second end, while its client does not read', async () => {
    const ended = new EventTarget();
    // Without the queue of requests: the stream waits behind a response that is not read.
    const server = createHttpServer((request, response) => {
      if (request.url === '/large') {
        response.end(LARGE);
        return;
      }
      beginEvents(response, 1_000);
      endEvents(response);
      write(response, 'data: late\n\n');
      endEvents(response);
      setImmediate(() => ended.dispatchEvent(new Event('ended')));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const over = once(ended, 'ended');
    const client = await open((server.address() as AddressInfo).port);
    client.write(get('/large') + get('/stream'));
    await over;
    await closeAll(server);
  });

  it('are handled one after the other, in order, and not at all when the connection is gone', async () => {
    const app = express();
    const begun: string[] = [];
    const gates: (() => void)[] = [];
    let isGone = false;
    app.get('/:name', (request, response) => {
      request.socket.once('close', () => (isGone = true));
      begun.push(request.params.name);
      gates.push(() => response.send(request.params.name));
    });
    const server = await listen(app);
    const client = await open(portOf(server));
    let received = '';
    client.on('data', (data) => (received += data.toString()));
    client.write(get('/a') + get('/b') + get('/c') + get('/d'));
    for (const name of ['a', 'b', 'c']) {
      await until(`${name} is begun`, () => begun.at(-1) === name);
      if (name === 'c') break;
      gates.shift()?.();
      await until(`${name} is sent`, () => received.endsWith(name));
    }
    client.destroy();
    await until('the server has seen it', () => isGone);
    gates.shift()?.();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    await server.close();
  });

  it('behind one that is not read are not handled, so that no responses collect in memory', async () => {
    const app = express();
    let handled = 0;
    app.get('/', (_request, response) => {
      handled += 1;
      response.send(LARGE);
    });
    const server = await listen(app);
    const hostile = await open(portOf(server));
    hostile.write(get('/').repeat(50));
    await until('the first is handled', () => handled > 0);
    await (await fetch(`${server.url}/none`)).text();
    expect(handled).to.equal(1);
    await server.close();
  });

  it('more than 500 that wait end their connection', async () => {
    const app = express();
    app.get('/', () => undefined);
    const server = await listen(app);
    const hostile = await open(portOf(server));
    const closed = once(hostile.resume(), 'close');
    hostile.write(get('/').repeat(502));
    await closed;
    await server.close();
  });

  it('120 on a cold pool all get their response', async () => {
    const db = openDb({ url: harness.ctx.config.databaseUrl, name: 'test', ...WEB_DB });
    const { adapters, sandbox, health } = harness;
    const server = await listen(
      createApp({ ...harness.ctx, db }, { redis: null, admin: null, adapters, sandbox, health }),
    );
    const client = await open(portOf(server));
    let received = '';
    client.on('data', (data) => (received += data.toString()));
    client.write(get('/v1/payments', `X-API-Key: ${harness.merchant.apiKey}\r\n`).repeat(120));
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    await until('all have come', () => statuses().length === 120);
    expect(new Set(statuses())).to.deep.equal(new Set(['200']));
    await server.close();
    await db.destroy();
  });

  it('a client that reads nothing for minutes loses its connection', () => {
    expect(createServer(express()).timeout).to.equal(300_000);
  });
});

async function closeAll(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
