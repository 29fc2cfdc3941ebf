import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { countHosts } from '../../../../src/platform/config/chains.ts';
import { JsonRpc } from '../../../../src/domain/chain/rpc/json-rpc.ts';
import { ProviderError } from '../../../../src/domain/chain/rpc/provider-error.ts';
import { Providers } from '../../../../src/domain/chain/rpc/providers.ts';
import {
  dripBody,
  hang,
  hugeBody,
  redirect,
  reset,
  startReceiver,
  truncatedBody,
  type Answer,
} from '../../../support/receivers.ts';

const zipped = (body: Buffer): Answer => ({ headers: { 'Content-Encoding': 'gzip' }, body });
const json = (value: unknown): Answer => ({ body: JSON.stringify(value) });

describe('the JSON-RPC of a provider', () => {
  /** Asks a server that answers so, and returns the result or the error. */
  const ask = async (answer: Answer): Promise<unknown> => {
    const receiver = await startReceiver({ answer: () => answer });
    const url = receiver.url.replace('http://', 'http://user:password@').replace('/hooks', '/v2/SECRETKEY');
    const rpc = new JsonRpc(url, 1, { maxBodyBytes: 100_000, maxValues: 1_000, requestSeconds: 0.2 });
    try {
      return await rpc.call('eth_blockNumber').catch((error: unknown) => error);
    } finally {
      await rpc.close();
      await receiver.close();
    }
  };

  const FAULTS: Readonly<Record<string, readonly [fault: string, answer: Answer]>> = {
    'a page of HTML': ['not_json', { body: '<html>' }],
    'an empty body': ['not_json', {}],
    'status 500': ['status', { status: 500 }],
    'an error of a method with its status, as Bitcoin Core sends it': [
      'rpc_error',
      { status: 500, body: '{"result":null,"error":{"code":-5,"message":"SECRETKEY"},"id":0}' },
    ],
    'status 500 with JSON': ['status', { status: 500, body: '{"error":"SECRETKEY"}' }],
    'status 401 that repeats the key': ['status', { status: 401, body: 'bad key SECRETKEY' }],
    'a redirect': ['status', redirect(302, 'http://127.0.0.1:1/')],
    'status 429': ['rate_limited', { status: 429, headers: { 'Retry-After': '7' } }],
    'no result': ['no_result', json({ jsonrpc: '2.0', id: 0 })],
    'the result of another request': ['no_result', json({ jsonrpc: '2.0', id: 5, result: '0x1' })],
    'a list': ['no_result', json([])],
    'an error that repeats the key': [
      'rpc_error',
      json({ id: 0, error: { code: -32005, message: 'key SECRETKEY has no credit' } }),
    ],
    'a body without end': ['timeout', dripBody()],
    nothing: ['timeout', hang],
    'too much': ['too_large', hugeBody(200_000)],
    'a little that is too much once it is parsed': ['too_large', { body: `[${'[],'.repeat(999)}0]` }],
    'a little that decompresses to too much': ['too_large', zipped(gzipSync(Buffer.alloc(200_000, 'y')))],
    'half a compressed body': ['unreachable', zipped(gzipSync(randomBytes(1_000)).subarray(0, 500))],
    'a compressed body without end': [
      'timeout',
      (response) =>
        void response.writeHead(200, { 'Content-Encoding': 'gzip' }).write(gzipSync('{}').subarray(0, 9)),
    ],
    'a compressed body that is none': ['unreachable', zipped(Buffer.from('{"id":0,"result":null}'))],
    'half a body': ['unreachable', truncatedBody()],
    'a reset': ['unreachable', reset],
  };
  for (const [what, [fault, answer]] of Object.entries(FAULTS))
    it(`says of ${what} that it is ${fault}, and names no secret`, async () => {
      const error = await ask(answer);
      expect(error).to.be.instanceOf(ProviderError);
      const { fault: told, message, stack, retryAfterSeconds } = error as ProviderError;
      expect(told).to.equal(fault);
      expect(`${message} ${stack}`).to.not.match(/SECRETKEY|password|\/v2/);
      expect(message).to.match(/^provider 1 127\.0\.0\.1:\d+ /);
      expect(retryAfterSeconds).to.equal(fault === 'rate_limited' ? 7 : null);
    });

  it('returns a result, which may be null, and signs in with what the URL says', async () => {
    expect(await ask(json({ id: 0, result: null }))).to.equal(null);
    expect(await ask(zipped(gzipSync('{"id":0,"result":"0x2"}')))).to.equal('0x2');
    const receiver = await startReceiver({ answer: () => json({ id: 0, result: '0x1' }) });
    const rpc = new JsonRpc(receiver.url.replace('http://', 'http://us%40r:pass@'), 1);
    try {
      expect(await rpc.call('eth_blockNumber')).to.equal('0x1');
      const [request] = receiver.requests;
      expect(request?.headers.authorization).to.equal(`Basic ${Buffer.from('us@r:pass').toString('base64')}`);
      expect(JSON.parse(String(request?.rawBody))).to.deep.equal({
        jsonrpc: '2.0',
        id: 0,
        method: 'eth_blockNumber',
        params: [],
      });
    } finally {
      await rpc.close();
      await receiver.close();
    }
  });

  it('refuses a URL that is none without repeating it', () => {
    try {
      void new JsonRpc('https//SECRETKEY', 2);
      expect.fail('it was taken');
    } catch (error) {
      expect(inspect(error)).to.include('the URL of provider 2 is none').and.not.include('SECRETKEY');
    }
  });

  it('names the code of an error, and has null in a batch for one that means that there is nothing', async () => {
    const none = { code: -5, message: 'no such transaction' };
    const receiver = await startReceiver({
      answer: () =>
        json([
          { id: 1, result: null, error: none },
          { id: 0, result: 'a', error: null },
        ]),
    });
    const rpc = new JsonRpc(receiver.url, 1);
    try {
      const calls = ['one', 'two'].map((method) => ({ method, params: [] }));
      const isNone = (error: unknown) => error instanceof ProviderError && error.code === none.code;
      expect(await rpc.batch(calls, isNone)).to.deep.equal(['a', null]);
      const error = await rpc.batch(calls).catch((thrown: unknown) => thrown);
      expect(error).to.include({ fault: 'rpc_error', code: -5 });
    } finally {
      await rpc.close();
      await receiver.close();
    }
  });

  it('puts the answers of a batch in order', async () => {
    const receiver = await startReceiver({
      answer: () =>
        json([
          { id: 1, result: 'b' },
          { id: 0, result: 'a' },
        ]),
    });
    const rpc = new JsonRpc(receiver.url, 1);
    try {
      const calls = ['one', 'two'].map((method) => ({ method, params: [] }));
      expect(await rpc.batch(calls)).to.deep.equal(['a', 'b']);
      const missing = [...calls, { method: 'three', params: [] }];
      expect(await rpc.batch(missing).catch((error: unknown) => error)).to.include({ fault: 'no_result' });
    } finally {
      await rpc.close();
      await receiver.close();
    }
  });
});

