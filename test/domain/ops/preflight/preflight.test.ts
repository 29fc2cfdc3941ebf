import { expect } from 'chai';
import type { Context as MochaContext } from 'mocha';
import { COINS_ON_NETWORKS } from '../../../../src/domain/chain/coins.ts';
import { storeRates } from '../../../../src/domain/chain/rates/store.ts';
import { newProcess, recordBeat } from '../../../../src/domain/ops/health/processes.ts';
import type { Finding } from '../../../../src/domain/ops/preflight/finding.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import type { Config } from '../../../../src/platform/config/config.ts';
import { openDb, type Db } from '../../../../src/platform/postgres/db.ts';
import { Leadership } from '../../../../src/platform/postgres/leadership.ts';
import { preflightCommand } from '../../../../src/processes/setup/ops/before-start.ts';
import { verifyWebhook } from '../../../../src/sdk/index.ts';
import { findAnvil, startAnvil, type Anvil } from '../../../support/anvil.ts';
import { BEGIN, createHarness, type Harness, type TestMerchant } from '../../../support/harness.ts';
import { RawAnswerInstead, startLyingProxy, type LyingProxy } from '../../../support/lying-proxy.ts';
import { startMailServer } from '../../../support/mail-server.ts';
import { serveRates, type ServedRates } from '../../../support/rate-sites.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { addWallet, useWallet } from '../../../support/wallets.ts';

const SEPOLIA = 11_155_111;
/** As providers put it into their URLs. */
const KEY = 'k3ySt4nd1ngInAPath';

