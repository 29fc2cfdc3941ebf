import { expect } from 'chai';
import type { BitcoinClient } from '../../../../src/domain/chain/bitcoin/client.ts';
import { reportText } from '../../../../src/domain/ops/verify/report.ts';
import { verifyChains } from '../../../../src/domain/ops/verify-chain/run.ts';
import { DEPTH, useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startLyingProxy } from '../../../support/lying-proxy.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const BLOCK_SECONDS = 60;

describe('verify --chain on Bitcoin', () => {
  const standOf = useBitcoinStand();
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let client: BitcoinClient;
  beforeEach(async () => {
    harness = await createHarness({ CHAIN_PROFILE: 'regtest', CONFIRMATIONS_BITCOIN: `0=${DEPTH}` });
    shop = await openShop(harness);
    const { ctx } = harness;
    harness.advance(Math.max(0, (await standOf().time()) - ctx.now().getTime() / 1_000) + 300);
    client = standOf().client({}, ctx.now);
    real = openRealNetwork(harness, shop, () => client, 'bitcoin');
    await mine(1);
  });
  afterEach(async () => {
    await client.close();
    await harness.close();
  });

  const mine = async (blocks: number) => {
    harness.advance(blocks * BLOCK_SECONDS);
    const now = harness.ctx.now().getTime() / 1_000;
    for (let left = blocks - 1; left >= 0; left -= 1)
      await standOf().mine({ time: now - left * BLOCK_SECONDS });
    for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
  };
  const create = async () => {
    const id = await real.create();
    return { id, address: (await shop.payment(id)).address ?? '' };
  };
  const compare = (fromBlock: number | null = null, url = standOf().btcd.url) => {
    const rpc = { bitcoin: { urls: [url], quorumUsd: 1e9 } };
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, simulateLive: false, rpc } };
    return verifyChains(ctx, { networks: ['bitcoin'], after: '', fromBlock });
  };
  const differences = async (fromBlock: number | null = null) =>
    (await compare(fromBlock)).invariants.flatMap(({ name, examples }) =>
      examples.map(({ id, detail }) => `${name} ${id}: ${detail}`),
    );
  const sql = (text: string) => harness.ctx.db.raw(text);

  it('finds each transaction of the ledger by its id, and names what is in no final block', async () => {
    const stand = standOf();
    const [one, two, pooled] = [await create(), await create(), await create()];
    await stand.pay([one.address, 300_000n], [one.address, 200_000n], [two.address, 7n * 100_000n]);
    await mine(DEPTH + 1);
    await stand.pay([pooled.address, 500_000n]);
    await real.sync();
    const from = (await stand.height()) - DEPTH - 1;
    const report = await compare(from);
    expect(report.ok, reportText(report)).to.equal(true);
    expect(report.networks[0]?.totals.map(({ ledger }) => ledger)).to.have.members(['0.005', '0.007']);
    await sql(`UPDATE ledger_entries SET amount = amount + 0.00000001 WHERE payment_id = '${two.id}'`);
    expect(await differences()).to.deep.equal([
      `on chain ${two.id}: bitcoin ${two.address} of wallet ${report.networks[0]?.totals.find(({ ledger }) => ledger === '0.007')?.wallet_id}: the ledger has 0.00700001 BTC, the chain 0.007`,
    ]);
  });

  it('names a transaction that is in another block than the books say', async () => {
    const one = await create();
    await standOf().pay([one.address, 500_000n]);
    await mine(DEPTH + 1);
    await sql(`UPDATE transfers SET block_height = block_height - 1 WHERE payment_id = '${one.id}'`);
    expect((await differences())[0]).to.match(
      /the ledger has 0\.005 BTC, the chain 0; [0-9a-f]{64} of block/,
    );
  });

  it('compares nothing with a node that has no index of transactions, which would know none of them', async () => {
    const one = await create();
    await standOf().pay([one.address, 500_000n]);
    await mine(DEPTH + 1);
    const proxy = await startLyingProxy(standOf().btcd);
    proxy.lie = ({ method }, truth) => {
      if (method !== 'getrawtransaction') return truth;
      throw Object.assign(new Error('No such mempool transaction. Use -txindex'), { code: -5 });
    };
    try {
      const refused = await compare(null, proxy.url).catch((error: unknown) => error);
      expect((refused as Error).message).to.match(
        /^provider 1 localhost:\d+ has no whole index of transactions/,
      );
    } finally {
      await proxy.close();
    }
  });

  it('finds in blocks what nobody knows of, where it is asked to read them', async () => {
    const one = await create();
    const { id } = await standOf().pay([one.address, 500_000n]);
    await mine(DEPTH + 1);
    await sql(`DELETE FROM ledger_entries WHERE payment_id = '${one.id}'`);
    await sql(`DELETE FROM transfers WHERE payment_id = '${one.id}'`);
    expect(await differences()).to.deep.equal([]);
    const height = (await standOf().height()) - DEPTH;
    expect(await differences(height - 1)).to.deep.equal([
      `known money ${one.id}: bitcoin ${one.address}: 0.005 BTC came by ${id} in block ${height}, and is not in the books`,
    ]);
  });
});
