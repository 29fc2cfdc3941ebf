import { expect } from 'chai';
import { readLiveChains } from '../../src/domain/ops/chains.ts';
import { newWatchState, watchOnce } from '../../src/domain/payments/sync/watch-network.ts';
import type { BitcoinClient } from '../../src/domain/chain/bitcoin/client.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { DEPTH, useBitcoinStand } from '../support/bitcoin-stand.ts';
import { eachShop } from '../support/each-shop.ts';
import type { Harness } from '../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../support/real-network.ts';
import type { Shop } from '../support/shop.ts';

const BLOCK_SECONDS = 60;

describe('ops chain on a node of Bitcoin', () => {
  const standOf = useBitcoinStand();
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  const clients: BitcoinClient[] = [];
  eachShop(
    async (opened) => {
      ({ harness, shop } = opened);
      const { ctx } = harness;
      harness.advance(Math.max(0, (await standOf().time()) - ctx.now().getTime() / 1_000) + 300);
      const client = standOf().client({}, ctx.now);
      clients.push(client);
      real = openRealNetwork(harness, shop, () => client, 'bitcoin');
      await mine(1);
    },
    { CHAIN_PROFILE: 'regtest', CONFIRMATIONS_BITCOIN: `0=${DEPTH}` },
  );
  after(() => Promise.all(clients.map((client) => client.close())));

  const leadership = { hold: () => Promise.resolve(true), end: () => Promise.resolve() };
  const watch = async () => {
    const watched = { network: 'bitcoin', adapters: real.adapters.live, leadership } as const;
    const state = newWatchState();
    while ((await watchOnce(harness.ctx, watched, state)) === 0);
    // Two polls must agree on what is final.
    await watchOnce(harness.ctx, watched, state);
  };
  const mine = async (blocks: number) => {
    harness.advance(blocks * BLOCK_SECONDS);
    const now = harness.ctx.now().getTime() / 1_000;
    for (let left = blocks - 1; left >= 0; left -= 1)
      await standOf().mine({ time: now - left * BLOCK_SECONDS });
    await watch();
  };
  const ops = async (...args: string[]) => {
    const command = parseOpsCommand(['chain', ...args]);
    if ('help' in command) throw new Error('help');
    const output = {
      progress: () => undefined,
      write: () => Promise.resolve(),
      end: () => Promise.resolve(),
    };
    return command.run(harness.ctx, output);
  };
  const chain = async () => (await readLiveChains(harness.ctx.db))[0];
  const paid = async () => {
    const id = await real.create();
    await standOf().pay([(await shop.payment(id)).address ?? '', 500_000n]);
    await mine(DEPTH);
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    return id;
  };

  it('rescan reads final blocks again, and credits nothing twice', async () => {
    const id = await paid();
    const height = await standOf().height();
    const from = height - DEPTH - 2;
    expect((await ops('status')).text).to.match(
      new RegExp(`^bitcoin: head ${height} [0-9a-f]{64} of .* ago`),
    );
    expect((await ops('rescan', '--network', 'bitcoin', '--from', String(from))).text).to.equal(
      `bitcoin is read again from block ${from} on.`,
    );
    expect(await chain()).to.include({ scanned_until: null });
    await watch();
    expect((await chain())?.scanned_until).to.be.instanceOf(Date);
    expect((await shop.payment(id)).amount_received).to.equal('0.005');
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'processing PROCESSING',
    ]);
  });

  it('resume lets a network go on that a reorganisation below its final block has halted', async () => {
    const stand = standOf();
    const id = await paid();
    const fork = (await stand.height()) - DEPTH - 1;
    await stand.reorganise(DEPTH + 1);
    harness.advance((DEPTH + 3) * BLOCK_SECONDS);
    await watch();
    const { text, isBad } = await ops('status');
    expect(isBad).to.equal(true);
    expect(text).to.match(/HALTED .*: bitcoin was reorganised below its final block \d+/);
    // Its cursor is still of the branch that is gone: whoever only resumes it sees it halt again.
    expect((await ops('resume', '--network', 'bitcoin')).text).to.equal('bitcoin is read on within seconds.');
    await watch();
    expect((await chain())?.halted_at).to.be.instanceOf(Date);
    await ops('rescan', '--network', 'bitcoin', '--from', String(fork + 1));
    await ops('resume', '--network', 'bitcoin');
    await watch();
    expect((await chain())?.halted_at).to.equal(null);
    expect(await real.statusOf(id), 'its money is gone').to.be.oneOf(['PENDING', 'FAILED']);
    expect((await ops('resume', '--network', 'bitcoin')).text).to.equal('bitcoin had not halted.');
  });

  it('forget is refused while a payment needs the network', async () => {
    await real.create();
    const { text, isBad } = await ops('forget', '--network', 'bitcoin');
    expect(isBad).to.equal(true);
    expect(text).to.match(/^bitcoin is needed by 1 payments and 0 refunds that are not finished/);
  });
});
