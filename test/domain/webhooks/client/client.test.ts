import type { LookupAddress } from 'node:dns';
import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  createWebhookClient,
  type WebhookClient,
  type WebhookClientOptions,
  type DeliveryResult,
} from '../../../../src/domain/webhooks/client/client.ts';
import {
  dripBody,
  dripHeader,
  dripHints,
  hang,
  hugeBody,
  rawBytes,
  type Receiver,
  type ReceiverOptions,
  redirect,
  reset,
  resetInHeader,
  startReceiver,
  TEST_AUTHORITY,
  truncatedBody,
} from '../../../support/receivers.ts';
import { timed } from '../../../support/loop-clock.ts';

const BODY = Buffer.from('{"id":"evt_1","text":"€"}');
const SHORT_MS = 300;
/** Far beyond what a local request takes: a request that lasts this long has no deadline. */
const LONG_MS = 8_000;

describe('the webhook client', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  function createClient(options: Partial<WebhookClientOptions> = {}): WebhookClient {
    const created = createWebhookClient({
      allowPrivate: true,
      timeoutMs: LONG_MS,
      userAgent: 'checkout/1.0',
      ...options,
    });
    // After the receivers: the client waits for requests in flight, up to the deadline where a receiver
    // hangs.
    open.push(created);
    return created;
  }

  async function receiver(
    answer?: ReceiverOptions['answer'],
    options: ReceiverOptions = {},
  ): Promise<Receiver> {
    const started = await startReceiver({ ...options, ...(answer === undefined ? {} : { answer }) });
    open.unshift(started);
    return started;
  }

  async function post(
    answer: ReceiverOptions['answer'],
    options: Partial<WebhookClientOptions> = {},
  ): Promise<DeliveryResult> {
    const { url } = await receiver(answer);
    return createClient(options).post(url, {}, BODY);
  }

  describe('sends', () => {
    it('a POST with the given body bytes and headers, JSON as the type, and the user agent', async () => {
      const { url, requests } = await receiver();
      await createClient().post(`${url}/a%20b?c=d&e=%2F#part`, { 'webhook-id': 'evt_1' }, BODY);
      expect(requests).to.have.length(1);
      const [request] = requests;
      expect(request).to.include({ method: 'POST', path: '/hooks/a%20b?c=d&e=%2F' });
      expect(request?.rawBody.equals(BODY)).to.equal(true);
      expect(request?.headers).to.include({
        'content-type': 'application/json',
        'content-length': String(BODY.length),
        'user-agent': 'checkout/1.0',
        'webhook-id': 'evt_1',
      });
    });

    it('text in UTF-8', async () => {
      const { url, requests } = await receiver();
      await createClient().post(url, {}, BODY.toString('utf8'));
      expect(requests[0]?.rawBody.equals(BODY)).to.equal(true);
    });

    it('sequential requests over connections that stay open', async () => {
      const { url, requests } = await receiver();
      const { post: send } = createClient();
      for (let i = 0; i < 20; i += 1)
        expect(await send(url, {}, BODY)).to.include({ ok: true, remoteAddress: '127.0.0.1' });
      // Two, because undici frees a connection one turn of the event loop after the response.
      expect(new Set(requests.map(({ connection }) => connection)).size).to.be.at.most(2);
    });

    it('over no more connections to one origin than it may open', async () => {
      const target = await receiver(async () => {
        await sleep(2);
        return {};
      });
      const { post: send } = createClient({ maxSocketsPerOrigin: 3 });
      const results = await Promise.all(Array.from({ length: 40 }, () => send(target.url, {}, BODY)));
      expect(results.every(({ ok }) => ok)).to.equal(true);
      expect(target.connections).to.equal(3);
    });
  });

  describe('succeeds', () => {
    it('with any 2xx, and returns the address, the duration and the response', async () => {
      for (const status of [200, 201, 202, 204, 299]) {
        const result = await post(() => ({ status, ...(status === 204 ? {} : { body: 'thanks' }) }));
        expect(result).to.deep.include({
          ok: true,
          statusCode: status,
          errorClass: null,
          errorDetail: null,
          remoteAddress: '127.0.0.1',
          retryAfter: null,
          excerpt: status === 204 ? '' : 'thanks',
        });
        expect(result.durationMs).to.be.within(0.01, LONG_MS);
      }
    });

    it('after interim responses of every kind, in any order', async () => {
      const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
      for (const first of ['', 'HTTP/1.1 102 Processing\r\n\r\n', hints, 'HTTP/1.0 199 Odd\r\n\r\n'])
        expect(
          await post(() => rawBytes(`${first}HTTP/1.1 100 Continue\r\n\r\n${first}HTTP/1.1 200 OK\r\n\r\n`)),
          first,
        ).to.include({ ok: true, statusCode: 200 });
    });

    const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-Any: thing\r\n\r\n';
    for (const [name, pieces] of Object.entries({
      'at once': [CONTINUE, 'HTTP/1.1 204 Fine\r\n\r\n'],
      twice: [`${CONTINUE}${CONTINUE}HTTP/1.1 204 Fine\r\n\r\n`],
      'byte by byte': `${CONTINUE}HTTP/1.1 204 Fine\r\n\r\n`.split(''),
    }))
      it(`after a 100 Continue that nobody asked for, ${name}`, async () => {
        const result = await post(() => async (_, socket) => {
          for (const piece of pieces) {
            socket.write(piece);
            await setImmediate();
          }
        });
        expect(result).to.include({ ok: true, statusCode: 204 });
      });

    it('when the body of a 2xx is truncated by a close or a reset', async () => {
      for (const how of ['end', 'reset'] as const)
        expect(await post(() => truncatedBody(200, how))).to.include({
          ok: true,
          statusCode: 200,
          excerpt: 'x'.repeat(50),
        });
    });

    it('when the body of a 2xx drips, which ends at the deadline', async () => {
      const result = await post(() => dripBody(200), { timeoutMs: SHORT_MS });
      expect(result).to.include({ ok: true, statusCode: 200, errorClass: null });
      expectDeadline(result);
    });

    it('a moment after the header of a 2xx whose body never ends, long before the deadline', async () => {
      const result = await post(() => dripBody(200), { timeoutMs: 600_000 });
      expect(result).to.include({ ok: true, statusCode: 200, errorClass: null });
    });

    it('when the body of a 2xx is huge, and reads little of it', async () => {
      const bytes = 200 * 1024 * 1024;
      let written = () => 0;
      const target = await receiver(() => (response, socket) => {
        written = () => socket.bytesWritten;
        return hugeBody(bytes)(response, socket);
      });
      const result = await createClient().post(target.url, {}, BODY);
      expect(result).to.include({ ok: true, statusCode: 200, excerpt: 'y'.repeat(1024) });
      await target.waitUntilQuiet();
      // Beyond the 16 kB that it reads, the buffers of two sockets hold some.
      expect(written()).to.be.lessThan(bytes / 10);
    });
  });

  describe('fails at the deadline, which covers the whole request', () => {
    const cases: Record<string, [answer: ReceiverOptions['answer'], detail: string]> = {
      'when the receiver never answers': [() => hang, 'no complete answer header came within 300 ms'],
      'when the header drips': [() => dripHeader(), 'no complete answer header came within 300 ms'],
      'when early hints drip': [() => dripHints(), 'no complete answer header came within 300 ms'],
    };
    for (const [name, [answer, errorDetail]] of Object.entries(cases))
      it(name, async () => {
        const target = await receiver(answer);
        const result = await createClient({ timeoutMs: SHORT_MS }).post(target.url, {}, BODY);
        expect(result).to.deep.include({
          ok: false,
          statusCode: null,
          errorClass: 'timeout',
          errorDetail,
          excerpt: null,
        });
        expect(result.remoteAddress).to.equal('127.0.0.1');
        expectDeadline(result);
        await target.waitUntilQuiet(1_000);
      });

    it('when the body of a failure drips, and keeps its status', async () => {
      const result = await post(() => dripBody(500), { timeoutMs: SHORT_MS });
      expect(result).to.include({ ok: false, statusCode: 500, errorClass: 'status' });
      expectDeadline(result);
    });

    it('when the receiver accepts the connection and never starts TLS', async () => {
      const target = await receiver(undefined, { tls: 'silent' });
      const result = await createClient({ timeoutMs: SHORT_MS }).post(target.url, {}, BODY);
      expect(result).to.include({
        errorClass: 'timeout',
        errorDetail: 'no connection came about within 300 ms',
      });
      expectDeadline(result);
      await target.waitUntilQuiet();
    });

    it('when the name server never answers', async () => {
      const { post: send } = createClient({ timeoutMs: SHORT_MS, resolve: () => {} });
      const result = await send('http://merchant.example:8080/', {}, BODY);
      expect(result).to.include({
        errorClass: 'timeout',
        errorDetail: 'no connection came about within 300 ms',
        remoteAddress: null,
      });
      expectDeadline(result);
    });

    it('when every connection is busy, and then does not send what it reported as failed', async () => {
      const target = await receiver((_, index) => (index === 0 ? hang : {}));
      const { post: send } = createClient({ timeoutMs: SHORT_MS, maxSocketsPerOrigin: 1 });
      const [first, second] = await Promise.all(
        ['evt_1', 'evt_2'].map((id) => send(target.url, { 'webhook-id': id }, BODY)),
      );
      expect(first).to.include({ errorClass: 'timeout' });
      expect(await send(target.url, { 'webhook-id': 'evt_3' }, BODY)).to.include({ ok: true });
      // Both deadlines are at one instant: the end of the first may free the connection for the second, which
      // may then be sent, and answered or not.
      const hasConnected = second?.remoteAddress !== null;
      const sent = target.requests.map(({ headers }) => headers['webhook-id']);
      expect(sent.filter((id) => id !== 'evt_2' || !hasConnected)).to.deep.equal(['evt_1', 'evt_3']);
      if (!hasConnected) {
        expect(second).to.include({ errorClass: 'timeout' });
        expect(second?.errorDetail).to.match(/^no connection (was free|came about) within 300 ms$/);
      }
    });

    it('and does not reconnect for a request that has ended', async () => {
      const target = await receiver(() => hang);
      await createClient({ timeoutMs: 50 }).post(target.url, {}, BODY);
      await target.waitUntilQuiet();
      await sleep(50);
      expect(target.connections).to.equal(1);
    });

    it('without delaying requests to other receivers', async () => {
      const hanging = await receiver(() => hang);
      const good = await receiver();
      const { post: send } = createClient({ timeoutMs: 1_000 });
      const stuck = Array.from({ length: 100 }, () => send(hanging.url, {}, BODY));
      await hanging.waitFor(100);
      const { ms } = await timed(async () => {
        for (let i = 0; i < 20; i += 1) expect((await send(good.url, {}, BODY)).ok).to.equal(true);
      });
      expect(ms).to.be.lessThan(500);
      await Promise.all(stuck);
    });
  });

  describe('fails', () => {
    it('with the status of a response that is no 2xx, 410 among them', async () => {
      for (const statusCode of [400, 401, 404, 410, 429, 500, 503, 599])
        expect(await post(() => ({ status: statusCode, body: 'no' }))).to.include({
          ok: false,
          statusCode,
          errorClass: 'status',
          errorDetail: `answered ${statusCode}`,
          excerpt: 'no',
        });
    });

    it('with the status also when its body is truncated or huge', async () => {
      for (const answer of [
        truncatedBody(503, 'end'),
        truncatedBody(503, 'reset'),
        hugeBody(10_000_000, 503),
      ])
        expect(await post(() => answer)).to.include({ ok: false, statusCode: 503, errorClass: 'status' });
    });

    it('and returns Retry-After as received', async () => {
      const answer = { status: 429, headers: { 'Retry-After': 'Sat, 31 Jan 2026 12:00:00 GMT' } };
      expect(await post(() => answer)).to.include({ retryAfter: 'Sat, 31 Jan 2026 12:00:00 GMT' });
    });

    for (const status of [301, 302, 303, 307, 308])
      it(`on a ${status} and does not follow it`, async () => {
        const elsewhere = await receiver();
        const result = await post(() => redirect(status, elsewhere.url));
        expect(result).to.include({ ok: false, statusCode: status, errorClass: 'redirect' });
        expect(result.errorDetail).to.include(elsewhere.url);
        expect(elsewhere.connections).to.equal(0);
      });

    it('when the connection is reset before or within the header', async () => {
      for (const answer of [reset, resetInHeader, rawBytes('HTTP/1.1 200 OK\r\nContent-Le')])
        expect(await post(() => answer)).to.include({
          ok: false,
          statusCode: null,
          errorClass: 'connect_reset',
          excerpt: null,
        });
    });

    it('when nobody listens', async () => {
      const gone = await startReceiver();
      await gone.close();
      expect(await createClient().post(gone.url, {}, BODY)).to.include({
        ok: false,
        errorClass: 'connect_refused',
        remoteAddress: null,
      });
    });

    it('when a name does not resolve', async () => {
      const { post: send } = createClient({
        resolve: (_, done) =>
          done(
            Object.assign(new Error('queryA ENOTFOUND nowhere'), { code: 'ENOTFOUND', syscall: 'queryA' }),
            [],
          ),
      });
      expect(await send('http://nowhere.example:8080/', {}, BODY)).to.include({
        errorClass: 'dns',
        errorDetail: 'queryA ENOTFOUND nowhere',
      });
    });

    const NO_HTTP = {
      'another protocol': 'SSH-2.0-OpenSSH_9.2\r\n',
      'a status that is no number': 'HTTP/1.1 OK\r\n\r\n',
      'a switch to another protocol':
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'the status 000': 'HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n',
      'the status 000 without an end': 'HTTP/1.1 000 Nothing\r\n\r\n',
      'the status 099': 'HTTP/1.1 099 Nothing\r\nContent-Length: 0\r\n\r\n',
      'behind more than 16 kB of interim responses': `${'HTTP/1.1 100 \r\n\r\n'.repeat(1_000)}HTTP/1.1 200 OK\r\n\r\n`,
      'a header of more than 16 kB': `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    };
    for (const [name, bytes] of Object.entries(NO_HTTP))
      it(`when the answer is ${name}`, async () => {
        expect(await post(() => rawBytes(bytes))).to.include({
          ok: false,
          statusCode: null,
          errorClass: 'protocol',
        });
      });

    it('when nothing follows a 100 Continue that nobody asked for', async () => {
      expect(await post(() => rawBytes('HTTP/1.1 100 Continue\r\n\r\n'))).to.include({
        ok: false,
        statusCode: null,
        errorClass: 'connect_reset',
      });
    });

    it('without throwing, for any input', async () => {
      const { url } = await receiver();
      const { post: send } = createClient();
      for (const bad of ['', 'nonsense', 'ftp://merchant.example/', 'file:///etc/passwd', 'javascript:1'])
        expect(await send(bad, {}, BODY), bad).to.include({ ok: false, errorClass: 'url' });
      expect(await send(url, { 'X-Split': 'a\r\nX-Injected: b' }, BODY)).to.include({
        ok: false,
        errorClass: 'internal',
      });
    });
  });

  describe('returns of the body', () => {
    it('the first 1 kB, without half a character at its end', async () => {
      const { excerpt } = await post(() => ({ status: 500, body: `${'a'.repeat(1023)}€ and more` }));
      expect(excerpt).to.equal('a'.repeat(1023));
    });

    it('no more than that when it comes in pieces', async () => {
      const { excerpt } = await post(() => async (response) => {
        for (const piece of ['a', 'b', 'c']) {
          response.write(piece.repeat(700));
          await sleep(10);
        }
        response.end();
      });
      expect(excerpt).to.equal('a'.repeat(700) + 'b'.repeat(324));
    });

    it('text that Postgres takes: no NUL', async () => {
      const { excerpt } = await post(() => ({ status: 500, body: Buffer.from([0x61, 0, 0x62, 0xff, 0x63]) }));
      expect(excerpt).to.equal('a\uFFFDbÿc');
    });

    const excerptOf = async (body: Buffer, headers: Record<string, string>) =>
      (await post(() => ({ status: 500, body, headers }))).excerpt;
    const TEXT = 'Für 5 € gibt es nichts';
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['X-Gzip', gzipSync],
      ['deflate', deflateSync],
    ] as const)
      it(`what ${encoding} holds, also where the first 1 kB of it is cut`, async () => {
        const headers = { 'Content-Encoding': encoding };
        expect(await excerptOf(compress(Buffer.from(TEXT)), headers)).to.equal(TEXT);
        // It does not shrink, so that its end is beyond what is read.
        const noise = randomBytes(8_192).toString('hex');
        const cut = await excerptOf(compress(Buffer.from(noise)), headers);
        expect(cut).to.have.length.within(500, 1_024);
        expect(noise.startsWith(cut ?? '-')).to.equal(true);
      });

    it('no more than 1 kB of what unfolds to a thousand times its size', async () => {
      const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 'z'));
      expect(await excerptOf(bomb, { 'Content-Encoding': 'gzip' })).to.equal('z'.repeat(1_024));
    });

    it('the bytes themselves where they are not compressed as the header says', async () => {
      for (const encoding of ['gzip', 'br', 'zstd', 'gzip, gzip'])
        expect(await excerptOf(Buffer.from('plain'), { 'Content-Encoding': encoding })).to.equal('plain');
    });

    for (const [name, body, type] of [
      ['Latin-1 that says so', Buffer.from('Für', 'latin1'), 'text/plain; charset=ISO-8859-1'],
      ['Latin-1 that says nothing', Buffer.from('Für', 'latin1'), 'text/html'],
      ['UTF-16 that says so', Buffer.from('Für', 'utf16le'), 'text/plain;charset="utf-16le"'],
      ['UTF-16 with a byte order mark', Buffer.from('\uFEFFFür', 'utf16le'), 'text/plain'],
      ['UTF-16 whose greater byte is first', Buffer.from('\uFEFFFür', 'utf16le').swap16(), 'text/plain'],
      ['UTF-8 of an unknown charset', Buffer.from('Für'), 'text/plain; charset=none-such'],
    ] as const)
      it(`${name}, as text`, async () => {
        expect(await excerptOf(body, { 'Content-Type': type })).to.equal('Für');
      });
  });

  describe('verifies TLS', () => {
    it('and talks to a receiver whose certificate an authority vouches for', async () => {
      const { url, requests } = await receiver(undefined, { tls: 'trusted' });
      const { post: send } = createClient({ ca: TEST_AUTHORITY });
      expect(await send(url, {}, BODY)).to.include({ ok: true, remoteAddress: '127.0.0.1' });
      expect(await send(url.replace('127.0.0.1', 'localhost'), {}, BODY)).to.include({ ok: true });
      expect(requests).to.have.length(2);
    });

    const REFUSED = {
      self_signed: ['self_signed', /DEPTH_ZERO_SELF_SIGNED_CERT/],
      'of an unknown authority': ['trusted', /UNABLE_TO_VERIFY_LEAF_SIGNATURE/],
      'for another name': ['wrong_name', /ERR_TLS_CERT_ALTNAME_INVALID/],
      expired: ['expired', /CERT_HAS_EXPIRED/],
    } as const;
    for (const [name, [tls, detail]] of Object.entries(REFUSED))
      it(`and refuses a certificate that is ${name}, with the reason`, async () => {
        const { url, requests } = await receiver(undefined, { tls });
        const { post: send } = createClient(name === 'of an unknown authority' ? {} : { ca: TEST_AUTHORITY });
        // Twice: what a first attempt left behind (a TLS session) must not open the door to a second.
        for (let i = 0; i < 2; i += 1) {
          const result = await send(url, {}, BODY);
          expect(result).to.include({ ok: false, statusCode: null, errorClass: 'tls' });
          expect(result.remoteAddress).to.equal('127.0.0.1');
          expect(result.errorDetail).to.match(detail);
        }
        expect(requests).to.have.length(0);
      });

    it('also where NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment', async () => {
      const { url } = await receiver(undefined, { tls: 'self_signed' });
      const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        expect(await createClient().post(url, {}, BODY)).to.include({ errorClass: 'tls' });
      } finally {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      }
    });

    it('and names plain HTTP behind https for what it is', async () => {
      const { url } = await receiver();
      expect(await createClient().post(url.replace('http:', 'https:'), {}, BODY)).to.include({
        errorClass: 'tls',
        errorDetail: 'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)',
      });
    });
  });

  describe('does not reach private networks', () => {
    const HOSTS = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.0.0.1.',
      '①②⑦.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '0.0.0.0',
      '169.254.169.254',
    ];
    for (const host of HOSTS)
      it(`by the address ${host}`, async () => {
        const target = await receiver(undefined, { tls: 'trusted' });
        const { post: send } = createClient({ allowPrivate: false, ca: TEST_AUTHORITY });
        const result = await send(`https://${host}:${target.port}/`, {}, BODY);
        expect(result).to.include({ ok: false, errorClass: 'address_blocked', remoteAddress: null });
        expect(target.connections).to.equal(0);
      });

    it('by a name that resolves to nothing else', async () => {
      const target = await receiver(undefined, { tls: 'trusted' });
      const addresses: LookupAddress[] = [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
      const { post: send } = createClient({
        allowPrivate: false,
        ca: TEST_AUTHORITY,
        resolve: (_, done) => done(null, addresses),
      });
      const result = await send(`https://localhost:${target.port}/`, {}, BODY);
      expect(result).to.include({ ok: false, errorClass: 'address_blocked', remoteAddress: null });
      expect(result.errorDetail).to.equal('localhost has no address that webhooks may be sent to');
      expect(target.connections).to.equal(0);
    });

    it('by plain http, which only they may use', async () => {
      const { post: send } = createClient({ allowPrivate: false });
      expect(await send('http://merchant.example/', {}, BODY)).to.include({ errorClass: 'url' });
    });

    it('at metadata services, not even where private networks are allowed', async () => {
      for (const host of ['169.254.169.254', '[fd00:ec2::254]', '168.63.129.16'])
        expect(await createClient().post(`http://${host}/`, {}, BODY), host).to.include({
          errorClass: 'address_blocked',
        });
    });
  });

  it('uses no port below 1024 but 80 and 443, wherever', async () => {
    for (const port of [0, 22, 25, 1023])
      for (const allowPrivate of [true, false])
        expect(await createClient({ allowPrivate }).post(`https://127.0.0.1:${port}/`, {}, BODY)).to.include({
          errorClass: 'port_blocked',
        });
  });

  it('is waited for by close(), after which connections are closed and nothing more is sent', async () => {
    const target = await receiver(async () => {
      await sleep(50);
      return {};
    });
    const { post: send, close } = createClient();
    const inFlight = send(target.url, {}, BODY);
    await target.waitFor(1);
    await close();
    expect(await inFlight).to.include({ ok: true });
    await target.waitUntilQuiet(1_000);
    expect(await send(target.url, {}, BODY)).to.include({ ok: false, errorClass: 'internal' });
    expect(target.requests).to.have.length(1);
  });
});

/** No upper bound: these receivers go on for ever, and a request without a deadline would never end. */
function expectDeadline({ durationMs }: DeliveryResult): void {
  expect(durationMs).to.be.at.least(SHORT_MS - 5);
}
