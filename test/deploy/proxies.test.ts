import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { filesBelow, read } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { hasProgram, PROXY_EXAMPLES, type RunningProxy } from '../support/proxies.ts';
import { until } from '../support/until.ts';

// Not of the alphabet of ids, so that a part of one is found as well.
const KEY = 'sk_live_sEcReT-kEy_0123456789abcdef';
const TOKEN = 'tOkEn-of_a-checkout_PAGE';
const SECRET = /sEcReT|tOkEn|lang=|q=1/i;

/** Places of a request that hold a key or a token, or where somebody puts one by mistake. */
const PATHS = [
  `/checkout/${TOKEN}`,
  `/CHECKOUT/${TOKEN}/events?lang=de`,
  `//checkout/${TOKEN}`,
  `/%63heckout/${TOKEN}`,
  `/checkout%2f${TOKEN}`,
  `/x/checkout/${TOKEN}`,
  `/v1/payments?api_key=${KEY}&q=1`,
  `/v1/payment/${KEY}`,
  `/checkout/${TOKEN}?q=1#${TOKEN}`,
];

for (const example of PROXY_EXAMPLES) {
  const { program, file } = example;
  const title = `${file} logs neither keys nor tokens`;
  if (!hasProgram(program)) {
    describe(title, () => void it(`(needs ${program} on the PATH)`));
    continue;
  }
  describe(title, () => {
    let web: Server;
    let proxy: RunningProxy;
    beforeEach(async () => {
      web = await startWeb();
      proxy = await example.start((web.address() as AddressInfo).port);
    });
    afterEach(async () => {
      await proxy.stop();
      web.close();
      web.closeAllConnections();
    });

    it('of requests, their referrers, their headers, and what is answered', async () => {
      for (const path of PATHS) expect(await send(proxy.port, path), path).to.match(/^HTTP\/1.1 200 /);
      const log = await logged(proxy, PATHS.length, / 200 |"status":200/);
      expect(log).to.not.match(SECRET);
      expect(log).to.include('/checkout').and.include('/v1/payment');
      expect(log).to.match(/"POST"| POST /);
    });

    it('of an answer that breaks off, and while web is away', async () => {
      await send(proxy.port, `/checkout/${TOKEN}/breaks-off`);
      web.close();
      web.closeAllConnections();
      expect(await send(proxy.port, `/checkout/${TOKEN}`)).to.match(/^HTTP\/1.1 50[23] /);
      expect(await logged(proxy, 1, / 50[23] |"status":50[23]/)).to.not.match(SECRET);
    });

    it('of requests that the proxy refuses by itself', async () => {
      const { port } = proxy;
      await send(port, `/checkout/${TOKEN}`, `Bad Header ${KEY}\r\n`);
      await send(port, `/checkout/${TOKEN}`, `Content-Length: 9999999\r\n`);
      await send(port, `checkout/${TOKEN}`);
      await send(port, `/checkout/${TOKEN}`, `X-Long: ${KEY}${'x'.repeat(70_000)}\r\n`);
      expect(await send(port, `/checkout/${TOKEN}`)).to.match(/^HTTP\/1.1 200 /);
      expect(await logged(proxy, 1, / 200 |"status":200/)).to.not.match(SECRET);
    });
  });
}

describe('examples of proxies', () => {
  it('are each run by a test', () => {
    const configured = ['deploy', 'examples']
      .flatMap(filesBelow)
      // Those of cells are rendered, and run by test/topologies.
      .filter((file) => !file.startsWith('deploy/cells/'))
      .filter((file) => /proxy_pass|reverse_proxy|loadBalancer:|mode http/.test(read(file)));
    expect(configured).to.have.members(PROXY_EXAMPLES.map(({ file }) => file));
  });

  it('are no part of the documents, where no test would run them', () => {
    for (const file of filesBelow('docs'))
      expect(read(file), file).to.not.match(/proxy_pass|reverse_proxy |loadBalancer:|log_format/);
  });

  it("switch the access log of Kubernetes's nginx off, which has no format of its own for an ingress", () => {
    const { ingress } = parse(read('deploy/helm/payment-checkout/values.yaml')) as {
      ingress: { annotations: Record<string, string> };
    };
    expect(ingress.annotations).to.deep.equal({ 'nginx.ingress.kubernetes.io/enable-access-log': 'false' });
  });
});

/** Answers like web, with what it may send back of a token; breaks off where the path asks for it. */
async function startWeb(): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, {
      Location: `/checkout/${TOKEN}?lang=de`,
      'Set-Cookie': `key=${KEY}`,
      'X-Api-Key': KEY,
    });
    if (request.url?.endsWith('/breaks-off') !== true) return response.end('well');
    response.write('half');
    return setImmediate(() => response.destroy());
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends bytes: a client library would repair what is wrong with them. Resolves with all that came back. */
async function send(port: number, path: string, header = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += String(bytes);
    // nginx waits for the rest of a body that it has refused.
    if (received.startsWith('HTTP/1.1 413')) socket.destroy();
  });
  // A proxy that refuses a request may reset the connection.
  socket.on('error', () => undefined);
  const headers = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `X-API-Key: ${KEY}`,
    `Authorization: Bearer ${KEY}`,
    `Cookie: session=${KEY}`,
    `Referer: https://pay.example.com/checkout/${TOKEN}?lang=de`,
    `User-Agent: ${KEY}`,
    'Connection: close',
  ];
  socket.write(
    `${headers.join('\r\n')}\r\n${header}${header.includes('Length') ? '' : 'Content-Length: 0\r\n'}\r\n`,
  );
  await new Promise((resolve) => void socket.once('close', resolve));
  return received;
}

/** The log once it has as many lines of a kind. */
async function logged(proxy: RunningProxy, count: number, line: RegExp): Promise<string> {
  const lines = () =>
    proxy
      .log()
      .split('\n')
      .filter((text) => line.test(text));
  await until(`${count} lines like ${line}`, () => lines().length >= count, 5_000);
  return proxy.log();
}
