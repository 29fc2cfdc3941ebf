import { expect } from 'chai';
import { isOf } from '../../../../src/domain/ops/move/tables/table.ts';
import { MERCHANT_TABLES } from '../../../../src/domain/ops/move/tables/tables.ts';
import { forgetMerchant } from '../../../../src/domain/ops/move/take-back.ts';
import { FINAL_DEPTH, useEvmStand } from '../../../support/evm-stand.ts';
import type { Wallet } from '../../../../src/domain/chain/wallets/store.ts';
import { BEGIN, type TestMerchant } from '../../../support/harness.ts';
import { checkInvariants } from '../../../support/invariants.ts';
import { openLiveCell, PRICE, type LiveCell } from '../../../support/live-move.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { until } from '../../../support/until.ts';
import { useWallet } from '../../../support/wallets.ts';

const SETTLED = ['created WAITING', 'pending PENDING', 'processing PROCESSING', 'settled SETTLED'];

describe('a live merchant that moves, with a wallet on a real chain', function () {
  this.timeout(60_000);
  const node = useEvmStand(BEGIN);
  let stand: MoveStand;
  let here: LiveCell;
  let there: LiveCell;
  let merchant: TestMerchant;
  beforeEach(async () => {
    stand = await createMoveStand();
    here = await openLiveCell(stand.source, node());
    there = await openLiveCell(stand.target, node());
    await Promise.all([here.read(), there.read()]);
    merchant = (await here.real.addMerchant()) as TestMerchant;
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
    await stand.close();
  });

  const order = () => ({ merchantId: merchant.id });
  const open = async ({ real, shop }: LiveCell) => {
    const id = await real.create({}, merchant);
    const { address } = await shop.payment(id);
    return { id, address: address ?? '' };
  };
  const indexOf = async ({ harness }: LiveCell) =>
    Number(
      (await harness.ctx.db('wallets').where({ merchant_id: merchant.id }).first('next_index'))?.next_index,
    );
  /** Mines until what is in the newest block is final, which a cell reads, and does its work. */
  const settle = async (cell: LiveCell) => {
    // What was quarantined is applied first, and confirmed by the next block.
    await cell.read();
    await cell.work();
    await node().mine(FINAL_DEPTH + 2);
    await cell.read();
    await cell.work();
  };
  /** Money was credited once: the story of a payment that was paid once, and what was booked of it. */
  const isPaidOnce = async ({ shop, harness }: LiveCell, id: string) => {
    const story = await shop.story(id);
    expect(story.filter((told, place) => told !== story[place - 1])).to.deep.equal(SETTLED);
    expect(await harness.ctx.db('transfers').where({ payment_id: id }).select('amount')).to.deep.equal([
      { amount: '10.5' },
    ]);
    expect(
      await harness.ctx.db('ledger_entries').where({ payment_id: id }).orderBy('id').select('kind', 'amount'),
    ).to.deep.equal([
      { kind: 'received', amount: '10.5' },
      { kind: 'settled', amount: '10.5' },
    ]);
  };
  const quarantined = ({ harness }: LiveCell) =>
    harness.ctx.db('unapplied_transfers').pluck<string[]>('payment_id');

  it('gives no address twice, on either side, also when the move is taken back, and on the way back', async () => {
    const given: string[] = [];
    const openSome = async (cell: LiveCell) => {
      for (let count = 0; count < 3; count += 1) given.push((await open(cell)).address);
    };
    await openSome(here);
    const before = await indexOf(here);
    const failed = stand.move({ ...order(), onProgress: () => expect.fail('killed') });
    expect(await refusal(failed)).to.include('killed');
    await openSome(here);
    await stand.move(order());
    expect(await indexOf(there))
      .to.be.at.least(before)
      .and.to.equal(await indexOf(here));
    await openSome(there);
    // What the source's process has derived ahead is given to nobody while the merchant is away.
    expect(await refusal(open(here))).to.include('is being moved');
    await forgetMerchant(stand.source.ctx.db, merchant.id, { knownMs: 0 });
    await there.read();
    await stand.moveBack(order());
    await openSome(here);
    await forgetMerchant(stand.target.ctx.db, merchant.id, { knownMs: 0 });
    expect(new Set(given)).to.have.property('size', 12);
    for (const cell of [here, there]) await checkInvariants(cell.harness.ctx.db);
  });

  it('goes on with what is under way: final, mined, in the pool, taken back by a reorganisation', async () => {
    const [deep, mined, pooled, gone, late] = [
      await open(here),
      await open(here),
      await open(here),
      await open(here),
      await open(here),
    ];
    await node().pay('USDC', deep.address, PRICE);
    await settle(here);
    const minedHash = await node().pay('USDC', mined.address, PRICE);
    const raw = await node().rawOf(minedHash);
    await node().pay('USDC', gone.address, PRICE);
    await node().mine(1);
    await here.read();
    await node().pay('USDC', pooled.address, PRICE);
    await here.read();
    await there.read();
    await stand.move(order());
    // The block of two of them is replaced, and one of these is in the new one.
    await node().reorganise(1, [[raw, 0]]);
    await node().mine(2);
    await there.read();
    await there.work();
    expect((await there.shop.payment(gone.id)).exceptions).to.deep.equal(['reorged']);
    await node().pay('USDC', late.address, PRICE);
    await settle(there);
    for (const { id } of [deep, mined, pooled, late]) await isPaidOnce(there, id);
    expect(await there.shop.story(gone.id)).to.not.include('processing PROCESSING');
    await checkInvariants(there.harness.ctx.db);
  });

  it('loses nothing that comes between the fence and the switch, and the target credits it once', async () => {
    const [fenced, copied, switched] = [await open(here), await open(here), await open(here)];
    const pay = async ({ address }: { address: string }, ...cells: LiveCell[]) => {
      await node().pay('USDC', address, PRICE);
      await node().mine(1);
      for (const cell of cells) await cell.read();
    };
    const { db } = here.harness.ctx;
    // The last tables are not closed, nor read, while this is open: the first are closed already.
    const held = await db.transaction();
    const asked: Promise<unknown>[] = [];
    const move = stand.move({
      ...order(),
      onProgress: async (_rows, of) => {
        if (of === 'rows copied while writes go on, up to events,')
          await held.raw('LOCK TABLE receipts IN ROW EXCLUSIVE MODE');
        if (of === 'rows copied, up to payments,') asked.push(pay(copied, here, there));
      },
      switchRoutes: async () => {
        await Promise.all(asked);
        await pay(switched, here, there);
      },
    });
    const first = MERCHANT_TABLES.filter(({ refuses }) => refuses === 'all').length;
    await until('the first tables are closed', async () => {
      const { rows } = await db.raw<{ rows: { count: number }[] }>(
        `SELECT count(DISTINCT tgrelid)::int AS count FROM pg_trigger
         WHERE tgname = 'moving ${merchant.id}' AND tgparentid = 0`,
      );
      return (rows[0]?.count ?? 0) >= first;
    });
    await pay(fenced, here);
    expect(await quarantined(here)).to.deep.equal([fenced.id]);
    await held.commit();
    await move;
    await settle(there);
    await here.read();
    for (const { id } of [fenced, copied, switched]) await isPaidOnce(there, id);
    expect(await quarantined(there)).to.deep.equal([]);
    for (const { id } of [fenced, copied, switched])
      expect(await here.shop.story(id)).to.deep.equal(['created WAITING']);
    await forgetMerchant(db, merchant.id, { knownMs: 0 });
    for (const cell of [here, there]) await checkInvariants(cell.harness.ctx.db);
  });

  it('is taken back with what has come meanwhile, which the source credits once', async () => {
    const one = await open(here);
    const asked: Promise<unknown>[] = [];
    const pay = async () => {
      await node().pay('USDC', one.address, PRICE);
      await node().mine(1);
      for (const cell of [here, there]) await cell.read();
    };
    const failed = stand.move({
      ...order(),
      onProgress(_rows, of) {
        if (of === 'rows copied, up to scheduled_jobs,') expect.fail('killed');
        if (of === 'rows copied, up to payments,') asked.push(pay());
      },
    });
    expect(await refusal(failed)).to.include('killed');
    await Promise.all(asked);
    await settle(here);
    await there.read();
    await isPaidOnce(here, one.id);
    for (const table of MERCHANT_TABLES)
      if (table.isShared !== true) {
        const condition = isOf(table, `'${merchant.id}'`);
        const { rows } = await there.harness.ctx.db.raw<{ rows: unknown[] }>(
          `SELECT FROM ${table.name} t WHERE ${condition}`,
        );
        expect(rows, table.name).to.deep.equal([]);
      }
    for (const cell of [here, there]) await checkInvariants(cell.harness.ctx.db);
  });

  it('is read in a target whose watcher is behind, so that no money is credited that has left the chain', async () => {
    const gone = await open(here);
    await node().mine(FINAL_DEPTH + 2);
    await here.read();
    await node().pay('USDC', gone.address, PRICE);
    await node().mine(1);
    await here.read();
    await stand.move(order());
    await node().reorganise(1);
    await settle(there);
    expect(await there.shop.story(gone.id)).to.not.include('processing PROCESSING');
    expect((await there.shop.payment(gone.id)).exceptions).to.deep.equal(['reorged']);
  });

  it('stays where the target has given out its addresses already: another merchant has the key there', async () => {
    const { ctx } = stand.target;
    const own = await stand.source.ctx.db('wallets').where({ merchant_id: merchant.id }).first<Wallet>();
    await open(here);
    const other = await stand.target.addMerchant({ mode: 'live' });
    const alike = await useWallet(ctx, other.id, { value: own?.public_data ?? '' });
    const refused = `The wallet ${alike.id} of the target has the addresses of ${own?.id}`;
    expect(await refusal(stand.move(order()))).to.include(refused);
    await ctx.db('wallets').update({ confirmed_at: null });
    expect((await stand.move(order())).step).to.equal('arrived');
  });
});
