import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { JsonRpc } from '../../../../src/domain/chain/rpc/json-rpc.ts';
import { openEvmWitness } from '../../../../src/domain/ops/verify-chain/evm-witness.ts';
import { verifyChains } from '../../../../src/domain/ops/verify-chain/run.ts';
import { wordOf } from '../../../support/anvil.ts';
import { FINAL_DEPTH, FORWARDER_CODE, newAddress, unitsOf, useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, createHarness, type Harness } from '../../../support/harness.ts';
import { MerchantRefunds } from '../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

describe('verify --chain', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let client: EvmClient;
  let merchant: { id: string; apiKey: string };
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    client = new EvmClient({ ...standOf().options, hasTraces: true }, harness.ctx.now);
    real = openRealNetwork(harness, shop, () => client);
    // Blocks have their time from the machine's clock since the chain's begin.
    harness.advance(300);
    await real.sync();
    merchant = await real.addMerchant();
  });
  afterEach(async () => {
    await client.close();
    await harness.close();
  });

  const finish = async () => {
    await standOf().mine(FINAL_DEPTH + 1);
    for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
  };
  const addressOf = async (id: string) => (await shop.payment(id)).address ?? '';
  const differences = async () => {
    const rpc = { ethereum: { urls: [standOf().anvil.url], quorumUsd: 1e9 } };
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, simulateLive: false, rpc } };
    const report = await verifyChains(ctx, { networks: ['ethereum'], after: '', fromBlock: null });
    return report.invariants.flatMap(({ name, examples }) =>
      examples.map(({ id, detail }) => `${name} ${id}: ${detail}`),
    );
  };

  it('names a refund that is completed by the transfer of another one', async () => {
    const stand = standOf();
    const refunds = new MerchantRefunds(harness, real, {
      finish,
      payIn: async (id) => stand.pay('USDC', await addressOf(id), unitsOf('USDC', 10) + 500_000n),
    });
    const id = await refunds.settled(merchant);
    const refund = await refunds.ask(merchant, id, { amount: '1', address: stand.account() });
    harness.advance(3_600);
    await stand.rpc('evm_setNextBlockTimestamp', harness.ctx.now().getTime() / 1_000);
    const hash = await stand.pay('USDC', refund.address ?? '', unitsOf('USDC', 1));
    await finish();
    expect(await refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
    expect(await differences()).to.deep.equal([]);
    const copy = refund.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const { place: _, ...row } = await harness.ctx
      .db('refunds')
      .where({ id: refund.id })
      .first<Record<string, unknown>>();
    await harness.ctx.db('refunds').insert({ ...row, id: copy, problem: null });
    expect(await differences()).to.deep.equal([
      `paid back ${copy}: COMPLETED by ${hash} (no transfer that was read has completed it, and no other ` +
        'refund): 1 USDC in the books, on the chain 1',
    ]);
  });

  it('names money on a network where the payment has no address', async () => {
    const id = await real.create({}, merchant);
    await standOf().pay('USDC', await addressOf(id), 1_000_000n);
    await finish();
    expect(await differences()).to.deep.equal([]);
    await harness.ctx.db('quotes').where({ payment_id: id }).update({ network: 'base' });
    expect(await differences()).to.deep.equal([
      `on chain ${id}: ethereum: the ledger has 1 USDC, and the payment has no address there`,
    ]);
  });

  it('finds what a contract has sent, and what has moved on since, by traces', async () => {
    const stand = standOf();
    const address = await addressOf(await real.create({}, merchant));
    const forwarder = await stand.deploy(FORWARDER_CODE);
    // What the node was told to change would belong to no block else.
    await stand.mine();
    await stand.send(forwarder, 9n, { data: wordOf(address), gas: '0x40000' });
    await finish();
    expect(await harness.ctx.db('transfers').where({ coin: 'ETH' })).to.have.length(1);
    expect(await differences()).to.deep.equal([]);
    await stand.rpc('anvil_setBalance', address, '0x0');
    await finish();
    expect(await differences()).to.deep.equal([]);
  });

  it('asks for fewer at once where receipts are more than an answer may be', async () => {
    const stand = standOf();
    const address = newAddress();
    const asked: { txHash: string; coin: 'USDC'; address: string; height: number }[] = [];
    for (let paid = 1n; paid <= 6n; paid += 1n)
      asked.push({ txHash: await stand.pay('USDC', address, paid), coin: 'USDC', address, height: 0 });
    await finish();
    const provider = new JsonRpc(stand.anvil.url, 1, { maxBodyBytes: 4_000 });
    try {
      const final = (await stand.height()) - FINAL_DEPTH;
      const witness = await openEvmWitness(harness.ctx, { provider, network: 'ethereum', final });
      const moved = await witness.moved(asked);
      expect(asked.map(({ txHash }) => moved.get(txHash)?.map(({ amount }) => amount))).to.deep.equal(
        [1, 2, 3, 4, 5, 6].map((units) => [`0.00000${units}`]),
      );
    } finally {
      await provider.close();
    }
  });
});
