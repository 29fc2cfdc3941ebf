import { expect } from 'chai';
import { hashOf } from '../../../../src/domain/chain/evm/proofs/header.ts';
import { findAnvil, startAnvil } from '../../../support/anvil.ts';
import type { Follower } from '../../../support/follower.ts';
import { FINAL_DEPTH, newAddress, unitsOf, useEvmStand, type EvmStand } from '../../../support/evm-stand.ts';
import {
  RawAnswerInstead,
  startLyingProxy,
  type Lie,
  type LyingProxy,
  type RpcCall,
} from '../../../support/lying-proxy.ts';
import { randomFrom } from '../../../support/random.ts';
import { hang, type Answer } from '../../../support/receivers.ts';

/** LIES_SEED plays the same lies again. */
const SEED = Number(process.env.LIES_SEED ?? Date.now() % 2 ** 31);

type Sent = Record<string, unknown>;

const isBlock = ({ method }: RpcCall) => method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash';
const isNamed = ({ method, params }: RpcCall, name: string) =>
  method === 'eth_getBlockByNumber' && params[0] === name;
const isFull = (call: RpcCall) => isBlock(call) && call.params[1] === true;

/** A lie about the result of one kind of call. */
const about = (isMeant: (call: RpcCall) => boolean, lie: (truth: never, call: RpcCall) => unknown): Lie => {
  return (call, truth) => (isMeant(call) ? lie(truth as never, call) : truth);
};
const aboutReceipts = (lie: (truth: Sent[]) => unknown) =>
  about(({ method }) => method === 'eth_getBlockReceipts', lie);
const aboutLogs = (lie: (truth: Sent[]) => unknown) => about(({ method }) => method === 'eth_getLogs', lie);
const logsOf = (receipt: Sent) => receipt.logs as Sent[];
const hex = (value: number) => `0x${value.toString(16)}`;
/** A header that has the hash of what it says: only its number, its place or its branch tell the lie. */
const forged = (header: Sent, changes: Sent): Sent => {
  const block = { ...header, ...changes };
  return { ...block, hash: hashOf(block) };
};
const instead = (answer: Answer) => () => new RawAnswerInstead(answer);

const NOTHING = 'nothing, ever';

/** Lies that a node told or may tell, each about everything that it is asked while it lasts. */
const LIES: Readonly<Record<string, (stand: EvmStand) => Lie>> = {
  'a head that goes back every other time': (stand) => {
    let times = 0;
    return about(
      (call) => isNamed(call, 'latest'),
      (truth: Sent) =>
        (times += 1) % 2 === 0
          ? stand.rpc('eth_getBlockByNumber', hex(Number(truth.number) - 3), false)
          : truth,
    );
  },
  'a head that stands still': () => standingStill(),
  'a head that is a thousand blocks too high': () =>
    about(
      (call) => isNamed(call, 'latest'),
      (truth: Sent) => forged(truth, { number: hex(Number(truth.number) + 1_000) }),
    ),
  'no receipts for the newest block': () => aboutReceipts(() => []),
  'no receipts for a hash that it does not know': () => aboutReceipts(() => null),
  'no receipts, and a bloom of zeros': () => (call, truth) =>
    isBlock(call)
      ? { ...(truth as Sent), logsBloom: `0x${'00'.repeat(256)}` }
      : call.method === 'eth_getBlockReceipts'
        ? []
        : truth,
  'a log twice in its receipt': () =>
    aboutReceipts((truth) =>
      truth.map((receipt) => ({ ...receipt, logs: logsOf(receipt).flatMap((log) => [log, log]) })),
    ),
  'a receipt twice': () => aboutReceipts((truth) => [...truth, ...truth]),
  'the receipts of another block': (stand) => async (call, truth) => {
    if (call.method !== 'eth_getBlockReceipts') return truth;
    const { parentHash } = await stand.rpc<{ parentHash: string }>(
      'eth_getBlockByHash',
      call.params[0],
      false,
    );
    return stand.rpc('eth_getBlockReceipts', parentHash);
  },
  'a block that is missing below its head': () => about(isFull, () => null),
  'one receipt too few': () => aboutReceipts((truth) => truth.slice(1)),
  'another amount in a log': () =>
    aboutReceipts((truth) =>
      truth.map((receipt) => ({
        ...receipt,
        logs: logsOf(receipt).map((log) => ({ ...log, data: `0x${'00'.repeat(31)}09` })),
      })),
    ),
  'another status of a transaction': () =>
    aboutReceipts((truth) =>
      truth.map((receipt) => ({ ...receipt, status: receipt.status === '0x1' ? '0x0' : '0x1' })),
    ),
  'another amount of a transaction': () =>
    about(
      isFull,
      withTransactions((one) => ({ ...one, value: '0x9' })),
    ),
  'another sender of a transaction': () =>
    about(
      isFull,
      withTransactions((one) => ({ ...one, from: newAddress() })),
    ),
  'a transaction left out': () =>
    about(isFull, (truth: Sent) => ({ ...truth, transactions: (truth.transactions as Sent[]).slice(1) })),
  'another transaction in its place': (stand) => {
    const other = stand.rpc<Sent>('eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0');
    return about(isFull, async (truth: Sent) => ({
      ...truth,
      transactions: await Promise.all((truth.transactions as Sent[]).map(() => other)),
    }));
  },
  'no final block': () =>
    about(
      (call) => isNamed(call, 'finalized'),
      () => null,
    ),
  'a final block that is ahead of the head': () =>
    about(
      (call) => isNamed(call, 'finalized'),
      (truth: Sent) => forged(truth, { number: hex(Number(truth.number) + 500) }),
    ),
  'a final block of another branch': () =>
    about(
      (call) => isNamed(call, 'finalized'),
      (truth: Sent) => forged(truth, { extraData: '0x66616b65' }),
    ),
  'another chain': () =>
    about(
      ({ method }) => method === 'eth_chainId',
      () => '0x89',
    ),
  'a page of HTML with status 200': () => instead({ body: '<html>Welcome</html>' }),
  'too many requests': () => instead({ status: 429, headers: { 'Retry-After': '3' }, body: '{}' }),
  'a bad gateway': () => instead({ status: 502, body: 'Bad gateway' }),
  [NOTHING]: () => instead(hang),
  'JSON without a result': () => instead({ body: '{"jsonrpc":"2.0","id":0}' }),
  'more than it may': () =>
    instead({ body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: 'x'.repeat(3_000_000) }) }),
};

