import { expect } from 'chai';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import type { MoveOrder } from '../../../../src/domain/ops/move/bring.ts';
import { claim } from '../../../../src/domain/ops/move/runs.ts';
import { readMove } from '../../../../src/domain/ops/move/steps.ts';
import { letGo, takeBack } from '../../../../src/domain/ops/move/take-back.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { createHarness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openShop } from '../../../support/shop.ts';

describe('two commands that move one merchant', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  beforeEach(async () => {
    stand = await createMoveStand();
    const shop = await openShop(stand.source);
    for (let count = 0; count < 3; count += 1) await shop.create();
  });
  afterEach(() => stand.close());

  const moving = (run: string) => ({
    merchantId: stand.source.merchant.id,
    cell: 'b',
    run,
    now: stand.source.ctx.now(),
  });
  const ends = () => ({ source: stand.source.ctx.db, target: stand.target.ctx.db });
  const outcomes = (moves: readonly Promise<unknown>[]) =>
    Promise.all(moves.map((move) => refusal(move.then(() => undefined))));
  /** The merchant is in the target, which takes their writes, and in the source, which refuses them. */
  const hasMoved = async () => {
    const { source, target } = stand;
    const { id, apiKey } = source.merchant;
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(503);
    expect((await target.api('post', '/v1/payment', apiKey).send(body)).status).to.equal(201);
    expect((await measureMerchant(target.ctx.db, id)).payments?.rows).to.equal(4);
    const { invariants } = await verify(target.ctx, { since: null });
    expect(invariants.filter(({ offenders }) => offenders > 0)).to.deep.equal([]);
    expect((await readMove(source.ctx.db, id))?.step).to.equal('arrived');
    expect(await readMove(target.ctx.db, id)).to.equal(null);
  };

  const other: { move?: Promise<unknown> } = {};
  const start = () => (other.move ??= stand.move());
  const MOMENTS: Readonly<Record<string, Partial<MoveOrder>>> = {
    'has been announced, and rests until the other has ended': { announce: async () => void (await start()) },
    'has been announced': {
      announce: () => {
        void start();
        return Promise.resolve();
      },
    },
    'is copied': { onProgress: () => void start() },
    'is switched': { switchRoutes: async () => void (await start()) },
  };
  for (const [moment, hooks] of Object.entries(MOMENTS))
    it(`end with it in the target when it ${moment}: of those that bring it one goes on`, async () => {
      delete other.move;
      const first = await outcomes([stand.move(hooks)]);
      const second = await outcomes([Promise.resolve(other.move)]);
      const told = [...first, ...second];
      // One that finds it decided goes on as well: it brings nothing.
      const brought = moment === 'is switched' ? 2 : 1;
      expect(
        told.filter((one) => one === 'written'),
        told.join(),
      ).to.have.length(brought);
      for (const one of told) if (one !== 'written') expect(one).to.match(/taken over|already/);
      await hasMoved();
    });

  it('of which one has the address of a third cell: it is refused, and takes nothing of what arrives', async () => {
    const third = await createHarness();
    const target = stand.target.ctx.db;
    const lost = { source: third.ctx.db, target };
    const asked: Promise<string>[] = [];
    await stand.move({ onProgress: () => void asked.push(refusal(takeBack(lost, moving('lost')))) });
    const refusals = new Set(await Promise.all(asked));
    await third.close();
    const { id } = stand.source.merchant;
    expect([...refusals]).to.deep.equal([`There is no merchant ${id} in the cell of DATABASE_URL`]);
    await hasMoved();
  });

  it('begin at once: one of them goes on', async () => {
    const told = await outcomes([stand.move(), stand.move()]);
    expect(
      told.filter((one) => one === 'written'),
      told.join(),
    ).to.have.length(1);
    await hasMoved();
  });

  it('leave nothing to the one that was taken over: it takes nothing back', async () => {
    const { source } = stand;
    await claim(source.ctx.db, moving('first'));
    await stand.move();
    for (const ended of [letGo(ends(), moving('first')), takeBack(ends(), moving('first'))])
      expect(await refusal(ended)).to.include('is in b already');
    await hasMoved();
  });

  it('of which one takes it back: the other ends, and the merchant goes on in the source', async () => {
    const { source, target } = stand;
    const told = await outcomes([stand.move({ announce: () => takeBack(ends(), moving('back')) })]);
    expect(told.join()).to.match(/taken over|taken back/);
    expect(await source.ctx.db('merchant_moves').select()).to.deep.equal([]);
    expect(await target.ctx.db('merchant_moves').select()).to.deep.equal([]);
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(201);
    expect((await measureMerchant(target.ctx.db, source.merchant.id)).payments?.rows).to.equal(0);
  });
});
