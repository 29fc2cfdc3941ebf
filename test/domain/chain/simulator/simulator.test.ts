import { expect } from 'chai';
import type { ChainTransfer } from '../../../../src/domain/chain/port.ts';
import type { TransferRequest, TestChain } from '../../../../src/domain/chain/test-chain.ts';
import { blockHash } from '../../../../src/domain/chain/transaction-hashes.ts';
import { createSimulator } from '../../../../src/domain/chain/simulator/simulator.ts';
import type { Db } from '../../../../src/platform/postgres/db.ts';
import {
  at,
  BLOCK_SECONDS,
  openSimulator,
  SENDING,
  START,
  type SimulatorSetup,
  NOBODY,
} from '../../../support/simulator.ts';

const DAY_SECONDS = 86_400;

const heightOf = ({ block }: ChainTransfer): number | null => block?.height ?? null;

describe('the simulated chain', () => {
  let setup: SimulatorSetup;
  let db: Db;
  let chain: TestChain;

  before(async () => {
    setup = await openSimulator();
    ({ db, chain } = setup);
  });

  beforeEach(async () => {
    await setup.clear();
    await chain.poll('tron', null, NOBODY, START);
  });

  after(() => setup.close());

  const sendOne: SimulatorSetup['sendOne'] = (sending, seconds) => setup.sendOne(sending, seconds);
  const heights = async (seconds: number) => {
    const { transfers } = await chain.poll('tron', null, NOBODY, at(seconds));
    return Object.fromEntries(transfers.map((one) => [one.address, heightOf(one)]));
  };

  describe('poll', () => {
    it('returns an empty network at height 0, and continues from its own cursor', async () => {
      const view = await chain.poll('tron', null, NOBODY, START);
      expect(view).to.deep.equal({
        head: { height: 0, hash: blockHash('tron', 0), time: START },
        finalHeight: -19,
        safeHeight: -19,
        transfers: [],
        cursor: '0',
        scannedUntil: START,
        next: 'head',
        providers: [],
      });
      expect(await chain.poll('tron', view.cursor, NOBODY, START)).to.deep.equal(view);
    });

    it('shows a transfer in the pool, then in a block, each state once', async () => {
      const sent = await sendOne({}, 1);
      const pool = await chain.poll('tron', null, NOBODY, at(2));
      expect(pool).to.deep.include({ transfers: [sent], next: 'head' });
      expect(pool.head.height).to.equal(0);
      expect(sent).to.deep.include({
        ...SENDING,
        seenAt: at(1),
        block: null,
        final: false,
        droppedAt: null,
        replacedBy: null,
        reason: null,
      });
      expect((await chain.poll('tron', pool.cursor, NOBODY, at(3))).transfers).to.deep.equal([]);
      const block = await chain.poll('tron', pool.cursor, NOBODY, at(10));
      expect(block.transfers).to.deep.equal([{ ...sent, block: { height: 1, hash: block.head.hash } }]);
      expect(await chain.poll('tron', block.cursor, NOBODY, at(30))).to.deep.equal({
        head: { height: 3, hash: blockHash('tron', 3), time: at(30) },
        finalHeight: -16,
        safeHeight: -16,
        transfers: [],
        cursor: block.cursor,
        scannedUntil: at(30),
        next: 'head',
        providers: [],
      });
    });

    it('returns the current state of changed transfers, so a repeated poll is safe', async () => {
      await sendOne({}, 1);
      const first = await chain.poll('tron', null, NOBODY, at(15));
      expect(first.transfers.map(heightOf)).to.deep.equal([1]);
      expect(await chain.poll('tron', null, NOBODY, at(15))).to.deep.equal(first);
    });

    it('keeps every digit of an amount', async () => {
      const amounts = [
        '0.000000000000000001',
        '999999999999999999.999999999999999999',
        '4000000000000000000',
        '10.50',
      ];
      const inDai = { network: 'ethereum', coin: 'DAI' } as const;
      for (const amount of amounts) expect((await sendOne({ ...inDai, amount }, 1)).amount).to.equal(amount);
      const { transfers } = await chain.poll('ethereum', null, NOBODY, at(2));
      expect(transfers.map(({ amount }) => amount)).to.have.members(amounts);
    });

    it('shows each network its own transfers and its own head', async () => {
      await chain.poll('bitcoin', null, NOBODY, at(5));
      await sendOne({ network: 'bitcoin', coin: 'BTC', address: 'bc1q' }, 6);
      await sendOne({}, 6);
      expect((await chain.poll('bitcoin', null, NOBODY, at(27))).head.height).to.equal(2);
      expect(
        (await chain.poll('bitcoin', null, NOBODY, at(27))).transfers.map(({ address }) => address),
      ).to.deep.equal(['bc1q']);
      expect(
        (await chain.poll('tron', null, NOBODY, at(27))).transfers.map(({ address }) => address),
      ).to.deep.equal(['Tsomewhere']);
    });

    it('returns pages of 500 and whether there is more', async () => {
      const sendings = Array.from({ length: 1_200 }, (_, i) => ({ ...SENDING, address: `T${i}` }));
      await chain.send(db, sendings, at(1));
      const pages = [];
      for (let cursor: string | null = null, next: unknown = 'more'; next === 'more';) {
        const page = await chain.poll('tron', cursor, NOBODY, at(2));
        pages.push(page);
        ({ cursor, next } = page);
      }
      expect(pages.map(({ transfers, next }) => [transfers.length, next])).to.deep.equal([
        [500, 'more'],
        [500, 'more'],
        [200, 'head'],
      ]);
      const addresses = pages.flatMap(({ transfers }) => transfers.map(({ address }) => address));
      expect(new Set(addresses).size).to.equal(1_200);
    });

    it('shows a transfer that changes between two pages again, in its new state', async () => {
      await chain.send(
        db,
        Array.from({ length: 501 }, (_, i) => ({ ...SENDING, address: `T${i}` })),
        at(1),
      );
      const first = await chain.poll('tron', null, NOBODY, at(2));
      const second = await chain.poll('tron', first.cursor, NOBODY, at(10));
      expect(second.transfers).to.have.length(500);
      const third = await chain.poll('tron', second.cursor, NOBODY, at(10));
      const mined = [...second.transfers, ...third.transfers];
      expect(new Set(mined.map(({ txHash }) => txHash)).size).to.equal(501);
      expect(mined.every((one) => heightOf(one) === 1)).to.equal(true);
    });

    it('rejects a cursor that it never returned', async () => {
      for (const cursor of ['', '-1', 'abc', '1; DROP TABLE sim_heads', '9'.repeat(19)]) {
        const refusal = await chain.poll('tron', cursor, NOBODY, START).catch((error: unknown) => error);
        expect(refusal, cursor).to.be.instanceOf(RangeError);
      }
    });
  });

  describe('blocks', () => {
    it('contain a transfer in the first block after it', async () => {
      for (const seconds of [0, 9.999, 10, 25, 29.999, 30])
        await sendOne({ address: `sent at ${seconds}` }, seconds);
      expect(await heights(35)).to.deep.equal({
        'sent at 0': 1,
        'sent at 9.999': 1,
        'sent at 10': 2,
        'sent at 25': 3,
        'sent at 29.999': 3,
        'sent at 30': null,
      });
    });

    it('never contain a transfer that was committed after they were mined', async () => {
      expect(await heights(30)).to.deep.equal({});
      await sendOne({ address: 'late' }, 5);
      expect(await heights(39)).to.deep.equal({ late: null });
      expect(await heights(40)).to.deep.equal({ late: 4 });
    });

    it('are mined at the same times however often the chain is polled', async () => {
      for (const seconds of [7, 19, 20, 34]) await chain.poll('tron', null, NOBODY, at(seconds));
      await sendOne({}, 35);
      expect((await chain.poll('tron', null, NOBODY, at(39.999))).head.height).to.equal(3);
      expect((await chain.poll('tron', null, NOBODY, at(40))).head.height).to.equal(4);
      expect(await heights(40)).to.deep.equal({ Tsomewhere: 4 });
    });

    it('stay unchanged when the clock goes back', async () => {
      await chain.poll('tron', null, NOBODY, at(50));
      expect((await chain.poll('tron', null, NOBODY, at(20))).head.height).to.equal(5);
      expect((await chain.poll('tron', null, NOBODY, at(60))).head.height).to.equal(6);
    });

    it('of a day are mined in one step and leave one row', async () => {
      const fast = createSimulator({ db, blockSeconds: 1, seed: 'seed' });
      await sendOne({ address: 'morning' }, 0.5);
      await sendOne({ address: 'noon' }, DAY_SECONDS / 2);
      await sendOne({ address: 'night' }, DAY_SECONDS - 0.001);
      const { head, transfers } = await fast.poll('tron', null, NOBODY, at(DAY_SECONDS));
      expect(head.height).to.equal(DAY_SECONDS);
      expect(transfers.map((one) => [one.address, heightOf(one)])).to.deep.equal([
        ['morning', 1],
        ['noon', DAY_SECONDS / 2 + 1],
        ['night', DAY_SECONDS],
      ]);
      const { rows } = (await db.raw('SELECT * FROM sim_heads')) as { rows: unknown[] };
      expect(rows).to.have.length(1);
    });

    it("take each network's own block time by default", async () => {
      const own = createSimulator({ db, seed: 'seed' });
      const networks = ['bitcoin', 'ethereum', 'polygon', 'solana', 'tron'] as const;
      for (const network of networks) await own.poll(network, null, NOBODY, START);
      const polled = await Promise.all(networks.map((network) => own.poll(network, null, NOBODY, at(1_200))));
      expect(polled.map(({ head }) => head.height)).to.deep.equal([2, 100, 600, 3_000, 400]);
    });

    it('must have a duration above zero', () => {
      for (const blockSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => createSimulator({ db, blockSeconds, seed: 'seed' })).to.throw(RangeError, 'block');
      expect(() => createSimulator({ db, seed: '' })).to.throw(RangeError, 'seed');
    });
  });

  describe('send', () => {
    it('sends one transfer per reference, whatever else changes', async () => {
      const first = await sendOne({ reference: 'autopay pay_1' }, 1);
      expect(await sendOne({ reference: 'autopay pay_1' }, 2)).to.deep.equal(first);
      expect(await sendOne({ reference: 'autopay pay_1', amount: '99' }, 3)).to.deep.equal(first);
      const [again, other] = await chain.send(
        db,
        [
          { ...SENDING, reference: 'autopay pay_1' },
          { ...SENDING, reference: 'autopay pay_2' },
        ],
        at(4),
      );
      expect(again).to.deep.equal(first);
      expect(other?.txHash).not.to.equal(first.txHash);
      expect((await chain.poll('tron', null, NOBODY, at(5))).transfers).to.have.length(2);
    });

    it('returns for a used reference the transfer in its current state', async () => {
      await sendOne({ reference: 'autopay pay_1' }, 1);
      await chain.poll('tron', null, NOBODY, at(10));
      expect(heightOf(await sendOne({ reference: 'autopay pay_1' }, 11))).to.equal(1);
    });

    it('sends one of two with the same reference in one call, and returns it for both', async () => {
      const twice = { ...SENDING, reference: 'autopay pay_1' };
      const [first, second] = await chain.send(db, [twice, twice], at(1));
      expect(first).to.deep.equal(second);
      expect((await chain.poll('tron', null, NOBODY, at(2))).transfers).to.have.length(1);
    });

    it('sends another transfer each time without a reference', async () => {
      const hashes = [(await sendOne({}, 1)).txHash, (await sendOne({}, 1)).txHash];
      expect(new Set(hashes).size).to.equal(2);
    });

    it('returns transfers in the order of the requests', async () => {
      const sendings = ['c', 'a', 'b'].map((name) => ({ ...SENDING, address: name, reference: name }));
      const answered = await chain.send(db, [...sendings, { ...SENDING, address: 'none' }], at(1));
      expect(answered.map(({ address }) => address)).to.deep.equal(['c', 'a', 'b', 'none']);
      expect(await chain.send(db, [], at(1))).to.deep.equal([]);
    });

    it('stores text unchanged', async () => {
      const odd = `"quoted", {curly}, back\\slash, NULL, ünïcode`;
      expect(await sendOne({ address: odd, reference: odd }, 1)).to.include({ address: odd });
      expect(await sendOne({ address: 'NULL', reference: 'NULL' }, 1)).to.include({ address: 'NULL' });
    });

    it('accepts zeros after the decimals of the coin', async () => {
      expect((await sendOne({ amount: '10.500000000' }, 1)).amount).to.equal('10.500000000');
    });

    it('rejects a coin that does not exist on the network and an amount that the coin does not have', async () => {
      const faults: Partial<TransferRequest>[] = [
        { coin: 'BTC' },
        { amount: '0' },
        { amount: '-1' },
        { amount: 'NaN' },
        { amount: '1e5' },
        { amount: '0.0000001' },
        { amount: '10.5000005' },
      ];
      for (const fault of faults) {
        const refusal = await chain
          .send(db, [SENDING, { ...SENDING, ...fault }], at(1))
          .catch((error: unknown) => error);
        expect(refusal, JSON.stringify(fault)).to.be.instanceOf(RangeError);
      }
      expect((await chain.poll('tron', null, NOBODY, at(2))).transfers).to.deep.equal([]);
    });

    it("is rolled back with the caller's transaction", async () => {
      const undone = db.transaction(async (tx) => {
        await chain.send(tx, [{ ...SENDING, reference: 'autopay pay_1' }], at(1));
        throw new Error('undo');
      });
      expect(await undone.catch((error: Error) => error.message)).to.equal('undo');
      expect((await chain.poll('tron', null, NOBODY, at(2))).transfers).to.deep.equal([]);
    });
  });

  describe('replace', () => {
    it('drops a transfer from the pool or its block, for a transaction that spends its money', async () => {
      const pooled = await sendOne({ address: 'pooled' }, 11);
      const mined = await sendOne({ address: 'mined' }, 1);
      const { cursor } = await chain.poll('tron', null, NOBODY, at(12));
      for (const { txHash } of [pooled, mined]) {
        const dropped = await chain.replace(txHash, at(13));
        expect(dropped).to.deep.include({ txHash, block: null, droppedAt: at(13), reason: 'replaced' });
        expect(dropped?.replacedBy)
          .to.match(/^[0-9a-f]{64}$/)
          .and.not.equal(txHash);
      }
      const { transfers } = await chain.poll('tron', cursor, NOBODY, at(100));
      expect(transfers.map(({ address, block, droppedAt }) => [address, block, droppedAt])).to.deep.equal([
        ['pooled', null, at(13)],
        ['mined', null, at(13)],
      ]);
    });

    it('drops a transfer that no poller has seen yet', async () => {
      const { txHash } = await sendOne({}, 1);
      await chain.replace(txHash, at(2));
      expect((await chain.poll('tron', null, NOBODY, at(30))).transfers)
        .to.have.length(1)
        .and.nested.property('[0].droppedAt')
        .deep.equal(at(2));
    });

    it('changes nothing the second time', async () => {
      const { txHash } = await sendOne({}, 1);
      const dropped = await chain.replace(txHash, at(2));
      const { cursor } = await chain.poll('tron', null, NOBODY, at(3));
      expect(await chain.replace(txHash, at(4))).to.deep.equal(dropped);
      expect((await chain.poll('tron', cursor, NOBODY, at(5))).transfers).to.deep.equal([]);
    });

    it('returns null for an unknown transaction', async () => {
      expect(await chain.replace('f'.repeat(64), at(1))).to.equal(null);
    });
  });

  describe('reorganise', () => {
    it('returns the transfers of the newest blocks to the pool, and keeps the height', async () => {
      for (const seconds of [1, 11, 21, 31])
        await sendOne({ address: `block ${(seconds + 9) / 10}` }, seconds);
      const { cursor, head } = await chain.poll('tron', null, NOBODY, at(40));
      expect(head.height).to.equal(4);
      expect(await chain.reorganise('tron', 2, at(41))).to.equal(2);
      const orphaned = await chain.poll('tron', cursor, NOBODY, at(42));
      expect(orphaned.head.height).to.equal(4);
      expect(orphaned.transfers.map((one) => [one.address, heightOf(one)])).to.deep.equal([
        ['block 3', null],
        ['block 4', null],
      ]);
      expect(await heights(50)).to.deep.equal({ 'block 1': 1, 'block 2': 2, 'block 3': 5, 'block 4': 5 });
    });

    it('mines the blocks that are due first', async () => {
      await sendOne({}, 1);
      expect(await chain.reorganise('tron', 1, at(10))).to.equal(1);
      expect(await heights(19)).to.deep.equal({ Tsomewhere: null });
      expect(await heights(20)).to.deep.equal({ Tsomewhere: 2 });
    });

    it('reaches the first block, and does not change dropped transfers', async () => {
      const { txHash } = await sendOne({ address: 'dropped' }, 1);
      await sendOne({}, 1);
      await chain.replace(txHash, at(2));
      await chain.poll('tron', null, NOBODY, at(30));
      expect(await chain.reorganise('tron', 1_000, at(31))).to.equal(1);
      expect(await heights(100)).to.deep.equal({ dropped: null, Tsomewhere: 4 });
    });

    it('changes one network only', async () => {
      await chain.poll('ethereum', null, NOBODY, START);
      await sendOne({ network: 'ethereum', address: '0x' }, 1);
      await chain.poll('ethereum', null, NOBODY, at(10));
      expect(await chain.reorganise('tron', 5, at(10))).to.equal(0);
      expect((await chain.poll('ethereum', null, NOBODY, at(10))).transfers).to.have.nested.property(
        '[0].block.height',
        1,
      );
    });
  });

  describe('mine', () => {
    it('mines all transfers sent so far, and the next block follows one full block time later', async () => {
      await sendOne({ address: 'early' }, 1);
      await sendOne({ address: 'now' }, 4);
      expect(await chain.mine('tron', 3, at(4))).to.equal(3);
      expect((await chain.poll('tron', null, NOBODY, at(4))).head.height).to.equal(3);
      expect(await heights(4)).to.deep.equal({ early: 1, now: 1 });
      expect((await chain.poll('tron', null, NOBODY, at(13.999))).head.height).to.equal(3);
      expect((await chain.poll('tron', null, NOBODY, at(14))).head.height).to.equal(4);
    });

    it('mines after the blocks that are due', async () => {
      await sendOne({ address: 'due' }, 1);
      await sendOne({ address: 'waiting' }, 12);
      expect(await chain.mine('tron', 1, at(15))).to.equal(2);
      expect(await heights(15)).to.deep.equal({ due: 1, waiting: 2 });
    });

    it('accepts whole numbers of 1 or more, as does reorganise', async () => {
      for (const count of [0, -1, 1.5, Number.NaN])
        for (const refused of [chain.mine('tron', count, START), chain.reorganise('tron', count, START)])
          expect(await refused.catch((error: unknown) => error), String(count)).to.be.instanceOf(RangeError);
    });
  });

  it('yields the same hashes with the same seed and references', async () => {
    const runOnce = async (): Promise<unknown> => {
      await db.raw('TRUNCATE sim_transfers, sim_heads');
      const seeded = createSimulator({ db, blockSeconds: BLOCK_SECONDS, seed: 'seed' });
      await seeded.poll('solana', null, NOBODY, START);
      const address = seeded.derive('solana', { id: 'pay_1' });
      const sendings = ['half', 'rest'].map((reference) => ({
        ...SENDING,
        network: 'solana' as const,
        address,
        reference,
      }));
      const [half] = await seeded.send(db, sendings, at(1));
      const views = [await seeded.poll('solana', null, NOBODY, at(11))];
      await seeded.reorganise('solana', 1, at(12));
      await seeded.replace(half?.txHash ?? '', at(13));
      views.push(await seeded.poll('solana', null, NOBODY, at(40)));
      return views;
    };
    expect(await runOnce()).to.deep.equal(await runOnce());
  });
});
