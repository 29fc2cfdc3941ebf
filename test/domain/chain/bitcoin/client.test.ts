import { expect } from 'chai';
import { Refused } from '../../../../src/domain/chain/rpc/refused.ts';
import { ADDRESSES, newAddress, OPEN_LEGACY_SCRIPT } from '../../../support/bitcoin-blocks.ts';
import { DEPTH, useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { startLyingProxy } from '../../../support/lying-proxy.ts';

describe('a client of Bitcoin', () => {
  const standOf = useBitcoinStand();

  it('reports a transfer to the satoshi, and makes it final with its block', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const { id } = await stand.pay([address, 1_234_567n]);
    const { hash, height } = await stand.mine();
    const mined = await follower.pollAll();
    expect(mined.next).to.equal('head');
    expect(mined.transfers).to.have.length(1);
    expect(mined.transfers[0]).to.deep.include({
      network: 'bitcoin',
      txHash: id,
      coin: 'BTC',
      address,
      amount: '0.01234567',
      sender: null,
      block: { height, hash },
      final: false,
      droppedAt: null,
      replacedBy: null,
      reason: null,
    });
    expect([mined.head.height, mined.head.hash]).to.deep.equal([height, hash]);
    await stand.mineAll(DEPTH - 2);
    expect((await follower.pollAll()).finalHeight).to.equal(height - 1);
    expect(follower.confirmed.size).to.equal(0);
    await stand.mine();
    const last = await follower.pollAll();
    expect([last.finalHeight, last.safeHeight]).to.deep.equal([height, height]);
    expect([...follower.confirmed.values()].map(({ txHash }) => txHash)).to.deep.equal([id]);
  });

  it('begins at the final height, and reports nothing from before', async () => {
    const stand = standOf();
    const address = newAddress();
    await stand.pay([address, 5_000n]);
    await stand.mineAll(DEPTH);
    const follower = stand.follow([address]);
    await follower.pollAll();
    expect(follower.transfers.size).to.equal(0);
  });

  it('reports every form of address, the sum of outputs to one, dust, and nothing for nothing', async () => {
    const stand = standOf();
    const forms = Object.values(ADDRESSES).map((make) => make());
    const [twice, dust, nothing] = [newAddress(), newAddress(), newAddress()];
    const follower = stand.follow([...forms, twice, dust, nothing]);
    await follower.pollAll();
    const { id } = await stand.pay(
      [Buffer.from('6a0568656c6c6f', 'hex'), 0n],
      ...forms.map((form, i) => [form, BigInt(i + 1) * 10_000n] as const),
      [twice, 20_000n],
      [newAddress(), 99_000n],
      [twice, 1n],
      [dust, 294n],
      [nothing, 0n],
    );
    await stand.mine();
    const { transfers } = await follower.pollAll();
    expect(transfers.every(({ txHash }) => txHash === id)).to.equal(true);
    expect(transfers.map(({ address, amount }) => [address, amount])).to.have.deep.members([
      ...forms.map((form, i) => [form, `0.000${i + 1}`]),
      [twice, '0.00020001'],
      [dust, '0.00000294'],
    ]);
  });

  it('reads transactions without witnesses as well', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const bare = await stand.pay([OPEN_LEGACY_SCRIPT, 50_000n]);
    await stand.mine();
    const coin = bare.coins[0];
    if (coin === undefined) throw new Error('nothing was paid');
    const legacy = stand.build([[address, 30_000n]], [coin]);
    expect(legacy.hex).to.not.match(/^0200000000/);
    await stand.send(legacy);
    await stand.mine();
    await follower.pollAll();
    expect(follower.at(address).map(({ txHash, amount }) => [txHash, amount])).to.deep.equal([
      [legacy.id, '0.0003'],
    ]);
  });

  it('reports new coins as unmined until they can be spent, a hundred blocks later', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const { hash, height, coinbase } = await stand.mine({ rewards: [[address, 7_000n]] });
    await follower.pollAll();
    const unripe = () =>
      follower.at(address).map(({ txHash, block, droppedAt }) => [txHash, block, droppedAt]);
    expect(unripe()).to.deep.equal([[coinbase.id, null, null]]);
    await stand.mineAll(97 + DEPTH);
    await follower.pollAll();
    expect(unripe(), 'one block too early').to.deep.equal([[coinbase.id, null, null]]);
    await stand.mine();
    await follower.pollAll();
    expect(unripe()).to.deep.equal([[coinbase.id, { height, hash }, null]]);
    expect(follower.confirmed.size).to.equal(1);
  });

  it('ends a page after its time: who takes long for a block serves no other', async () => {
    const stand = standOf();
    const follower = stand.follow([], { pageMs: 0 });
    await follower.pollAll();
    const { height } = (await follower.poll()).head;
    await stand.mineAll(3);
    const pages = [await follower.poll(), await follower.poll(), await follower.poll()];
    expect(pages.map(({ head, next }) => [head.height - height, next])).to.deep.equal([
      [1, 'more'],
      [2, 'more'],
      [3, 'head'],
    ]);
  });

  it('asks five times for a block and its pool, once for our addresses, and twice where there is nothing new', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.btcd);
    try {
      const address = newAddress();
      const follower = stand.follow([address], { urls: [proxy.url] });
      await follower.pollAll();
      await stand.pay([address, 5_000n]);
      await stand.mine();
      const [calls, queries] = [proxy.calls.length, follower.queries];
      await follower.poll();
      expect(proxy.calls.slice(calls).map(({ method }) => method)).to.deep.equal([
        'getbestblockhash',
        'getblockheader', // its height
        'getblock',
        'getblockheader', // of its parent, whose target it has
        'getrawmempool',
      ]);
      expect(follower.queries - queries).to.equal(1);
      await follower.poll();
      expect(proxy.calls.slice(calls + 5).map(({ method }) => method)).to.deep.equal([
        'getbestblockhash',
        'getrawmempool',
      ]);
    } finally {
      await proxy.close();
    }
  });

  it('reads again from a height, and reports what stood there and is gone', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const from = await stand.height();
    const { id } = await stand.pay([address, 5_000n]);
    await stand.mine();
    await follower.pollAll();
    const [known] = follower.at(address);
    if (known === undefined) throw new Error('nothing was reported');
    const gone = '1'.repeat(64);
    follower.transfers.set('gone', { ...known, txHash: gone });
    follower.cursor = String(from);
    const page = await follower.pollAll();
    expect(page.next).to.equal('head');
    expect(page.transfers.map(({ txHash, block }) => [txHash, block?.height ?? null])).to.have.deep.members([
      [id, from + 1],
      [gone, null],
    ]);
  });

  it('tells what became of a transaction, proven where it is mined', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([]);
    await follower.pollAll();
    const { client } = follower;
    expect(await client.find('bitcoin', '2'.repeat(64))).to.deep.equal({ state: 'unknown', transfers: [] });
    const { id } = await stand.pay([address, 5_000n], [address, 1_000n]);
    const told = async () => {
      const { state, transfers } = await client.find('bitcoin', id.toUpperCase());
      const ours = transfers.filter((one) => one.address === address);
      return [state, ours.map(({ amount, block, final }) => [amount, block, final])];
    };
    expect(await told()).to.deep.equal(['unmined', [['0.00006', null, false]]]);
    const { hash, height } = await stand.mine();
    expect(await told()).to.deep.equal(['mined', [['0.00006', { height, hash }, false]]]);
    await stand.mineAll(DEPTH - 1);
    for (let poll = 0; poll < 2; poll += 1) await follower.pollAll();
    expect(await told()).to.deep.equal(['mined', [['0.00006', { height, hash }, true]]]);
  });

  it('refuses a node of another chain, and leaves it alone where another one is right', async () => {
    const stand = standOf();
    const other = stand.client({ chain: 'test' });
    const error = await other
      .poll('bitcoin', null, stand.follow([]).watch, new Date())
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Refused);
    expect(String(error)).to.match(/provider 1 127\.0\.0\.1:\d+ serves another chain/);
    await other.close();
    const proxy = await startLyingProxy(stand.btcd);
    try {
      proxy.lie = ({ method, params }, truth) =>
        method === 'getblockhash' && params[0] === 0 ? 'cd'.repeat(32) : truth;
      const both = stand.follow([], { urls: [stand.btcd.url, proxy.url] });
      const nexts = [];
      for (let poll = 0; poll < 4; poll += 1) nexts.push((await both.poll()).next);
      expect(nexts.filter((next) => next === 'head')).to.have.length.above(1);
      const { providers } = await both.poll();
      expect(providers.map(({ ok }) => ok)).to.deep.equal([true, false]);
    } finally {
      await proxy.close();
    }
  });

  it('lets no time pass that a later block goes back behind, and none that has not come', async () => {
    const stand = standOf();
    const [early, late] = [newAddress(), newAddress()];
    const follower = stand.follow([early, late]);
    await follower.pollAll();
    const { time } = (await follower.poll()).head;
    const seconds = time.getTime() / 1_000;
    const scanned = async () => (await follower.pollAll()).scannedUntil?.getTime() ?? 0;
    await stand.mine({ time: Math.floor(seconds) + 600 });
    const ahead = await scanned();
    expect(ahead).to.equal((Math.floor(seconds) + 600) * 1_000);
    const earlier = stand.build([[early, 5_000n]]);
    // Miners may write a time before that of the block before; nobody saw the transfer in the pool.
    await stand.mine({ time: Math.floor(seconds) + 60, transactions: [earlier] });
    const next = await scanned();
    expect(next).to.be.above(ahead);
    const [first] = follower.at(early);
    expect(first?.seenAt.getTime()).to.be.above(ahead);
    expect(follower.transfers.size).to.equal(1);
    // And one that is ahead of every clock.
    const now = Math.floor(Date.now() / 1_000);
    const future = stand.build([[late, 5_000n]]);
    await stand.mine({ time: now + 3_600, transactions: [future] });
    follower.now = new Date(now * 1_000);
    expect(await scanned()).to.be.at.most(follower.now.getTime());
    expect(follower.at(late)[0]?.seenAt.getTime()).to.be.at.most(follower.now.getTime());
  });
});
