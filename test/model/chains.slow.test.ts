import { expect } from 'chai';
import type { BitcoinClient } from '../../src/domain/chain/bitcoin/client.ts';
import type { CoinId } from '../../src/domain/chain/coins.ts';
import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import type { ChainClient } from '../../src/domain/chain/port.ts';
import { reportText } from '../../src/domain/ops/verify/report.ts';
import { verifyChains } from '../../src/domain/ops/verify-chain/run.ts';
import { useBitcoinStand } from '../support/bitcoin-stand.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { MerchantRefunds } from '../support/merchant-refunds.ts';
import { randomFrom } from '../support/random.ts';
import { openRealNetwork } from '../support/real-network.ts';
import { openShop } from '../support/shop.ts';
import { groupBy } from '../../src/platform/postgres/db.ts';
import { bitcoinScriptNode } from './bitcoin-script-node.ts';
import type { ModelRefund } from './chain-refunds.ts';
import { playBatch, type Expected } from './chain-scripts.ts';
import { unitsOf, type ScriptNode } from './chain-stand.ts';
import { evmScriptNode } from './evm-script-node.ts';

/** `npm run test:model:chains` runs 10,000 of them on each node. */
const SCRIPTS = Number(process.env.MODEL_CHAIN_SCRIPTS ?? 120);
const AT_ONCE = 250;
/** Of the transfers of a script, refunds included, at most. */
const ACCOUNTS_EACH = 6;
const SEED = Number(process.env.MODEL_CHAIN_SEED ?? 1);
const BITCOIN_DEPTH = 6;

interface Played {
  readonly network: 'ethereum' | 'bitcoin';
  readonly url: string;
  readonly client: ChainClient & { close(): Promise<void> };
  readonly node: ScriptNode;
}

describe(`${SCRIPTS} scripts of payments on real nodes`, function () {
  this.timeout(0);
  const evm = useEvmStand(undefined, 'ethereum', {
    accounts: ACCOUNTS_EACH * Math.min(SCRIPTS, AT_ONCE),
    options: ['--gas-limit', '2000000000'],
  });
  const bitcoin = useBitcoinStand();

  /** Plays all scripts, and compares the model's sums, the ledger's and the chain's. */
  async function play(
    env: Record<string, string>,
    open: (harness: Harness) => Promise<Played>,
  ): Promise<void> {
    const harness = await createHarness(env);
    const { network, url, client, node } = await open(harness);
    const startedAt = performance.now();
    try {
      const shop = await openShop(harness);
      const real = openRealNetwork(harness, shop, () => client, network);
      await node.mine(1);
      while (await real.sync());
      const [merchant, other] = [await real.addMerchant(), await real.addMerchant()];
      const refunds = new MerchantRefunds(harness, real, {
        finish: () => Promise.resolve(),
        payIn: () => Promise.resolve(),
      });
      const random = randomFrom(SEED);
      const expected: Expected = new Map();
      const asked: ModelRefund[] = [];
      for (let left = SCRIPTS; left > 0; left -= AT_ONCE) {
        const stand = { harness, shop, real, node, refunds, merchant, other, random };
        await playBatch(stand, Math.min(left, AT_ONCE), { expected, refunds: asked });
      }
      const { config } = harness.ctx;
      const rpc = { [network]: { urls: [url], quorumUsd: 1e9 } };
      const ctx = { ...harness.ctx, config: { ...config, simulateLive: false, rpc } };
      const options = { networks: [network], after: '', fromBlock: network === 'bitcoin' ? 302 : null };
      const report = await verifyChains(ctx, options);
      expect(report.ok, reportText(report)).to.equal(true);
      expect(await ledgerOf(harness)).to.deep.equal(asRows(expected));
      const totals = report.networks[0]?.totals ?? [];
      for (const coin of new Set(node.coins)) {
        const own = totals.filter((one) => one.coin === coin);
        const sum = own.reduce((units, { ledger }) => units + unitsOf(ledger, coin), 0n);
        expect(sum, coin).to.equal(sumOf(expected, coin));
      }
      expect(await refundedOf(harness)).to.deep.equal(paidOf(asked));
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      console.log(`      ${SCRIPTS} scripts in ${seconds} s, ${report.networks[0]?.requests} requests`);
      console.log(`      ${totals.map(({ coin, ledger }) => `${ledger} ${coin}`).join(', ')}`);
      const byStatus = groupBy(asked, ({ status }) => status);
      console.log(
        `      ${[...byStatus].map(([status, own]) => `${own.length} refunds ${status}`).join(', ')}`,
      );
    } finally {
      await client.close();
      await harness.close();
    }
  }

  it('have equal sums in the model, in the ledger and on the chain: an EVM node', () =>
    play({}, async (harness) => {
      const stand = evm();
      const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
      harness.advance(Math.max(0, Number(timestamp) - harness.ctx.now().getTime() / 1_000) + 300);
      const client = new EvmClient(stand.options, harness.ctx.now);
      return { network: 'ethereum', url: stand.anvil.url, client, node: evmScriptNode(stand, harness) };
    }));

  it('have equal sums in the model, in the ledger and on the chain: a node of Bitcoin', () =>
    play({ CHAIN_PROFILE: 'regtest' }, async (harness) => {
      const stand = bitcoin();
      harness.advance(Math.max(0, (await stand.time()) - harness.ctx.now().getTime() / 1_000) + 300);
      const client: BitcoinClient = stand.client({ depth: BITCOIN_DEPTH }, harness.ctx.now);
      return { network: 'bitcoin', url: stand.btcd.url, client, node: bitcoinScriptNode(stand, harness) };
    }));
});

/** What the ledger has received, as `payment coin units`. */
async function ledgerOf({ ctx }: Harness): Promise<string[]> {
  const { rows } = await ctx.db.raw<{ rows: { payment_id: string; coin: CoinId; amount: string }[] }>(
    `SELECT payment_id, coin, sum(CASE kind WHEN 'received' THEN amount ELSE -amount END)::text AS amount
     FROM ledger_entries WHERE kind IN ('received', 'reversed') GROUP BY payment_id, coin`,
  );
  return rows
    .filter(({ amount }) => Number(amount) !== 0)
    .map(({ payment_id, coin, amount }) => `${payment_id} ${coin} ${unitsOf(amount, coin)}`)
    .toSorted();
}

/** What was sent back, by the ledger, as `coin units`. */
async function refundedOf({ ctx }: Harness): Promise<string[]> {
  const rows: { coin: CoinId; sum: string }[] = await ctx
    .db('ledger_entries')
    .where({ kind: 'refunded' })
    .select('coin')
    .sum('amount')
    .groupBy('coin');
  return rows.map(({ coin, sum }) => `${coin} ${unitsOf(sum, coin)}`).toSorted();
}

/** The same by the model. */
const paidOf = (refunds: readonly ModelRefund[]): string[] =>
  [
    ...groupBy(
      refunds.filter(({ status }) => status === 'COMPLETED'),
      ({ coin }) => coin,
    ),
  ]
    .map(([coin, own]) => `${coin} ${own.reduce((sum, { units }) => sum + units, 0n)}`)
    .toSorted();

const asRows = (expected: Expected): string[] =>
  [...expected]
    .flatMap(([payment, coins]) => [...coins].map(([coin, units]) => `${payment} ${coin} ${units}`))
    .toSorted();

const sumOf = (expected: Expected, coin: CoinId): bigint =>
  [...expected.values()].reduce((sum, coins) => sum + (coins.get(coin) ?? 0n), 0n);
