import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { reportText } from '../../../../src/domain/ops/verify/report.ts';
import { verifyChains } from '../../../../src/domain/ops/verify-chain/run.ts';
import { totalsText } from '../../../../src/domain/ops/verify-chain/totals.ts';
import { parseOpsCommand } from '../../../../src/processes/setup/ops/commands.ts';
import { wordOf } from '../../../support/anvil.ts';
import { FINAL_DEPTH, unitsOf, useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, createHarness, type Harness } from '../../../support/harness.ts';
import { RawAnswerInstead, startLyingProxy } from '../../../support/lying-proxy.ts';
import { MerchantRefunds } from '../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const OUTPUT = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };
const noPause = (_ms: number): Promise<unknown> => Promise.reject(new Error('no pause is expected'));

describe('verify --chain on an EVM network', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let client: EvmClient;
  let merchant: { id: string; apiKey: string };
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    client = new EvmClient(standOf().options, harness.ctx.now);
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

  const price = unitsOf('USDC', 10) + 500_000n;
  const finish = async () => {
    await standOf().mine(FINAL_DEPTH + 1);
    for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
  };
  const addressOf = async (id: string) => (await shop.payment(id)).address ?? '';
  const create = async () => {
    const id = await real.create({}, merchant);
    return { id, address: await addressOf(id) };
  };
  const paid = async (units = price) => {
    const created = await create();
    const hash = await standOf().pay('USDC', created.address, units);
    await finish();
    return { ...created, hash };
  };
  const sql = (text: string) => harness.ctx.db.raw(text);
  const contextOf = (url: string) => {
    const rpc = { ethereum: { urls: [url], quorumUsd: 1e9 } };
    return { ...harness.ctx, config: { ...harness.ctx.config, simulateLive: false, rpc } };
  };
  const compare = (pagePayments = 2, { url = standOf().anvil.url, pause = noPause } = {}) =>
    verifyChains(contextOf(url), { networks: ['ethereum'], after: '', fromBlock: null, pagePayments, pause });
  const differences = async () =>
    (await compare()).invariants.flatMap(({ name, examples }) =>
      examples.map(({ id, detail }) => `${name} ${id}: ${detail.replace(/^.* of wallet \w+: /, '')}`),
    );

  it('has equal sums for what is there, what has moved on, and nothing for what is in no final block', async () => {
    const stand = standOf();
    await paid();
    const moved = await paid();
    await stand.setBalance('USDC', moved.address, 0n);
    const parts = await create();
    await stand.pay('USDC', parts.address, unitsOf('USDC', 4));
    await stand.pay('USDC', parts.address, unitsOf('USDC', 1));
    await finish();
    const waiting = await create();
    await stand.pay('USDC', waiting.address, price);
    await real.sync();
    const evicted = await create();
    await stand.pay('USDC', evicted.address, price);
    await real.sync();
    await stand.rpc('anvil_dropAllTransactions');
    await stand.mine();
    await real.sync();
    const report = await compare();
    expect(report.ok, reportText(report)).to.equal(true);
    const [network] = report.networks;
    const totals = network?.totals ?? [];
    expect(network?.block.height).to.equal((await stand.height()) - FINAL_DEPTH);
    expect(totals).to.have.length(1);
    expect(totals[0]).to.include({ coin: 'USDC', addresses: 3, ledger: '26', held: '15.5', left: '10.5' });
    expect(report.checked).to.deep.equal({ 'payments on ethereum': 5 });
    expect(totalsText(report.networks)).to.match(
      /^ethereum, up to its final block \d+ 0x[0-9a-f]{64} of \S+Z: \d+ requests\n {2}wal_\w+ USDC {2}3 addresses, ledger 26: 15\.5 held, 10\.5 moved on$/,
    );
  });

  it('waits while a provider has had enough, and tells where to go on when it stays away', async () => {
    const proxy = await startLyingProxy(standOf().anvil);
    try {
      const ids = [(await paid()).id, (await paid()).id];
      const [first = ''] = ids.toSorted();
      let refused = 3;
      proxy.lie = ({ method }, truth) =>
        method === 'eth_call' && (refused -= 1) >= 0
          ? new RawAnswerInstead({ status: 429, headers: { 'Retry-After': '7' } })
          : truth;
      const waits: number[] = [];
      const pause = (ms: number) => Promise.resolve(void waits.push(ms));
      expect((await compare(2, { url: proxy.url, pause })).ok).to.equal(true);
      expect(waits).to.deep.equal([7_000, 7_000, 7_000]);
      proxy.lie = ({ method }, truth) => (method === 'eth_call' ? null : truth);
      const command = parseOpsCommand(['verify', '--chain', '--network', 'ethereum', '--after', first]);
      if ('help' in command) throw new Error('help');
      const fault = await command.run(contextOf(proxy.url), OUTPUT).catch((error: unknown) => error);
      expect((fault as Error).message).to.match(
        new RegExp(`^data is not hexadecimal\\. Run it again, --after ${first} with one --network`),
      );
      proxy.lie = null;
      const { text, isBad } = await command.run(contextOf(proxy.url), OUTPUT);
      expect(isBad).to.equal(false);
      expect(text).to.include('1 addresses, ledger 10.5: 10.5 held, 0 moved on');
      expect(text).to.match(/All invariants hold: 1 payments on ethereum\. [\d.]+ s\.$/);
    } finally {
      await proxy.close();
    }
  });

  it('names what the ledger has and the chain has not, to the last unit', async () => {
    const stand = standOf();
    const one = await paid();
    await stand.setBalance('USDC', one.address, 0n);
    await sql(`UPDATE ledger_entries SET amount = amount + 0.000001 WHERE payment_id = '${one.id}'`);
    await finish();
    expect(await differences()).to.deep.equal([
      `on chain ${one.id}: the ledger has 10.500001 USDC, the chain 10.5`,
    ]);
    await sql(`UPDATE ledger_entries SET amount = amount - 0.000001 WHERE payment_id = '${one.id}'`);
    const fake = `0x${'ab'.repeat(32)}`;
    await sql(`UPDATE transfers SET tx_hash = '${fake}' WHERE payment_id = '${one.id}'`);
    const [said] = await differences();
    expect(said).to.match(
      new RegExp(
        `^on chain ${one.id}: the ledger has 10.5 USDC, the chain 0; ${fake} of block \\d+ moves 0, and not 10.5`,
      ),
    );
  });

  it('names money of a transfer that was dropped and is in the ledger still', async () => {
    const one = await paid();
    await sql(
      `UPDATE transfers SET dropped_at = seen_at, block_height = NULL WHERE payment_id = '${one.id}'`,
    );
    await standOf().setBalance('USDC', one.address, 0n);
    await finish();
    expect(await differences()).to.deep.equal([`on chain ${one.id}: the ledger has 10.5 USDC, the chain 0`]);
  });

  it('names what addresses hold that nobody knows of, of tokens and of the native coin', async () => {
    const stand = standOf();
    const [one, two] = [await paid(), await create()];
    await stand.setBalance('USDC', one.address, price + 1n);
    await stand.rpc('anvil_setBalance', two.address, wordOf(3n));
    await finish();
    expect(await differences()).to.have.members([
      `known money ${one.id}: it holds 10.500001 USDC, 0.000001 more than is known`,
      `known money ${two.id}: it holds 0.000000000000000003 ETH, 0.000000000000000003 more than is known`,
    ]);
  });

  it('compares refunds with what their transactions paid', async () => {
    const stand = standOf();
    const refunds = new MerchantRefunds(harness, real, {
      finish,
      payIn: async (id) => stand.pay('USDC', await addressOf(id), price),
    });
    const id = await refunds.settled(merchant);
    const refund = await refunds.ask(merchant, id, { amount: '1', address: stand.account() });
    // Its block is later than the refund, by the service's clock.
    harness.advance(3_600);
    await stand.rpc('evm_setNextBlockTimestamp', harness.ctx.now().getTime() / 1_000);
    const hash = await stand.pay('USDC', refund.address ?? '', unitsOf('USDC', 1));
    await finish();
    expect(await refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
    const report = await compare();
    expect(report.ok, reportText(report)).to.equal(true);
    expect(report.networks[0]?.totals[0]).to.include({ ledger: '10.5', refunded: '1' });
    await sql(`UPDATE refunds SET coin_amount = '1.000001' WHERE id = '${refund.id}'`);
    const [said = ''] = await differences();
    expect(said).to.match(
      new RegExp(
        `^paid back ${refund.id}: COMPLETED by ${hash} \\(block \\d+\\): 1.000001 USDC in the books, on the chain 1$`,
      ),
    );
  });
});
