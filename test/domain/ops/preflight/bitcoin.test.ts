import { expect } from 'chai';
import type { Finding } from '../../../../src/domain/ops/preflight/finding.ts';
import { networkChecks } from '../../../../src/domain/ops/preflight/networks.ts';
import { timeFault } from '../../../../src/domain/ops/preflight/provider.ts';
import { runChecks } from '../../../../src/domain/ops/preflight/finding.ts';
import type { Config } from '../../../../src/platform/config/config.ts';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startReceiver } from '../../../support/receivers.ts';

describe('npm run ops -- preflight of Bitcoin', () => {
  const standOf = useBitcoinStand();
  let harness: Harness;
  before(async () => (harness = await createHarness({ CHAIN_PROFILE: 'regtest' })));
  after(() => harness.close());

  /** What is found of its providers, a minute after the newest block. */
  async function found(urls: readonly string[], esplora: readonly string[] = [], own: Partial<Config> = {}) {
    const now = new Date(((await standOf().time()) + 60) * 1_000);
    const rpc = { bitcoin: { urls, esplora, quorumUsd: 1_000 } };
    const ctx = { ...harness.ctx, systemNow: () => now, config: { ...harness.ctx.config, rpc, ...own } };
    const all: Finding[] = await runChecks(networkChecks(ctx, ['bitcoin']), 20);
    expect(JSON.stringify(all)).to.not.include('user:password');
    return all.filter(({ check }) => check === 'RPC').map(({ state, says }) => `${state}: ${says}`);
  }

  it('finds nothing where a node serves the chain of the profile, and a second source has its block', async () => {
    const stand = standOf();
    const height = await stand.height();
    const site = await startReceiver({
      answer: async ({ path }) => {
        const [, at] = /block-height\/(\d+)$/.exec(path) ?? [];
        return { body: await stand.rpc<string>('getblockhash', Number(at)) };
      },
    });
    try {
      const elsewhere = site.url.replace('127.0.0.1', 'localhost');
      expect(await found([stand.btcd.url], [elsewhere])).to.deep.equal([
        `ok: it serves Bitcoin testnet, block ${height} of 60 s ago, final ${height - 5}`,
        `ok: all have the same block ${height - 5}, which is final`,
        'ok: from 1000 dollars on 2 hosts are asked',
      ]);
    } finally {
      await site.close();
    }
  });

  it('says that a node is of another chain, does not let us in, or stands still, and that one is not enough', async () => {
    const { btcd } = standOf();
    expect((await found([btcd.url], [], { chainProfile: 'mainnet' }))[0]).to.match(
      /^broken: provider 1 127\.0\.0\.1:\d+ serves another chain$/,
    );
    expect((await found([btcd.url.replace('user:', 'other:')]))[0]).to.match(/^broken: .*40[13]/);
    const [, single] = await found([btcd.url]);
    expect(single).to.include('missing: no second company');
  });

  it('lets a test network rest for hours, for nobody mines there for money, and the main one for two', async () => {
    const { btcd, time } = { btcd: standOf().btcd, time: await standOf().time() };
    const { ctx } = harness;
    const after = async (hours: number) => {
      const now = new Date((time + hours * 3_600) * 1_000);
      const config = { ...ctx.config, rpc: { bitcoin: { urls: [btcd.url], quorumUsd: 1e9 } } };
      const [node] = await runChecks(
        networkChecks({ ...ctx, systemNow: () => now, config }, ['bitcoin']),
        20,
      );
      return node;
    };
    expect(await after(23)).to.include({ state: 'ok' });
    expect((await after(25))?.says).to.match(/^its head \d+ is 25 h.* old$/);
    const head = { height: 1, time: new Date(time * 1_000) };
    const now = () => new Date((time + 3 * 3_600) * 1_000);
    const main = { ...ctx, systemNow: now, config: { ...ctx.config, chainProfile: 'mainnet' as const } };
    expect(timeFault(main, head, 'bitcoin')?.[0]).to.equal('its head 1 is 3 h old');
  });
});
