import { expect } from 'chai';
import type { BitcoinClient } from '../../../../src/domain/chain/bitcoin/client.ts';
import { buildBlock, newAddress, OPEN_SCRIPT, scriptOf } from '../../../support/bitcoin-blocks.ts';
import { BitcoinStand, DEPTH, useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { findBtcd, startBtcd } from '../../../support/btcd.ts';
import type { Follower } from '../../../support/follower.ts';
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

/** A lie about one kind of call. */
const about = (asked: string, lie: (truth: never, call: RpcCall) => unknown): Lie => {
  return (call, truth) => (call.method === asked ? lie(truth as never, call) : truth);
};
const instead = (answer: Answer) => () => new RawAnswerInstead(answer);
const HEADER_DIGITS = 160;
const NOTHING = 'nothing, ever';

/** Lies that a node may tell, each about everything that it is asked while it lasts. */
const LIES: Readonly<Record<string, (stand: BitcoinStand, address: string) => Lie>> = {
  'a head that goes back every other time': (stand) => {
    let times = 0;
    return about('getbestblockhash', async (truth) =>
      (times += 1) % 2 === 0 ? stand.rpc('getblockhash', (await stand.height()) - 3) : truth,
    );
  },
  'a head that stands still': () => {
    let first: unknown = null;
    return about('getbestblockhash', (truth) => (first ??= truth));
  },
  'a head that is a thousand blocks too high': () =>
    about('getblockheader', (truth: object | string) =>
      typeof truth === 'string' ? truth : { ...truth, height: (truth as { height: number }).height + 1_000 },
    ),
  'a head that it does not have': () => about('getbestblockhash', () => 'ab'.repeat(32)),
  'a block that is missing below its head': () => about('getblock', () => null),
  'another block in its place': (stand) =>
    about('getblock', async () => stand.rpc('getblock', await stand.rpc('getblockhash', 300), 0)),
  'a height of another block': (stand) =>
    about('getblockhash', async (_truth, { params: [height] }) =>
      stand.rpc('getblockhash', Math.max(0, Number(height) - 1)),
    ),
  'a transaction left out': () =>
    about('getblock', (truth: string) => {
      const count = Number.parseInt(truth.slice(HEADER_DIGITS, HEADER_DIGITS + 2), 16);
      if (count < 2) return truth;
      const less = (count - 1).toString(16).padStart(2, '0');
      // The last one has 2 outputs at least, and no lie has to be well made.
      return truth.slice(0, HEADER_DIGITS) + less + truth.slice(HEADER_DIGITS + 2, -300);
    }),
  'another amount': () => about('getblock', (truth: string) => truth.replaceAll('8913', '8a13')),
  'a block without our money under the header of the one with it': (stand) =>
    about('getblock', async (truth: string, { params: [hash] }) => {
      const empty = await emptyInsteadOf(stand, String(hash));
      return truth.slice(0, HEADER_DIGITS) + empty.slice(HEADER_DIGITS);
    }),
  'a block of its own under the hash of the one with our money': (stand) =>
    about('getblock', (_truth, { params: [hash] }) => emptyInsteadOf(stand, String(hash))),
  'a parent that the block does not have': () =>
    about('getblock', (truth: string) => truth.slice(0, 8) + 'cd'.repeat(32) + truth.slice(72)),
  'headers of other blocks': (stand) =>
    about('getblockheader', async (truth) =>
      typeof truth === 'string'
        ? stand.rpc('getblockheader', await stand.rpc('getblockhash', 7), false)
        : truth,
    ),
  'another target': () =>
    about('getblock', (truth: string) => `${truth.slice(0, 144)}ffff7f21${truth.slice(152)}`),
  'transactions that do not wait in its pool': (stand, address) => {
    const { id, hex } = stand.build([[address, 77n]], [{ ...SOMEWHERE, satoshi: 1_000_000n }]);
    const changed = hex.replace('4d00000000000000', '4e00000000000000');
    return (call, truth) =>
      call.method === 'getrawmempool'
        ? [...(truth as string[]), id]
        : call.method === 'getrawtransaction' && call.params[0] === id
          ? changed
          : truth;
  },
  'a pool that is no list': () => about('getrawmempool', () => ({})),
  'another chain': () =>
    about('getblockhash', (truth, { params: [at] }) => (at === 0 ? 'cd'.repeat(32) : truth)),
  'a page of HTML with status 200': () => instead({ body: '<html>Welcome</html>' }),
  'too many requests': () => instead({ status: 429, headers: { 'Retry-After': '3' }, body: '{}' }),
  'a bad gateway': () => instead({ status: 502, body: 'Bad gateway' }),
  'an error with its status': () =>
    instead({ status: 500, body: '{"result":null,"error":{"code":-28,"message":"Loading"},"id":0}' }),
  [NOTHING]: () => instead(hang),
  'JSON without a result': () => instead({ body: '{"jsonrpc":"2.0","id":0}' }),
  'more than it may': () =>
    instead({ body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: 'x'.repeat(3_000_000) }) }),
};

