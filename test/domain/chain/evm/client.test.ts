import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { transactionsIn } from '../../../../src/domain/chain/evm/read.ts';
import type { ChainTransfer } from '../../../../src/domain/chain/port.ts';
import { ERC20_CODE, TRANSFER_TOPIC, wordOf } from '../../../support/anvil.ts';
import type { Follower } from '../../../support/follower.ts';
import {
  BATCH_CODE,
  contractOf,
  FINAL_DEPTH,
  FORWARDER_CODE,
  newAddress,
  SAFE_DEPTH,
  unitsOf,
  useEvmStand,
} from '../../../support/evm-stand.ts';
import { RawAnswerInstead, startLyingProxy, type Lie, type RpcCall } from '../../../support/lying-proxy.ts';
import { hang } from '../../../support/receivers.ts';

describe('a client of an EVM network', () => {
  const standOf = useEvmStand();

  it('reports a token and a native transfer to the unit, and makes both final with their block', async () => {
    const stand = standOf();
    const [token, native] = [newAddress(), newAddress()];
    const follower = stand.follow([token, native]);
    await follower.pollAll();
    const tokenHash = await stand.pay('USDC', token, 1_234_567n);
    const nativeHash = await stand.send(native, 10n ** 18n + 1n);
    await stand.mine();
    const mined = await follower.pollAll();
    expect(mined.next).to.equal('head');
    expect(mined.transfers.map(({ txHash, coin, amount }) => ({ txHash, coin, amount }))).to.deep.equal([
      { txHash: tokenHash, coin: 'USDC', amount: '1.234567' },
      { txHash: nativeHash, coin: 'ETH', amount: '1.000000000000000001' },
    ]);
    const height = await stand.height();
    for (const { block, final, droppedAt, sender } of mined.transfers) {
      expect(block).to.deep.equal({ height, hash: mined.head.hash });
      expect([final, droppedAt]).to.deep.equal([false, null]);
      expect(sender).to.match(/^0x[0-9a-f]{40}$/);
    }
    expect(follower.confirmed.size).to.equal(0);

    await stand.mine(FINAL_DEPTH - 1);
    expect((await follower.pollAll()).finalHeight).to.equal(height - 1);
    expect(follower.confirmed.size).to.equal(0);
    await stand.mine();
    const last = await follower.pollAll();
    expect([last.finalHeight, last.safeHeight]).to.deep.equal([height, height + FINAL_DEPTH - SAFE_DEPTH]);
    expect([...follower.confirmed.values()].map(({ txHash }) => txHash)).to.have.members([
      tokenHash,
      nativeHash,
    ]);
    expect(last.scannedUntil?.getTime()).to.equal(Math.min(last.head.time.getTime(), follower.now.getTime()));
  });

  it('begins at the final height, and reports nothing from before', async () => {
    const stand = standOf();
    const address = newAddress();
    await stand.pay('USDC', address, 5n);
    await stand.mine(FINAL_DEPTH + 1);
    const follower = stand.follow([address]);
    await follower.pollAll();
    expect(follower.transfers.size).to.equal(0);
  });

  it('ends a page after its time above the final block too: who takes long for a block serves no other', async () => {
    const stand = standOf();
    const follower = stand.follow([], { pageMs: 0, hasSightings: false });
    await follower.pollAll();
    const { height } = (await follower.poll()).head;
    await stand.mine(3);
    const pages = [await follower.poll(), await follower.poll(), await follower.poll()];
    expect(pages.map(({ head, next }) => [head.height - height, next])).to.deep.equal([
      [1, 'more'],
      [2, 'more'],
      [3, 'head'],
    ]);
  });

  it('reports nothing for nothing: zero, a fake token, another Transfer, another address', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const fake = newAddress();
    await stand.rpc('anvil_setCode', fake, ERC20_CODE);
    await stand.rpc('anvil_setStorageAt', fake, wordOf(stand.account()), wordOf(unitsOf('USDC', 1_000)));
    // Emits Transfer(address, address, uint256 indexed), as tokens that number things do.
    const numbered = `0x6001600435337f${TRANSFER_TOPIC.slice(2)}60006000a4`;
    await stand.rpc('anvil_setCode', contractOf('USDT'), numbered);
    await stand.pay('USDC', address, 0n);
    await stand.send(address, 0n);
    await stand.call(fake, `0xa9059cbb${wordOf(address).slice(2)}${wordOf(1n).slice(2)}`);
    await stand.pay('USDT', address, 7n);
    await stand.pay('USDC', newAddress(), 7n);
    await stand.mine();
    expect((await follower.pollAll()).transfers).to.deep.equal([]);
  });

  it('reports two payments of one transaction, and the sum of its transfers to one', async () => {
    const stand = standOf();
    const [one, two] = [newAddress(), newAddress()];
    const follower = stand.follow([one, two]);
    await follower.pollAll();
    const batch = await stand.deploy(BATCH_CODE);
    const pairs = [one, 1_000_000n, two, 2_000_000n, one, 500_000n];
    const hash = await stand.call(
      batch,
      `0x${[contractOf('USDC'), ...pairs].map((value) => wordOf(value).slice(2)).join('')}`,
    );
    await stand.mine();
    const { transfers } = await follower.pollAll();
    expect(
      transfers.map(({ txHash, address, amount, sender }) => ({ txHash, address, amount, sender })),
    ).to.deep.equal([
      { txHash: hash, address: one, amount: '1.5', sender: batch },
      { txHash: hash, address: two, amount: '2', sender: batch },
    ]);
  });

  it('asks five times for a block and its checkpoints, once for our addresses, and once where there is no new one', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const address = newAddress();
      const follower = stand.follow([address], { urls: [proxy.url], hasSightings: false });
      await follower.pollAll();
      await stand.pay('USDC', address, 5n);
      await stand.mine();
      const [calls, queries] = [proxy.calls.length, follower.queries];
      await follower.poll();
      expect(proxy.calls.slice(calls).map(({ method }) => method)).to.have.members([
        'eth_getBlockByNumber', // latest
        'eth_getBlockByNumber', // finalized
        'eth_getBlockByNumber', // safe
        'eth_getBlockByHash',
        'eth_getBlockReceipts',
      ]);
      expect(follower.queries - queries).to.equal(1);
      await follower.poll();
      expect(proxy.calls.length - calls, 'no new block').to.equal(6);
    } finally {
      await proxy.close();
    }
  });

  it('catches up in ranges, halved where a provider refuses one, and finds tokens and native coins', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const [token, native] = [newAddress(), newAddress()];
      const follower = stand.follow([token, native], { urls: [proxy.url] });
      await follower.pollAll();
      await stand.mine(60);
      const tokenHash = await stand.pay('USDC', token, 5n);
      await stand.mine(60);
      const nativeHash = await stand.send(native, 5n);
      await stand.mine(60);
      const ranges: number[] = [];
      proxy.lie = ({ method, params }, truth) => {
        const [filter] = params as [{ fromBlock: string; toBlock: string }];
        if (method !== 'eth_getLogs') return truth;
        const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
        ranges.push(blocks);
        if (blocks > 100) throw Object.assign(new Error('too many blocks'), { code: -32005 });
        return truth;
      };
      const pages = [await follower.poll(), await follower.poll()];
      expect(pages.map(({ next }) => next)).to.deep.equal(['more', 'more']);
      await follower.pollAll();
      expect(ranges[0]).to.be.above(100);
      expect([...follower.confirmed.values()].map(({ txHash }) => txHash)).to.deep.equal([
        tokenHash,
        nativeHash,
      ]);
      expect(proxy.calls.filter(({ method }) => method === 'eth_getBlockReceipts').length).to.be.below(12);
    } finally {
      await proxy.close();
    }
  });

  it('reads receipts one by one where the provider has no method for those of a block', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const address = newAddress();
      const follower = stand.follow([address], { urls: [proxy.url] });
      await follower.pollAll();
      proxy.lie = ({ method }, truth) => {
        if (method !== 'eth_getBlockReceipts') return truth;
        throw Object.assign(new Error('the method does not exist'), { code: -32_601 });
      };
      for (let paid = 0; paid < 60; paid += 1) await stand.pay('USDC', address, 5n);
      await stand.mine();
      const { next, transfers } = await follower.pollAll();
      expect([next, transfers.length]).to.deep.equal(['head', 60]);
    } finally {
      await proxy.close();
    }
  });

  it('reads receipts one by one where those of a block are more than a body takes: anybody can fill one with logs', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address], { limits: { maxBodyBytes: 100_000 } });
    await follower.pollAll();
    // 100 times LOG0.
    const logger = await stand.deploy('0x60645b60006000a06001900380600257');
    for (let call = 0; call < 4; call += 1) await stand.call(logger, '0x');
    const hash = await stand.pay('USDC', address, 5n);
    await stand.mine();
    const receipts = await stand.rpc('eth_getBlockReceipts', 'latest');
    expect(JSON.stringify(receipts)).to.have.length.above(100_000);
    expect((await follower.pollAll()).next).to.equal('head');
    expect(follower.at(address).map(({ txHash }) => txHash)).to.deep.equal([hash]);
  });

  it('asks for several blocks at once: where a second has four, each takes longer than it lasts', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    const urls = [proxy.url];
    try {
      const follower = stand.follow([], { urls, hasSightings: false, limits: { requestSeconds: 2 } });
      await follower.pollAll();
      await stand.mine(4);
      let resolve: () => void = () => undefined;
      const second = new Promise<void>((resolved) => (resolve = resolved));
      let asked = 0;
      proxy.before = async ({ method, params }) => {
        if (method !== 'eth_getBlockByNumber' || params[1] !== true) return;
        asked += 1;
        if (asked === 2) resolve();
        await second;
      };
      expect(await follower.pollAll()).to.deep.include({ next: 'head' });
      expect(follower.pages.at(-1)?.head.height).to.equal(await stand.height());
    } finally {
      await proxy.close();
    }
  });

  it('takes a block of as many transactions as the OP Stack has gas for', () => {
    const zero = `0x${'0'.repeat(64)}`;
    const from = `0x${'1'.repeat(40)}`;
    const transaction = { hash: zero, from, to: from, nonce: '0x0', value: '0x0', input: '0x' };
    const count = Math.floor(500_000_000 / 21_000);
    const transactions = Array.from({ length: count }, () => transaction);
    expect(transactionsIn({ transactions })).to.have.length(count);
  });

  it('refuses a block with more transactions than any has, before it proves them', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const follower = stand.follow([], { urls: [proxy.url], hasSightings: false });
      await follower.pollAll();
      await stand.send(newAddress(), 1n);
      await stand.mine();
      proxy.lie = ({ method }, truth) => {
        if (method !== 'eth_getBlockByHash') return truth;
        const block = truth as { transactions: readonly unknown[] };
        return { ...block, transactions: Array.from({ length: 25_001 }, () => block.transactions[0]) };
      };
      expect((await follower.poll()).next).to.deep.include({ why: 'inconsistent' });
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
    const hash = await stand.pay('USDC', address, 5n);
    await stand.mine();
    await follower.pollAll();
    const gone = `0x${'1'.repeat(64)}`;
    const [known] = follower.at(address);
    if (known === undefined) throw new Error('nothing was reported');
    follower.transfers.set('gone', { ...known, txHash: gone });
    follower.cursor = String(from);
    const page = await follower.pollAll();
    expect(page.next).to.equal('head');
    expect(
      page.transfers.map(({ txHash, block }) => ({ txHash, height: block?.height ?? null })),
    ).to.have.deep.members([
      { txHash: hash, height: from + 1 },
      { txHash: gone, height: null },
    ]);
  });

  describe('with transactions in the pool', () => {
    let follower: Follower;
    let address: string;
    let account: string;
    beforeEach(async () => {
      address = newAddress();
      account = standOf().account();
      follower = standOf().follow([address]);
      await follower.pollAll();
    });

    const nonceOf = () => standOf().rpc<string>('eth_getTransactionCount', account, 'pending');
    const higher = { maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x12a05f200' };

    it('sights a transfer, and keeps the time when its block comes', async () => {
      const stand = standOf();
      const hash = await stand.pay('USDC', address, 5n);
      const native = await stand.send(address, 7n);
      // Before the time of its block: that is in whole seconds.
      follower.now = new Date(follower.now.getTime() - 60_000);
      const sighted = await follower.pollAll();
      const at = follower.now;
      expect(sighted.transfers.map(({ txHash, block }) => ({ txHash, block }))).to.have.deep.members([
        { txHash: hash, block: null },
        { txHash: native, block: null },
      ]);
      expect((await follower.pollAll()).transfers, 'once').to.deep.equal([]);
      await stand.mine();
      const mined = await follower.pollAll();
      expect(mined.transfers).to.have.length(2);
      for (const { seenAt, block } of mined.transfers) {
        expect(block?.hash).to.equal(mined.head.hash);
        expect(seenAt).to.deep.equal(at);
      }
    });

    it('asks a provider that knows no pending block for it once', async () => {
      const proxy = await startLyingProxy(standOf().anvil);
      try {
        proxy.lie = ({ params }, truth) => {
          if (params[0] !== 'pending') return truth;
          throw Object.assign(new Error('unknown block'), { code: -32_602 });
        };
        const poolless = standOf().follow([address], { urls: [proxy.url] });
        for (let poll = 0; poll < 3; poll += 1) expect((await poolless.pollAll()).next).to.equal('head');
        expect(proxy.calls.filter(({ params }) => params[0] === 'pending')).to.have.length(1);
      } finally {
        await proxy.close();
      }
    });

    const isPending = ({ params }: RpcCall) => params[0] === 'pending';
    it('asks a provider that takes too long for the pending block for it no more: no block waits twice', async () => {
      const proxy = await startLyingProxy(standOf().anvil);
      try {
        const slow = standOf().follow([address], { urls: [proxy.url], limits: { requestSeconds: 2 } });
        proxy.lie = (call, truth) => (isPending(call) ? new RawAnswerInstead(hang) : truth);
        for (let poll = 0; poll < 3; poll += 1) {
          await standOf().mine();
          expect((await slow.pollAll()).next).to.equal('head');
        }
        expect(proxy.calls.filter(isPending)).to.have.length(1);
      } finally {
        await proxy.close();
      }
    });

    it('takes nothing back that is final, also where a provider has it in its pending block again', async () => {
      const stand = standOf();
      const hash = await stand.pay('USDC', address, 5n, { from: account });
      await stand.mine();
      const sent = await stand.rpc<object>('eth_getTransactionByHash', hash);
      await stand.mine(40);
      await follower.pollAll();
      expect(follower.confirmed.size).to.equal(1);
      const proxy = await startLyingProxy(stand.anvil);
      try {
        proxy.lie = (call, truth) =>
          isPending(call) ? { ...(truth as object), transactions: [sent] } : truth;
        follower.client = stand.follow([address], { urls: [proxy.url] }).client;
        expect((await follower.pollAll()).transfers).to.deep.equal([]);
        expect(proxy.calls.some(isPending)).to.equal(true);
      } finally {
        await proxy.close();
      }
    });

    it("reports a wallet's speed-up as a drop and its replacement, in one page", async () => {
      const stand = standOf();
      const nonce = await nonceOf();
      const slow = await stand.pay('USDC', address, 5n, { from: account, nonce });
      await follower.pollAll();
      const fast = await stand.pay('USDC', address, 5n, { from: account, nonce, ...higher });
      await stand.mine();
      const { transfers } = await follower.pollAll();
      expect(
        transfers.map(({ txHash, reason, replacedBy, droppedAt }) => [
          txHash,
          reason,
          replacedBy,
          droppedAt !== null,
        ]),
      ).to.have.deep.members([
        [slow, 'replaced', fast, true],
        [fast, null, null, false],
      ]);
    });

    it('drops what another transaction of its number replaced once that is final', async () => {
      const stand = standOf();
      const nonce = await nonceOf();
      const lost = await stand.pay('USDC', address, 5n, { from: account, nonce });
      await follower.pollAll();
      const other = await stand.send(newAddress(), 1n, { from: account, nonce, ...higher });
      await stand.mine();
      await follower.pollAll();
      expect(follower.at(address)).to.have.length(1);
      expect(follower.at(address)[0]?.droppedAt).to.equal(null);
      await stand.mine(FINAL_DEPTH);
      const { transfers } = await follower.pollAll();
      expect(
        transfers.map(({ txHash, reason, replacedBy }) => ({ txHash, reason, replacedBy })),
      ).to.deep.equal([{ txHash: lost, reason: 'replaced', replacedBy: other }]);
    });

    it('drops one that is mined and reverts as reverted', async () => {
      const stand = standOf();
      const poor = await stand.rpc<string[]>('eth_accounts').then((all) => all.at(-1) ?? '');
      const hash = await stand.pay('USDC', address, 5n, { from: poor });
      await follower.pollAll();
      await stand.setBalance('USDC', poor, 0n);
      await stand.mine(FINAL_DEPTH + 1);
      await follower.pollAll();
      await stand.setBalance('USDC', poor, unitsOf('USDC', 1_000));
      expect(
        follower.at(address).map(({ txHash, block, reason }) => ({ txHash, block, reason })),
      ).to.deep.equal([{ txHash: hash, block: null, reason: 'reverted' }]);
    });

    it('drops one that no pool has held for a day as evicted, and takes it back when it is mined', async () => {
      const stand = standOf();
      const hash = await stand.pay('USDC', address, 5n, { from: account });
      await follower.pollAll();
      const raw = await stand.rawOf(hash);
      await stand.rpc('anvil_dropTransaction', hash);
      await follower.pollAll();
      follower.now = new Date(follower.now.getTime() + 25 * 3_600_000);
      await follower.pollAll();
      expect(follower.at(address).map(({ txHash, reason }) => ({ txHash, reason }))).to.deep.equal([
        { txHash: hash, reason: 'evicted' },
      ]);
      await stand.rpc('eth_sendRawTransaction', raw);
      await stand.mine();
      await follower.pollAll();
      expect(follower.at(address).map(({ reason, block }) => [reason, block === null])).to.deep.equal([
        [null, false],
      ]);
    });
  });

  it('finds a transaction with everything that it moves, to anybody', async () => {
    const stand = standOf();
    const [one, two] = [newAddress(), newAddress()];
    const { client } = stand.follow([]);
    const batch = await stand.deploy(BATCH_CODE);
    const pairs = [one, 1n, two, 2n];
    const hash = await stand.call(
      batch,
      `0x${[contractOf('USDC'), ...pairs].map((value) => wordOf(value).slice(2)).join('')}`,
    );
    const pending = await stand.send(one, 3n);
    const amounts = async (of: string) =>
      (await client.find('ethereum', of)).transfers.map(({ coin, address, amount, block }) => [
        coin,
        address,
        amount,
        block !== null,
      ]);
    expect(await amounts(pending)).to.deep.equal([['ETH', one, '0.000000000000000003', false]]);
    await stand.mine();
    expect(await amounts(hash)).to.deep.equal([
      ['USDC', one, '0.000001', true],
      ['USDC', two, '0.000002', true],
    ]);
    expect(await amounts(pending)).to.deep.equal([['ETH', one, '0.000000000000000003', true]]);
    expect(await amounts(`0x${'0'.repeat(64)}`)).to.deep.equal([]);
  });

  it('says whose a transaction is, as its signature proves, and when its number is spent for good', async () => {
    const stand = standOf();
    const from = stand.account();
    const follower = stand.follow([]);
    const nonce = await stand.rpc<string>('eth_getTransactionCount', from, 'latest');
    const pending = await stand.send(newAddress(), 3n, { from, nonce });
    const { state, number } = await follower.client.find('ethereum', pending);
    expect([state, number]).to.deep.equal(['unmined', { sender: from, nonce: Number(nonce) }]);
    await stand.rpc('anvil_dropTransaction', pending);
    const other = await stand.send(newAddress(), 4n, { from, nonce });
    await stand.mine();
    await follower.pollAll();
    expect((await follower.client.find('ethereum', pending)).state).to.equal('unknown');
    expect((await follower.client.find('ethereum', other)).number, 'mined').to.deep.equal(number);
    if (number === undefined) throw new Error('the number is unknown');
    expect(await follower.client.hasSpent(number), 'its block can still be reorganised').to.equal(false);
    await stand.mine(FINAL_DEPTH);
    await follower.pollAll();
    // A poll goes by what was final when it began.
    await follower.pollAll();
    expect(await follower.client.hasSpent(number)).to.equal(true);
    expect(await follower.client.hasSpent({ ...number, nonce: number.nonce + 1 })).to.equal(false);
  });

  it('believes no provider that names another sender, or makes up what an account has sent', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const follower = stand.follow([], { urls: [proxy.url] });
      await follower.pollAll();
      const pending = await stand.send(newAddress(), 3n);
      const find = () => follower.client.find('ethereum', pending);
      for (const lie of [{ from: newAddress() }, { nonce: '0x3039' }]) {
        proxy.lie = ({ method }, truth) =>
          method === 'eth_getTransactionByHash' ? { ...(truth as object), ...lie } : truth;
        expect((await find()).number).to.equal(undefined);
      }
      proxy.lie = null;
      const { number } = await find();
      if (number === undefined) throw new Error('the number is unknown');
      proxy.lie = ({ method }, truth) =>
        method === 'eth_getProof' ? { ...(truth as object), accountProof: [] } : truth;
      const error: unknown = await follower.client.hasSpent(number).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error');
    } finally {
      await proxy.close();
    }
  });

  it('serves the network on when a transaction cannot be looked up, as one of before a fork cannot', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const follower = stand.follow([], { urls: [proxy.url] });
      await follower.pollAll();
      const hash = await stand.send(newAddress(), 3n);
      await stand.mine();
      await follower.pollAll();
      // Receipts had a state root in place of a status.
      proxy.lie = ({ method }, truth) =>
        method === 'eth_getBlockReceipts'
          ? (truth as object[]).map((one) => ({ ...one, status: undefined, root: wordOf(1n) }))
          : truth;
      const error: unknown = await follower.client.find('ethereum', hash).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error');
      proxy.lie = null;
      // The poll is of the moment of the question, so that a rest would not be over.
      follower.now = new Date(Date.now() - 1_000);
      expect((await follower.poll()).next).to.equal('head');
    } finally {
      await proxy.close();
    }
  });

  it('tells balances at the final block, or before a time: what a contract sent has no transaction', async () => {
    const stand = standOf();
    // Behind what other tests have told the node to change.
    await stand.mine(FINAL_DEPTH);
    const address = newAddress();
    const follower = stand.follow([address]);
    await follower.pollAll();
    const forwarder = await stand.deploy(FORWARDER_CODE);
    // What the node was told to change is in no state root before, so nothing can be proven of that block:
    // others follow it, each with a time of its own.
    for (let block = 0; block < 2; block += 1) {
      await stand.rpc('evm_increaseTime', 1);
      await stand.mine();
    }
    await stand.rpc('evm_increaseTime', 1);
    await stand.send(forwarder, 9n, { data: wordOf(address), gas: '0x40000' });
    await stand.pay('DAI', address, 4n);
    await stand.mine();
    const { transfers } = await follower.pollAll();
    expect(transfers.map(({ coin }) => coin)).to.deep.equal(['DAI']);
    // Balances are those after the final block with which a poll begins: what it has is stored.
    await follower.poll();
    const asked = (['ETH', 'DAI', 'USDC'] as const).map((coin) => ({ address, coin }));
    const balances = async (notAfter: Date | null = null) =>
      (await follower.client.balances('ethereum', asked, notAfter))?.balances.map(({ amount, isProven }) => [
        amount,
        isProven,
      ]);
    const none = [
      ['0', true],
      ['0', false],
      ['0', false],
    ];
    expect(await balances(), 'not final').to.deep.equal(none);
    const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    await stand.mine(FINAL_DEPTH + 2);
    await follower.pollAll();
    await follower.poll();
    expect(await balances()).to.deep.equal([
      ['0.000000000000000009', true],
      ['0.000000000000000004', false],
      ['0', false],
    ]);
    expect(await balances(new Date(Number(timestamp) * 1000 - 1))).to.deep.equal(none);
  });

  it('finds native coins that contracts send, as far as state roots prove them, where it may trace', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    try {
      const [one, two] = [newAddress(), newAddress()];
      const follower = stand.follow([one, two], { urls: [proxy.url], hasTraces: true });
      await follower.pollAll();
      const forwarder = await stand.deploy(FORWARDER_CODE);
      // What the node was told to change would belong to no block else.
      await stand.mine();
      const forward = (to: string, units: bigint) =>
        stand.send(forwarder, units, { data: wordOf(to), gas: '0x40000' });
      const amounts = async () =>
        (await follower.pollAll()).transfers.map(({ txHash, amount, sender }) => [txHash, amount, sender]);
      const hash = await forward(one, 9n);
      await stand.mine();
      expect(await amounts()).to.deep.equal([[hash, '0.000000000000000009', forwarder]]);

      const replaced = (truth: unknown, some: string, other: string): unknown =>
        JSON.parse(JSON.stringify(truth).replaceAll(some, other));
      const exaggerate: Lie = ({ method }, truth) =>
        method === 'debug_traceBlockByHash' ? replaced(truth, '"value":"0x5"', '"value":"0x55"') : truth;
      proxy.lie = exaggerate;
      await forward(two, 5n);
      await stand.mine();
      expect(await amounts(), 'more than it got').to.deep.equal([]);

      // In the account of the proof: nonce 0, balance 10, root of no storage.
      proxy.lie = (call, truth) =>
        call.method === 'eth_getProof'
          ? replaced(truth, '800aa056e81f17', '805fa056e81f17')
          : exaggerate(call, truth);
      await forward(two, 5n);
      await stand.mine();
      expect(await amounts(), 'with a proof to match').to.deep.equal([]);

      proxy.lie = ({ method }, truth) =>
        method === 'debug_traceBlockByHash' ? new RawAnswerInstead(hang) : truth;
      const slow = stand.follow([two], {
        urls: [proxy.url],
        hasTraces: true,
        limits: { requestSeconds: 2 },
      });
      await slow.pollAll();
      const seen = await stand.send(two, 8n);
      await stand.mine();
      const page = await slow.pollAll();
      expect([page.next, page.transfers.map(({ txHash }) => txHash)]).to.deep.equal(['head', [seen]]);
      expect(page.providers[0]?.lacks).to.equal('traces');
      await amounts();

      proxy.lie = ({ method }, truth) => {
        if (method !== 'debug_traceBlockByHash') return truth;
        throw Object.assign(new Error('the method does not exist'), { code: -32_601 });
      };
      await forward(two, 6n);
      const direct = await stand.send(two, 7n);
      await stand.mine();
      expect(
        (await amounts()).map(([txHash]) => txHash),
        'no traces',
      ).to.deep.equal([direct]);
    } finally {
      await proxy.close();
    }
  });

  it('lets a second provider confirm the final block of a large transfer, and waits below it else', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    const address = newAddress();
    const largeOf = (transfers: readonly ChainTransfer[]) =>
      Promise.resolve(transfers.filter(({ amount }) => Number(amount) >= 1_000));
    const follower = stand.follow([address], { urls: [stand.anvil.url, proxy.url], largeOf });
    try {
      await follower.pollAll();
      await stand.pay('USDC', address, unitsOf('USDC', 10));
      await stand.mine();
      await stand.pay('USDC', address, unitsOf('USDC', 1_000));
      await stand.mine();
      const height = await stand.height();
      const alone = stand.follow([address], { urls: [stand.anvil.url], largeOf });
      alone.cursor = follower.cursor;
      await stand.mine(FINAL_DEPTH);
      expect((await alone.pollAll()).finalHeight).to.equal(height - 1);
      expect([...alone.confirmed.values()].map(({ amount }) => amount)).to.deep.equal(['10']);
      expect((await follower.pollAll()).finalHeight).to.equal(height);
      expect([...follower.confirmed.values()].map(({ amount }) => amount)).to.deep.equal(['10', '1000']);
    } finally {
      await proxy.close();
    }
  });

  it('takes turns with providers, and goes on while one of them is away', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    const follower = stand.follow([], { urls: [stand.anvil.url, proxy.url] });
    try {
      for (let poll = 0; poll < 4; poll += 1) {
        await stand.mine();
        await follower.poll();
      }
      expect(new Set(proxy.calls.map(({ method }) => method))).to.include('eth_getBlockByHash');
    } finally {
      await proxy.close();
    }
    for (let poll = 0; poll < 6; poll += 1) {
      await stand.mine();
      await follower.poll();
    }
    let last = await follower.poll();
    while (last.next !== 'head') last = await follower.poll();
    expect(last.head.height).to.equal(await stand.height());
    expect(follower.pages.flatMap(({ next }) => (typeof next === 'object' ? next.why : []))).to.include(
      'behind',
    );
    expect(last.providers.map(({ ok }) => ok)).to.deep.equal([true, false]);
  });

  it('throws while it knows nothing yet and no provider answers', async () => {
    const client = new EvmClient(
      {
        network: 'ethereum',
        chainId: 1,
        urls: ['http://user:secret@127.0.0.1:9/key'],
        finality: { hasCheckpoints: true, depth: 2 },
      },
      () => new Date(),
    );
    const { watch, now } = standOf().follow([]);
    const error = await client.poll('ethereum', null, watch, now).catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/provider 1 127\.0\.0\.1:9 could not be asked/);
    expect(String(error)).to.not.match(/secret|key/);
    const resumed = await client.poll('ethereum', '5', watch, new Date(now.getTime() + 9_000)).catch(String);
    expect(resumed, 'from a height').to.match(/provider 1 127\.0\.0\.1:9 could not be asked/);
  });
});