/** Every name of a block is of the one that it was first: the node has stopped, and answers. */
function standingStill(): Lie {
  const first = new Map<unknown, unknown>();
  return (call, truth) => {
    const [name] = call.params;
    if (!['latest', 'safe', 'finalized', 'pending'].some((one) => isNamed(call, one))) return truth;
    if (!first.has(name)) first.set(name, truth);
    return first.get(name);
  };
}

function withTransactions(change: (one: Sent) => Sent) {
  return (truth: Sent) => ({ ...truth, transactions: (truth.transactions as Sent[]).map(change) });
}

describe('a provider that lies', () => {
  const standOf = useEvmStand();
  let proxy: LyingProxy;
  let addresses: string[];
  beforeEach(async () => {
    proxy = await startLyingProxy(standOf().anvil);
    addresses = [newAddress(), newAddress(), newAddress()];
  });
  afterEach(() => proxy.close());

  const limits = { maxBodyBytes: 2_000_000 };
  /** Where a provider answers nothing. */
  const impatient = { ...limits, requestSeconds: 0.3 };

  /** Pays a token and native coins, in a block each: what one shows of a block must not help the other. */
  const pay = async (place: number) => {
    const stand = standOf();
    await stand.pay('USDC', addresses[place] ?? '', unitsOf('USDC', place + 1));
    await stand.mine();
    await stand.send(addresses[place] ?? '', unitsOf('ETH', place + 1));
    await stand.mine();
  };
  const amounts = (follower: Follower) =>
    [...follower.confirmed.values()].map(
      ({ address, coin, amount }) => `${addresses.indexOf(address)} ${coin} ${amount}`,
    );
  const ALL = [0, 1, 2].flatMap((place) => ['USDC', 'ETH'].map((coin) => `${place} ${coin} ${place + 1}`));

  /** Polls later, when the providers have rested. */
  const pollLater = async (follower: Follower) => {
    follower.now = new Date(follower.now.getTime() + 120_000);
    return follower.pollAll();
  };

  for (const [lie, tell] of Object.entries(LIES)) {
    it(`about ${lie} is not believed, alone or beside an honest one, and nothing is lost`, async () => {
      const stand = standOf();
      const bounded = lie === NOTHING ? impatient : limits;
      const alone = stand.follow(addresses, { urls: [proxy.url], limits: bounded });
      const both = stand.follow(addresses, { urls: [proxy.url, stand.anvil.url], limits: bounded });
      for (const follower of [alone, both]) await follower.pollAll();
      await pay(0);
      for (const follower of [alone, both]) await follower.pollAll();
      proxy.lie = tell(stand);
      await pay(1);
      await stand.mine();
      for (let poll = 0; poll < 3; poll += 1) await pollLater(alone);
      for (let poll = 0; poll < 2; poll += 1) await pollLater(both);
      for (const follower of [alone, both])
        expect(amounts(follower).join(), 'too early').to.not.match(/1 (USDC|ETH)/);
      await stand.mine(FINAL_DEPTH);
      await pollLater(alone);
      for (let poll = 0; poll < 2; poll += 1) await pollLater(both);
      expect(amounts(both), 'beside an honest one').to.have.members(ALL.slice(0, 4));
      expect(ALL, 'alone').to.include.members(amounts(alone));

      proxy.lie = null;
      await pay(2);
      await stand.mine(FINAL_DEPTH);
      for (const follower of [alone, both]) {
        for (let poll = 0; poll < 2; poll += 1) await pollLater(follower);
        expect(amounts(follower)).to.have.members(ALL);
        expect(follower.transfers.size).to.equal(ALL.length);
        for (const { droppedAt, sender } of follower.transfers.values()) {
          expect(droppedAt).to.equal(null);
          expect(stand.accounts).to.include(sender);
        }
      }
    });
  }

  it(`at random, over 200 blocks with 20 payments and reorganisations, hides and adds nothing (LIES_SEED=${SEED})`, async () => {
    const stand = standOf();
    const random = randomFrom(SEED);
    const honest: (typeof LIES)[string] = () => (_call, truth) => truth;
    const lies = [honest, ...Object.values(LIES)] as const;
    const ours = Array.from({ length: 20 }, newAddress);
    const follower = stand.follow(ours, { urls: [proxy.url, stand.anvil.url], limits: impatient });
    for (let poll = 0; poll < 2; poll += 1) await follower.pollAll();
    const left = [...ours];
    for (let blocks = 0; blocks < 200; blocks += 1) {
      proxy.lie = (random.chance(0.5) ? honest : random.of(lies))(stand);
      if (random.chance(0.1) && left.length > 0)
        await (random.chance(0.5)
          ? stand.pay('USDC', left.pop() ?? '', 5n)
          : stand.send(left.pop() ?? '', 7n));
      await stand.mine();
      if (random.chance(0.05)) await stand.reorganise(1 + random.below(3));
      if (random.chance(0.5)) await pollLater(follower);
    }
    proxy.lie = null;
    for (const address of left) await stand.pay('USDC', address, 5n);
    await stand.mine(FINAL_DEPTH + 1);
    follower.client = stand.follow([]).client;
    await follower.pollAll();
    // What the chain has: what a reorganisation took and nobody mined again is not paid.
    for (const address of ours) {
      const native = await stand.rpc<string>('eth_getBalance', address, 'latest');
      const token = await stand.balance('USDC', address);
      const units = [...follower.confirmed.values()]
        .filter((transfer) => transfer.address === address)
        .map(({ coin, amount }) => (coin === 'ETH' ? Number(amount) * 1e18 : Number(amount) * 1e6));
      expect(units.map(Math.round), address).to.deep.equal(
        [Number(native), Number(token)].filter((one) => one > 0),
      );
    }
  });

  const RANGE_LIES: Readonly<Record<string, Lie>> = {
    'no logs of a range': aboutLogs(() => []),
    'every log twice': aboutLogs((truth) => [...truth, ...truth]),
    'logs of another block': aboutLogs((truth) =>
      truth.map((log) => ({ ...log, blockHash: `0x${'12'.repeat(32)}` })),
    ),
    'logs of another height': aboutLogs((truth) => truth.map((log) => ({ ...log, blockNumber: '0x1' }))),
    'another amount in the logs': aboutLogs((truth) =>
      truth.map((log) => ({ ...log, data: `0x${'00'.repeat(31)}09` })),
    ),
    'nothing that a log has': aboutLogs((truth) => truth.map(() => ({}))),
  };

  for (const [lie, tell] of Object.entries(RANGE_LIES))
    it(`about ${lie} while it is caught up is not believed`, async () => {
      const stand = standOf();
      const follower = stand.follow(addresses, { urls: [proxy.url], limits, hasSightings: false });
      await follower.pollAll();
      for (const place of [0, 1, 2]) {
        await pay(place);
        await stand.mine(30);
      }
      proxy.lie = tell;
      for (let poll = 0; poll < 3; poll += 1) await pollLater(follower);
      const before = amounts(follower);
      expect(ALL).to.include.members(before);
      proxy.lie = null;
      for (let poll = 0; poll < 2; poll += 1) await pollLater(follower);
      expect(amounts(follower)).to.have.members(ALL);
      expect(follower.transfers.size).to.equal(ALL.length);
      // An empty list of contracts matches everything, or nothing.
      const filters = proxy.calls
        .filter(({ method }) => method === 'eth_getLogs')
        .map(({ params }) => params[0]);
      expect(filters.length).to.be.above(0);
      const final = (await stand.height()) - FINAL_DEPTH;
      for (const filter of filters as { address: string[]; toBlock: string }[]) {
        expect(filter.address).to.have.length.above(0);
        // Above its head a provider has no logs, and says so as if there were none.
        expect(Number(filter.toBlock)).to.be.at.most(final);
      }
    });

  it('about the chain, which changes under the URL, changes nothing and halts nothing', async () => {
    const stand = standOf();
    const binary = findAnvil();
    if (binary === null) throw new Error('there is no anvil');
    const other = await startAnvil(binary, 137, ['--no-mining', '--slots-in-an-epoch', '4']);
    try {
      const follower = stand.follow(addresses, { urls: [proxy.url], limits });
      await follower.pollAll();
      await pay(0);
      await follower.pollAll();
      await other.rpc('anvil_mine', [hex((await stand.height()) + 20)]);
      proxy.lie = ({ method, params }) => other.rpc(method, params);
      for (let poll = 0; poll < 3; poll += 1)
        expect((await pollLater(follower)).next).to.deep.include({ why: 'inconsistent' });
      proxy.lie = null;
      for (const place of [1, 2]) await pay(place);
      await stand.mine(FINAL_DEPTH);
      await pollLater(follower);
      expect(amounts(follower)).to.have.members(ALL);
    } finally {
      await other.close();
    }
  });

  it('about a reorganisation below the final block halts nothing where another provider knows better', async () => {
    const stand = standOf();
    const binary = findAnvil();
    if (binary === null) throw new Error('there is no anvil');
    const fork = await startAnvil(binary, 1, ['--no-mining', '--slots-in-an-epoch', '4']);
    try {
      const follower = stand.follow(addresses, { urls: [proxy.url, stand.anvil.url], limits });
      for (let poll = 0; poll < 2; poll += 1) await follower.pollAll();
      await pay(0);
      await fork.rpc('anvil_mine', [hex((await stand.height()) + 20)]);
      proxy.lie = ({ method, params }) => fork.rpc(method, params);
      await pay(1);
      await pay(2);
      await stand.mine(FINAL_DEPTH);
      for (let poll = 0; poll < 4; poll += 1) await pollLater(follower);
      expect(amounts(follower)).to.have.members(ALL);
      // Nor while that one is away.
      const alone = stand.follow(addresses, { urls: [proxy.url, 'http://127.0.0.1:9'], limits });
      alone.cursor = follower.cursor;
      for (let poll = 0; poll < 4; poll += 1)
        expect((await pollLater(alone)).next).to.have.property('waitSeconds');
    } finally {
      await fork.close();
    }
  });

  it('about a head that stands still is told by its lag, and lets no time pass where it is alone', async () => {
    const stand = standOf();
    const alone = stand.follow(addresses, { urls: [proxy.url] });
    const both = stand.follow(addresses, { urls: [proxy.url, stand.anvil.url] });
    proxy.lie = standingStill();
    const { scannedUntil } = await alone.pollAll();
    for (let poll = 0; poll < 2; poll += 1) await both.pollAll();
    await stand.mine(7);
    const still = await pollLater(alone);
    expect([still.scannedUntil, still.next]).to.deep.equal([scannedUntil, 'head']);
    await pollLater(both);
    const { providers, head } = await pollLater(both);
    expect(providers.map(({ ok, lag }) => [ok, lag])).to.deep.equal([
      [true, 7],
      [true, 0],
    ]);
    expect(head.height).to.equal(await stand.height());
  });

  it('about state is asked for blocks by their hash, and never for the number of a transaction', async () => {
    const stand = standOf();
    const follower = stand.follow(addresses, { urls: [proxy.url] });
    await pay(0);
    await follower.pollAll();
    // What it was asked for before, at its head: the decimals of tokens.
    const before = proxy.calls.length;
    await follower.client.balances('ethereum', [{ address: addresses[0] ?? '', coin: 'USDC' }], null);
    const methods = new Set(proxy.calls.map(({ method }) => method));
    expect(methods).to.not.include('eth_getTransactionCount');
    const calls = proxy.calls.slice(before).filter(({ method }) => method === 'eth_call');
    expect(calls.map(({ params }) => Object.keys(params[1] as object))).to.deep.equal([
      ['blockHash', 'requireCanonical'],
    ]);
  });
});
