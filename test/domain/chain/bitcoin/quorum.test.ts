import { expect } from 'chai';
import { ChainHalted, type ChainTransfer } from '../../../../src/domain/chain/port.ts';
import { newAddress } from '../../../support/bitcoin-blocks.ts';
import { DEPTH, useBitcoinStand, type BitcoinStand } from '../../../support/bitcoin-stand.ts';
import { hang, startReceiver, type Answer, type Receiver } from '../../../support/receivers.ts';

/** Serves what an Esplora host serves of a chain, or lies. */
async function startEsplora(stand: BitcoinStand, lie: () => Answer | null): Promise<Receiver> {
  return startReceiver({
    async answer({ path }) {
      const [, height] = /^\/api\/block-height\/(\d+)$/.exec(path) ?? [];
      const lying = lie();
      if (lying !== null) return lying;
      const hash = await stand.rpc<string>('getblockhash', Number(height)).catch(() => null);
      return hash === null ? { status: 404, body: 'Block not found' } : { body: hash };
    },
  });
}

describe('a client of Bitcoin, with an Esplora host as second source,', () => {
  const standOf = useBitcoinStand();
  let esplora: Receiver;
  let lie: Answer | null;
  beforeEach(async () => {
    lie = null;
    esplora = await startEsplora(standOf(), () => lie);
  });
  afterEach(() => esplora.close());

  const LARGE = '0.01';
  const options = () => ({
    // Another host than that of the node: two ports of one are no second source.
    esplora: [esplora.url.replace('127.0.0.1', 'localhost').replace('/hooks', '/api/')],
    limits: { requestSeconds: 1 },
    largeOf: (transfers: readonly ChainTransfer[]) =>
      Promise.resolve(transfers.filter(({ amount }) => Number(amount) >= Number(LARGE))),
  });

  it('makes what is large final once that host has its blocks, and asks for nothing else', async () => {
    const stand = standOf();
    const address = newAddress();
    const follower = stand.follow([address], options());
    await follower.pollAll();
    await stand.pay([address, 5_000n]);
    await stand.mineAll(DEPTH);
    await follower.pollAll();
    expect([follower.confirmed.size, esplora.requests.length]).to.deep.equal([1, 0]);
    await stand.pay([address, 1_000_000n]);
    await stand.mineAll(DEPTH);
    const { providers } = await follower.pollAll();
    expect([follower.confirmed.size, esplora.requests.length]).to.deep.equal([2, 1]);
    expect(providers.map(({ name, ok }) => [name.replace(/:\d+$/, ''), ok])).to.deep.equal([
      ['1 127.0.0.1', true],
      ['2 localhost', true],
    ]);
  });

  const LIES: Readonly<Record<string, Answer>> = {
    'the hash of another block': { body: 'ab'.repeat(32) },
    'that it has no such block': { status: 404, body: 'Block not found' },
    'a page of HTML': { body: '<html>Welcome</html>' },
    'a page of HTML without end': { body: '<html>'.repeat(100_000) },
    'too many requests': { status: 429 },
    nothing: hang,
  };
  for (const [what, told] of Object.entries(LIES))
    it(`keeps what is large from being final while that host says ${what}, and no longer`, async () => {
      const stand = standOf();
      const [small, large] = [newAddress(), newAddress()];
      const follower = stand.follow([small, large], options());
      await follower.pollAll();
      lie = told;
      await stand.pay([small, 5_000n]);
      await stand.mine();
      const { height } = await stand.mine({ transactions: [await stand.pay([large, 1_000_000n])] });
      await stand.mineAll(DEPTH);
      const page = await follower.pollAll();
      expect([page.next, page.finalHeight]).to.deep.equal(['head', height - 1]);
      expect([...follower.confirmed.values()].map(({ address }) => address)).to.deep.equal([small]);
      lie = null;
      // No new block is needed for it.
      expect((await follower.pollAll()).finalHeight).to.equal(height + 1);
      expect(follower.confirmed.size).to.equal(2);
    });

  it('is not halted by a node that is alone on a branch that leaves below the final block', async () => {
    const stand = standOf();
    let known = '';
    const kept = await startEsplora(stand, () => ({ body: known }));
    const follower = stand.follow([], {
      ...options(),
      esplora: [kept.url.replace('127.0.0.1', 'localhost').replace('/hooks', '/api')],
    });
    await stand.mineAll(DEPTH);
    for (let poll = 0; poll < 2; poll += 1) await follower.pollAll();
    const { finalHeight } = await follower.pollAll();
    known = await stand.rpc<string>('getblockhash', finalHeight);
    try {
      await stand.reorganise(DEPTH + 1);
      expect((await follower.poll()).next).to.deep.include({ why: 'inconsistent' });
    } finally {
      await kept.close();
    }
    // Nor while that one is away.
    follower.now = new Date(follower.now.getTime() + 60_000);
    expect((await follower.poll()).next).to.deep.include({ why: 'inconsistent' });
    const alone = stand.follow([], options());
    alone.cursor = follower.cursor;
    const error = await alone.poll().catch((thrown: unknown) => thrown);
    expect(error, 'where that one has the branch as well').to.be.instanceOf(ChainHalted);
  });
});