describe('npm run ops -- preflight', function () {
  this.timeout(60_000);
  let anvil: Anvil;
  let proxy: LyingProxy;
  let rates: ServedRates;
  let harness: Harness;
  let merchant: TestMerchant;
  let receiver: Receiver;
  let isCorrect: boolean;
  let leads: Leadership[];
  let readOnly: Db;

  before(async function (this: MochaContext) {
    const binary = findAnvil();
    if (binary === null) this.skip();
    const begin = String(BEGIN.getTime() / 1_000 - 60);
    anvil = await startAnvil(binary, SEPOLIA, [
      '--no-mining',
      '--slots-in-an-epoch',
      '4',
      '--timestamp',
      begin,
    ]);
    await anvil.rpc('anvil_mine', ['0x10']);
    proxy = await startLyingProxy(anvil);
    rates = await serveRates(BEGIN);
  });
  after(async () => {
    await proxy?.close();
    await anvil?.close();
    await rates?.close();
  });
  beforeEach(async () => {
    proxy.lie = null;
    isCorrect = true;
    harness = await createHarness({ CHAIN_PROFILE: 'testnet' });
    const { ctx } = harness;
    merchant = await harness.addMerchant({ mode: 'live' });
    receiver = await startReceiver({
      answer: ({ rawBody, headers }) => {
        const secrets = merchant.webhookSecret;
        const { ok } = verifyWebhook({ rawBody, headers, secrets, now: ctx.systemNow() });
        return { status: ok && isCorrect ? 200 : 401 };
      },
    });
    const config = { webhookUrl: receiver.url, enabled: true };
    await harness.api('put', '/v1/webhooks/config', merchant.apiKey).send(config).expect(200);
    await useWallet(ctx, merchant.id);
    for (const kind of ['web', 'worker', 'watcher'] as const)
      await recordBeat(ctx, newProcess(kind, ctx.now()), {});
    await ctx.db('chain_cursors').insert({
      chain: 'ethereum/live',
      cursor: '16',
      head: 16,
      scanned_until: addSeconds(ctx.now(), -10),
    });
    const priced = new Map(
      COINS_ON_NETWORKS.map(({ coin }) => [
        coin,
        { usd: '1', sources: ['kraken', 'coinbase'], at: ctx.now() },
      ]),
    );
    await storeRates(ctx.db, priced);
    leads = ['watch ethereum', 'watch rates'].map(
      (key) => new Leadership(ctx.config.databaseUrl, 'watcher lead 1', key),
    );
    for (const lead of leads) await lead.hold();
    // A connection that is opened meanwhile writes nothing.
    const database = `ALTER DATABASE "${new URL(ctx.config.databaseUrl).pathname.slice(1)}"`;
    const { databaseUrl: own } = ctx.config;
    await ctx.db.raw(`${database} SET default_transaction_read_only = on`);
    readOnly = openDb({ url: own, poolSize: 1, acquireMs: 10_000, queryMs: 10_000, name: 'test' });
    const { rows } = (await readOnly.raw('SHOW transaction_read_only')) as { rows: object[] };
    await ctx.db.raw(`${database} RESET default_transaction_read_only`);
    expect(rows).to.deep.equal([{ transaction_read_only: 'on' }]);
  });
  afterEach(async () => {
    await Promise.all(leads.map((lead) => lead.end()));
    await readOnly.destroy();
    await receiver.close();
    await harness.close();
  });

  const url = () => `${proxy.url}?key=${KEY}`;
  /** The same node by the name of another host. */
  const second = () => anvil.url;
  const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };

  async function preflight(own: Partial<Config> = {}, id: string | null = merchant.id) {
    const { urls: rateUrls } = rates;
    const rpc = { ethereum: { urls: [url(), second()], quorumUsd: 1_000 } };
    const config = { ...harness.ctx.config, rpc, rateUrls, ...own };
    const ctx = { ...harness.ctx, config, db: readOnly };
    const text = (name: string) => (name === 'merchant' ? id : null);
    const result = await preflightCommand.run(ctx, { text, has: () => false }, output);
    expect(JSON.stringify(result)).to.not.include(KEY);
    const { findings } = result.facts as { findings: Finding[] };
    const bad = findings.filter(({ state }) => state !== 'ok');
    expect(result.isBad).to.equal(bad.length > 0);
    for (const { remedy } of bad) expect(remedy).to.be.a('string');
    return {
      text: result.text,
      findings,
      bad: bad.map((one) => `${one.state} ${one.check} ${one.subject}: ${one.says}`),
    };
  }

  it('finds nothing where everything is there, asks nothing that writes, and names what it saw', async () => {
    const { bad, text } = await preflight();
    expect(bad).to.deep.equal([]);
    for (const line of [
      /^ok {7}migrations: the database has all/m,
      /^ok {7}chain profile: CHAIN_PROFILE=testnet: Sepolia, nothing there is worth anything$/m,
      /^ok {7}RPC ethereum 1 localhost:\d+: it serves Sepolia, block 16 of .* ago, final 5/m,
      /^ok {7}RPC ethereum 2 127\.0\.0\.1:\d+: it serves Sepolia/m,
      /^ok {7}RPC ethereum: all have the same block 5, which is final$/m,
      /^ok {7}watcher ethereum: one leads, and has read up to 10 s ago/m,
      /^ok {7}wallet mer_\w+: wal_\w+, a xpub for EVM networks, its own, confirmed 2026/m,
      /^ok {7}webhook mer_\w+: .*The receiver passed all 9 cases\.$/m,
      /^\d+ ok, 0 missing, 0 broken\.$/m,
    ])
      expect(text).to.match(line);
    const { bad: ofAll, text: all } = await preflight({}, null);
    expect(ofAll).to.deep.equal([]);
    expect(all).to.include('each of 1 live merchants has one');
    // None of them changes the node.
    const reading = /^eth_(chainId|call|get\w+)$/;
    expect(proxy.calls.filter(({ method }) => !reading.test(method))).to.deep.equal([]);
  });

  const LIES: readonly (readonly [string, LyingProxy['lie'], RegExp])[] = [
    [
      'serves another chain',
      ({ method }, truth) => (method === 'eth_chainId' ? '0x1' : truth),
      /serves chain 1, not 11155111/,
    ],
    [
      'wants another key',
      () => new RawAnswerInstead({ status: 401, body: `no such key ${KEY}` }),
      /answered eth_chainId with status 401/,
    ],
    [
      'changes a header',
      ({ method, params }, truth) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { ...(truth as object), gasUsed: '0x1' }
          : truth,
      /block/,
    ],
    [
      'names no final block',
      ({ method, params }, truth) =>
        method === 'eth_getBlockByNumber' && params[0] === 'finalized' ? null : truth,
      /names no final block/,
    ],
    [
      'says other decimals of a token',
      ({ method, params: [call] }, truth) =>
        method === 'eth_call' && (call as { data: string }).data === '0x313ce567'
          ? `0x${'12'.padStart(64, '0')}`
          : truth,
      /says that USDC has 18 decimals, and not 6/,
    ],
    [
      'has no logs',
      ({ method }, truth) => {
        if (method !== 'eth_getLogs') return truth;
        throw Object.assign(new Error('no'), { code: -32_601 });
      },
      /it lacks eth_getLogs/,
    ],
  ];
  it('says where no forwarder can be deployed, once a wallet has them', async () => {
    proxy.lie = ({ method }, truth) => (method === 'eth_getCode' ? '0x' : truth);
    expect((await preflight()).bad).to.deep.equal([]);
    await useWallet(harness.ctx, merchant.id, { kind: 'forwarder' });
    const { bad } = await preflight();
    expect(bad).to.have.length(1);
    expect(bad[0]).to.match(/^broken RPC ethereum 1 localhost\S+ nothing is at 0x4e59b4\S+, which deploys/);
  });

  for (const [what, lie, says] of LIES)
    it(`says of a provider that ${what} what is wrong, and never shows its key`, async () => {
      proxy.lie = lie;
      const { bad } = await preflight();
      expect(bad).to.have.length(1);
      expect(bad[0])
        .to.match(/^broken RPC ethereum 1 localhost/)
        .and.match(says);
    });

  it('takes a provider without receipts by block, proofs and a pending block, and says so', async () => {
    const extra = ['eth_getBlockReceipts', 'eth_getProof'];
    proxy.lie = ({ method, params }, truth) => {
      if (params[0] === 'pending') return null;
      if (!extra.includes(method)) return truth;
      throw Object.assign(new Error('no'), { code: -32_601 });
    };
    const { bad, text } = await preflight();
    expect(bad).to.deep.equal([]);
    expect(text).to.include('; without eth_getBlockReceipts, the pending block, eth_getProof');
  });

  it('compares heads with the clock of the database, both ways', async () => {
    harness.advance(3_600);
    const { bad } = await preflight();
    expect(bad.filter((one) => one.includes('RPC'))).to.have.length(2);
    expect(bad.join('\n')).to.match(/its head 16 is 1 h .* old|its head 16 is .*old/);
    harness.advance(-7_200);
    expect((await preflight()).bad.join('\n')).to.match(/its head 16 is .* in the future/);
  });

  it('says where the watcher alone has the providers, and that one company is not enough', async () => {
    const { bad, findings } = await preflight({ rpc: {} });
    expect(bad).to.deep.equal(['missing RPC ethereum: RPC_URLS_ETHEREUM is not set here']);
    expect(findings.find(({ state }) => state === 'missing')?.remedy).to.include("the watcher's environment");
    expect((await preflight({ rpc: {} }, null)).bad).to.deep.equal([
      'missing RPC : no provider is known here',
    ]);
    const rpc = { ethereum: { urls: [url()], quorumUsd: 1_000 } };
    expect((await preflight({ rpc })).bad[0]).to.match(/^missing RPC ethereum: no second company/);
    expect((await preflight({ rpc: { ethereum: { urls: [url()], quorumUsd: 1e9 } } })).bad).to.deep.equal([]);
  });

  it('says when no watcher leads, and when one leads and does not read', async () => {
    harness.advance(100);
    proxy.lie = null;
    expect((await preflight()).bad).to.include(
      'broken watcher ethereum: ethereum is not read: payments there are seen later',
    );
    for (const lead of leads) await lead.end();
    const { bad } = await preflight();
    expect(bad).to.include('missing watcher ethereum: no watcher reads it');
    expect(bad).to.include('missing rates stored: no watcher stores them');
  });

  it('names the markets that do not answer, and the coins that are without a rate then', async () => {
    rates.broken.kraken = 503;
    rates.broken.coinbase = '<html>';
    try {
      const { bad } = await preflight();
      expect(bad[0]).to.match(/^broken rates kraken: 127\.0\.0\.1:\d+: status 503/);
      expect(bad[1]).to.match(/^broken rates coinbase: /);
      expect(bad[2]).to.match(
        /^broken rates markets: they give no rate for ETH: 1 of 1 readings are usable; USDC/,
      );
    } finally {
      rates.broken = {};
    }
  });

  it('says what a merchant lacks: a live mode, a coin that exists, a confirmed wallet, a receiver', async () => {
    const { ctx } = harness;
    const bare = await harness.addMerchant({ mode: 'live', currency: 'DAI' });
    expect((await preflight({}, bare.id)).bad.map((one) => one.replace(/mer_\w+/g, 'mer'))).to.deep.equal([
      'missing wallet mer: no wallet takes its payments on EVM networks',
      'broken merchant mer: DAI has no contract on Sepolia',
      'missing webhook mer: no receiver is set',
    ]);
    const pending = await addWallet(ctx, bare.id);
    const { bad, findings } = await preflight({}, bare.id);
    expect(bad[0]).to.include(`the wallet ${pending.id} is not confirmed`);
    expect(findings.find(({ check }) => check === 'wallet')?.remedy).to.include(
      `confirm --wallet ${pending.id}`,
    );
    expect((await preflight({}, null)).bad).to.deep.equal([
      `missing wallets : 1 of 2 live merchants have none: ${bare.id}`,
    ]);
    expect((await preflight({}, harness.merchant.id)).bad.join()).to.include('it is a test merchant');
  });

  it('asks for a wallet on each of the networks of a merchant', async () => {
    const { ctx } = harness;
    const methods = JSON.stringify([{ coin: 'BTC', network: 'bitcoin' }]);
    await ctx.db('merchants').where({ id: merchant.id }).update({ accepted_methods: methods });
    const { bad, findings } = await preflight();
    expect(
      bad.filter((one) => one.includes('wallet')).map((one) => one.replace(/mer_\w+/, 'mer')),
    ).to.deep.equal(['missing wallet mer: no wallet takes its payments on Bitcoin']);
    expect(findings.find(({ check, state }) => check === 'wallet' && state === 'missing')?.remedy).to.include(
      'wallet set --kind xpub --network bitcoin',
    );
    const coins = { mode: 'live', currency: 'BTC', network: 'bitcoin' } as const;
    const onBitcoin = await harness.addMerchant(coins);
    await useWallet(ctx, onBitcoin.id);
    expect((await preflight({}, null)).bad).to.deep.equal([
      `missing wallets : 1 of 2 live merchants have none: ${onBitcoin.id}`,
    ]);
  });

  it('says that a wallet was changed in the database, and that a receiver does not verify', async () => {
    await harness.ctx.db('wallets').update({ key_id: '0badc0de' });
    isCorrect = false;
    const { bad } = await preflight();
    expect(bad.join('\n'))
      .to.match(/broken secrets key : SECRETS_KEY is not the key of this database/)
      .and.match(/broken wallet mer_\w+: the wallet wal_\w+ is refused/)
      .and.match(/broken webhook mer_\w+: 127\.0\.0\.1:\d+: The receiver failed/);
  });

  it('signs in to the mail server, and sends nothing', async () => {
    const server = await startMailServer();
    try {
      expect((await preflight({ smtpUrl: server.url })).bad).to.deep.equal([]);
      expect(server.mails).to.deep.equal([]);
    } finally {
      await server.close();
    }
    expect((await preflight({ smtpUrl: server.url })).bad[0]).to.match(
      /^broken mail : the mail server cannot/,
    );
  });

  it('says what production needs and does not have', async () => {
    const settings = {
      production: true,
      chainProfile: 'mainnet',
      publicUrl: 'http://localhost:3000',
    } as const;
    const { bad } = await preflight({ ...settings, simulateLive: true });
    expect(bad.join('\n'))
      .to.include('missing public URL : http://localhost:3000 opens on no other machine')
      .and.include('broken chain profile : SIMULATE_LIVE=true')
      .and.match(/serves chain 11155111, not 1\b/);
  });

  it('runs before the release, and says that it has not run', async () => {
    await harness.ctx.db('schema_migrations').where('name', 'like', '0001%').delete();
    expect((await preflight()).bad).to.deep.equal(['missing migrations : the database lacks 0001_initial']);
    await harness.ctx.db.raw('DROP TABLE rates');
    expect((await preflight()).bad).to.include('missing rates stored: the release has not run');
  });
});
