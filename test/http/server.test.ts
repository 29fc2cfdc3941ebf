import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Express } from 'express';
import { createServer } from '../../src/http/server.ts';
import { listen, send, type Listening } from '../support/http.ts';
import { createHarness, type Harness } from '../support/harness.ts';

/**
 * What src/http/server.ts leans on inside Express, so that an update which changes it is noticed here and not
 * in a benchmark.
 */
describe('the HTTP server that constructs Express objects', () => {
  const ask = async (app: Express, path = '/') => {
    const server = await listen(app);
    const answer = await send(server, 'GET', path);
    await server.close();
    return answer;
  };

  it('fact 1: Express sets the prototypes of both objects to app.request and app.response', () => {
    const app = express();
    const given: unknown[] = [];
    const watched = () =>
      new Proxy(
        { url: '/', method: 'GET', headers: {}, setHeader() {} },
        {
          setPrototypeOf(target, prototype) {
            given.push(prototype);
            return Reflect.setPrototypeOf(target, prototype);
          },
        },
      );
    const handle = app as unknown as (request: object, response: object, done: () => void) => void;
    handle(watched(), watched(), () => {});
    expect(given).to.have.length(2);
    expect(given[0]).to.equal(app.request);
    expect(given[1]).to.equal(app.response);
  });

  it('fact 2: app.request and app.response carry a writable app', () => {
    const app = express();
    for (const object of [app.request, app.response]) {
      const property = Object.getOwnPropertyDescriptor(object, 'app');
      expect(property).to.include({ value: app, writable: true });
    }
  });

  it('so the objects are born with what Express would give them, and Express changes nothing', async () => {
    const app = express();
    const { request, response } = app;
    const server = createServer(app);
    expect(Object.getPrototypeOf(app.request)).to.equal(request);
    expect(Object.getPrototypeOf(app.response)).to.equal(response);
    const born: unknown[] = [];
    server.prependListener('request', (incoming, outgoing) => {
      born.push(Object.getPrototypeOf(incoming), Object.getPrototypeOf(outgoing));
    });
    app.get('/', (incoming, outgoing) => {
      born.push(Object.getPrototypeOf(incoming), Object.getPrototypeOf(outgoing));
      outgoing.json({ ip: incoming.ip, query: incoming.query, isOurs: incoming.app === outgoing.app });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).to.deep.equal({ ip: '127.0.0.1', query: {}, isOurs: true });
    server.close();
    server.closeAllConnections();
    expect(born).to.have.length(4);
    for (const [index, prototype] of born.entries())
      expect(prototype === (index % 2 === 0 ? app.request : app.response)).to.equal(true);
  });

  it('sub-applications, errors, redirects and streams work as ever', async () => {
    const app = express();
    const inner = express();
    inner.get('/who', (request, response) => void response.json(request.app === inner));
    app.use('/inner', inner);
    app.get('/after', (request, response) => void response.json(request.app === app));
    app.get('/away', (_request, response) => response.redirect('/after'));
    app.get('/stream', (_request, response) => {
      response.write('a');
      response.end('b');
    });
    app.get('/error', async () => Promise.reject(new Error('broken')));
    app.use(((error: Error, _request, response, _next) => {
      response.status(500).json(error.message);
    }) as express.ErrorRequestHandler);
    expect((await ask(app, '/inner/who')).body).to.equal(true);
    expect((await ask(app, '/after')).body).to.equal(true);
    const away = await ask(app, '/away');
    expect([away.status, away.headers.location]).to.deep.equal([302, '/after']);
    expect((await ask(app, '/stream')).text).to.equal('ab');
    expect((await ask(app, '/error')).body).to.equal('broken');
  });

  it('a client cannot keep a connection by sending slowly', () => {
    const server = createServer(express());
    expect(server).to.include({ headersTimeout: 10_000, requestTimeout: 30_000 });
  });

  describe('in front of the API', () => {
    let harness: Harness;
    let server: Listening;
    before(async () => {
      harness = await createHarness();
      server = await listen(harness.app);
    });
    after(async () => {
      await server.close();
      await harness.close();
    });

    it('an answer that comes before the body was read ends the connection, so that the body is not taken for a request', async () => {
      const received = await new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
          socket.write('POST /v1/payment HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
          socket.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n');
        });
        socket.on('data', (data) => (text += data.toString()));
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
      });
      expect(received).to.match(/^HTTP\/1\.1 401 /);
      expect(received).to.match(/^Connection: close\r$/m);
      expect(received.match(/HTTP\/1\.1/g)).to.have.length(1);
    });
  });
});