const SOMEWHERE = { txid: 'ef'.repeat(32), index: 0, script: OPEN_SCRIPT };

/** An empty block with the place and the time of another, and work of its own. */
async function emptyInsteadOf(stand: BitcoinStand, hash: string): Promise<string> {
  const { height, time, previousblockhash } = await stand.rpc<{
    height: number;
    time: number;
    previousblockhash: string;
  }>('getblockheader', hash, true);
  const rewards = [{ script: OPEN_SCRIPT, satoshi: 1n }];
  return buildBlock({ parent: previousblockhash, height, time, transactions: [], rewards }).hex;
}

describe('a node of Bitcoin that lies', () => {
  const standOf = useBitcoinStand();
  let proxy: LyingProxy;
  let addresses: string[];
  beforeEach(async () => {
    const { btcd } = standOf();
    // A lie may also name what the node does not have.
    proxy = await startLyingProxy({
      rpc: (method, params) =>
        btcd.rpc<never>(method, params).catch((error: unknown) => {
          if (method === 'getrawtransaction') return null as never;
          throw error;
        }),
    });
    addresses = [newAddress(), newAddress(), newAddress()];
  });
  afterEach(() => proxy.close());

  const limits = { maxBodyBytes: 2_000_000 };
  /** Where a node answers nothing. */
  const impatient = { ...limits, requestSeconds: 0.3 };

  const pay = async (place: number) => {
    const stand = standOf();
    await stand.pay([addresses[place] ?? '', 5_000n + BigInt(place)]);
    await stand.mine();
  };
  const ALL = [0, 1, 2].map((place) => `${place} 0.0000500${place}`.replace(/0+$/, ''));
  const amounts = (follower: Follower<BitcoinClient>) =>
    [...follower.confirmed.values()].map(({ address, amount }) => `${addresses.indexOf(address)} ${amount}`);

  /** Polls later, when the providers have rested. */
  const pollLater = async (follower: Follower<BitcoinClient>) => {
    follower.now = new Date(follower.now.getTime() + 120_000);
    return follower.pollAll();
  };

  for (const [lie, tell] of Object.entries(LIES))
    it(`about ${lie} is not believed, alone or beside an honest one, and nothing is lost`, async () => {
      const stand = standOf();
      const bounded = lie === NOTHING ? impatient : limits;
      const alone = stand.follow(addresses, { urls: [proxy.url], limits: bounded });
      const both = stand.follow(addresses, { urls: [proxy.url, stand.btcd.url], limits: bounded });
      for (const follower of [alone, both]) await follower.pollAll();
      await pay(0);
      for (const follower of [alone, both]) await follower.pollAll();
      proxy.lie = tell(stand, addresses[1] ?? '');
      await pay(1);
      await stand.mine();
      for (let poll = 0; poll < 3; poll += 1) await pollLater(alone);
      for (let poll = 0; poll < 2; poll += 1) await pollLater(both);
      for (const follower of [alone, both])
        expect(amounts(follower).join(), 'too early').to.not.match(/(^|,)1 /);
      await stand.mineAll(DEPTH);
      await pollLater(alone);
      for (let poll = 0; poll < 2; poll += 1) await pollLater(both);
      expect(amounts(both), 'beside an honest one').to.have.members(ALL.slice(0, 2));
      expect(ALL, 'alone').to.include.members(amounts(alone));

      proxy.lie = null;
      await pay(2);
      await stand.mineAll(DEPTH);
      for (const follower of [alone, both]) {
        for (let poll = 0; poll < 2; poll += 1) await pollLater(follower);
        expect(amounts(follower)).to.have.members(ALL);
        expect(follower.transfers.size).to.equal(ALL.length);
        for (const { droppedAt } of follower.transfers.values()) expect(droppedAt).to.equal(null);
      }
    });

  it(`at random, over 200 blocks with 20 payments and reorganisations, hides and adds nothing (LIES_SEED=${SEED})`, async () => {
    const stand = standOf();
    const random = randomFrom(SEED);
    const honest: (typeof LIES)[string] = () => (_call, truth) => truth;
    const lies = [honest, ...Object.values(LIES)] as const;
    const ours = Array.from({ length: 20 }, newAddress);
    const urls = [proxy.url, stand.btcd.url];
    const follower = stand.follow(ours, { urls, limits: impatient, depth: 6 });
    for (let poll = 0; poll < 2; poll += 1) await follower.pollAll();
    const left = [...ours];
    const pay = () => stand.pay([left.pop() ?? '', 5_000n]);
    for (let blocks = 0; blocks < 200; blocks += 1) {
      proxy.lie = (random.chance(0.5) ? honest : random.of(lies))(stand, ours[0] ?? '');
      if (random.chance(0.1) && left.length > 0) await pay();
      await stand.mine();
      if (random.chance(0.05)) await stand.reorganise(1 + random.below(3));
      if (random.chance(0.5)) await pollLater(follower);
    }
    proxy.lie = null;
    while (left.length > 0) await pay();
    // What a reorganisation took waits in the pool again.
    await stand.mineAll(7);
    for (let poll = 0; poll < 3; poll += 1) await pollLater(follower);
    for (const address of ours)
      expect(
        [...follower.confirmed.values()].filter((one) => one.address === address).map(({ amount }) => amount),
        address,
      ).to.deep.equal(['0.00005']);
    expect(follower.transfers.size).to.equal(ours.length);
  });

  it('about the chain, which changes under the URL, changes nothing and halts nothing', async () => {
    const stand = standOf();
    const binary = findBtcd();
    if (binary === null) throw new Error('there is no btcd');
    const other = new BitcoinStand(await startBtcd(binary));
    try {
      await other.begin();
      await other.mineAll((await stand.height()) - (await other.height()) + 20);
      let isOther = false;
      const moving = await startLyingProxy({
        rpc: (method, params = []) =>
          isOther && method === 'getblockhash' && params[0] === 0
            ? Promise.resolve('cd'.repeat(32) as never)
            : (isOther ? other : stand).rpc(method, ...params),
      });
      const follower = stand.follow(addresses, { urls: [moving.url], limits });
      await follower.pollAll();
      await pay(0);
      await follower.pollAll();
      isOther = true;
      for (let poll = 0; poll < 3; poll += 1)
        expect((await pollLater(follower)).next).to.deep.include({ why: 'inconsistent' });
      isOther = false;
      for (const place of [1, 2]) await pay(place);
      await stand.mineAll(DEPTH);
      await pollLater(follower);
      expect(amounts(follower)).to.have.members(ALL);
      await moving.close();
    } finally {
      await other.btcd.close();
    }
  });

  it('makes a branch with work of its own, and makes nothing final that another node does not have', async () => {
    const stand = standOf();
    const large = { largeOf: <T>(transfers: T) => Promise.resolve(transfers) };
    let parent = await stand.rpc<string>('getbestblockhash');
    const { height: below } = await stand.rpc<{ height: number }>('getblockheader', parent, true);
    const made = new Map<string, { hex: string; height: number }>();
    const rewards = [{ script: scriptOf(addresses[0] ?? ''), satoshi: 10n ** 9n }];
    const time = Math.floor(Date.now() / 1_000);
    for (let height = below + 1; height <= below + 2 * DEPTH + 100; height += 1) {
      const block = buildBlock({ parent, height, time, transactions: [], rewards });
      made.set(block.hash, { hex: block.hex, height });
      parent = block.hash;
    }
    const [hashes, tip] = [[...made.keys()], parent];
    const told = (method: string, [asked, how]: readonly unknown[]) => {
      const block = made.get(String(asked));
      if (method === 'getbestblockhash') return tip;
      if (method === 'getblockhash') return hashes[Number(asked) - below - 1];
      if (block === undefined) return undefined;
      if (how === true) return { height: block.height };
      return method === 'getblock' ? block.hex : block.hex.slice(0, HEADER_DIGITS);
    };
    const liar = await startLyingProxy({
      rpc: async (method, params = []) => (told(method, params) ?? stand.rpc(method, ...params)) as never,
    });
    try {
      const follower = stand.follow(addresses, { urls: [stand.btcd.url, liar.url], limits, ...large });
      for (let poll = 0; poll < 6; poll += 1) await pollLater(follower);
      expect(follower.at(addresses[0] ?? '')).to.have.length.above(DEPTH);
      expect(follower.confirmed.size).to.equal(0);
    } finally {
      await liar.close();
    }
  });
});