describe('the providers of a network', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
  const URLS = ['https://a.example/KEY', 'https://b.example/KEY', 'https://a.example/OTHER'];

  it('take turns, are named by place and host, and rest for twice as long each time they fail', () => {
    const providers = new Providers(URLS);
    const turn = (seconds: number) => providers.next(at(seconds));
    expect([0, 0, 0, 0].map((seconds) => turn(seconds)?.name)).to.deep.equal([
      '1 a.example',
      '2 b.example',
      '3 a.example',
      '1 a.example',
    ]);
    const second = turn(0);
    if (second === null) throw new Error('none is well');
    providers.failed(second, new Error('x'), at(0));
    expect([0, 0, 0].map((seconds) => turn(seconds)?.name)).to.not.include(second.name);
    expect([1, 1, 1].map((seconds) => turn(seconds)?.name)).to.include(second.name);
    for (const rest of [2, 4, 8, 16, 32, 60, 60]) {
      providers.failed(second, new Error('x'), at(100));
      expect([0, 0, 0].map(() => turn(100 + rest - 1)?.name)).to.not.include(second.name);
      expect([0, 0, 0].map(() => turn(100 + rest)?.name)).to.include(second.name);
    }
    providers.succeeded(second, 5);
    expect(providers.health(at(100)).map(({ ok }) => ok)).to.deep.equal([true, true, true]);
  });

  it('rest for as long as one asks, within bounds, and say how long none can be asked', () => {
    const providers = new Providers(URLS.slice(0, 1));
    const only = providers.next(at(0));
    if (only === null) throw new Error('none is well');
    providers.failed(only, new ProviderError('rate_limited', 'x', { retryAfterSeconds: 30 }), at(0));
    expect(providers.next(at(29))).to.equal(null);
    expect(providers.secondsUntilNext(at(0))).to.equal(30);
    providers.failed(only, new ProviderError('rate_limited', 'x', { retryAfterSeconds: 100_000 }), at(0));
    expect(providers.secondsUntilNext(at(0))).to.equal(300);
    expect(providers.secondsUntilNext(at(300))).to.equal(0);
  });

  it('tell how far each is behind the highest head, and second ones are of other hosts', () => {
    const providers = new Providers(URLS);
    const [first, second] = [providers.next(at(0)), providers.next(at(0))];
    if (first === null || second === null) throw new Error('none is well');
    providers.succeeded(first, 100);
    providers.succeeded(second, 90);
    expect(providers.health(at(0))).to.deep.equal([
      { name: '1 a.example', ok: true, lag: 0 },
      { name: '2 b.example', ok: true, lag: 10 },
      { name: '3 a.example', ok: true, lag: null },
    ]);
    expect(providers.others(first, at(0)).map(({ name }) => name)).to.deep.equal(['2 b.example']);
    expect(providers.others(second, at(0)).map(({ name }) => name)).to.deep.equal([
      '1 a.example',
      '3 a.example',
    ]);
  });

  it('on several ports of one host, or under its name with a dot, are no second source', () => {
    const urls = ['http://node.example:8545', 'http://node.example:8546', 'http://NODE.example.:8547'];
    const providers = new Providers([...urls, 'http://other.example:8545']);
    const first = providers.next(at(0));
    if (first === null) throw new Error('none is well');
    expect(first.name).to.equal('1 node.example:8545');
    expect(providers.others(first, at(0)).map(({ name }) => name)).to.deep.equal(['4 other.example:8545']);
    expect([countHosts(urls), countHosts([...urls, 'http://other.example'])]).to.deep.equal([1, 2]);
  });

  it('take turns with polls whatever else is asked between these: none can hide anything for longer', () => {
    const providers = new Providers(URLS.slice(0, 2));
    const polled = [0, 1, 2, 3].map((seconds) => {
      const { name } = providers.next(at(seconds)) ?? {};
      providers.toAsk(at(seconds));
      return name;
    });
    expect(new Set(polled)).to.have.members(['1 a.example', '2 b.example']);
  });

  it('are each asked first at times, however many questions belong together', () => {
    for (const together of [1, 2, 3, 4, 6, 9]) {
      const providers = new Providers(URLS);
      const first = Array.from({ length: 60 }, () => providers.toAsk(at(0))[0]?.name);
      const last = first.filter((_, question) => question % together === together - 1);
      expect(new Set(last).size, `of ${together}`).to.equal(URLS.length);
    }
    expect(new Providers(URLS).toAsk(at(0))).to.have.length(URLS.length);
  });
});
