import { expect } from 'chai';
import { MOVES } from '../../../../src/domain/moves/steps.ts';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { forgetMerchant } from '../../../../src/domain/ops/move/take-back.ts';
import { recordAction } from '../../../../src/domain/audit/record.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { maintainPartitions } from '../../../../src/domain/webhooks/deliveries/partitions.ts';
import { configure } from '../../../support/deliveries.ts';
import type { Harness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop } from '../../../support/shop.ts';

const DAY = 86_400;
const by = { kind: 'command', actor: 'Ann Lee', address: null } as const;

describe('verify of a merchant that moves', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let receiver: Receiver;
  beforeEach(async () => {
    stand = await createMoveStand();
    receiver = await startReceiver();
    await configure(stand.source, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await stand.close();
  });

  const broken = async ({ ctx }: Harness, merchantId: string | null = stand.source.merchant.id) =>
    (await verify(ctx, { since: null, merchantId })).invariants
      .filter(({ offenders }) => offenders > 0)
      .map(({ name }) => name);
  const announce = () =>
    recordAction(stand.source.ctx.db, {
      at: stand.source.ctx.now(),
      merchantId: stand.source.merchant.id,
      ...by,
      command: MOVES,
      details: {},
    });
  const settle = async () => {
    const shop = await openShop(stand.source);
    const id = await shop.create();
    await shop.pay(id);
    await stand.source.work();
    await shop.mine(12);
    return id;
  };

  it('finds nothing on both sides, at each step: work that rests is no fault', async () => {
    const { source, target } = stand;
    await settle();
    await (await openShop(source)).create();
    const sound = async () => {
      for (const harness of [source, target])
        for (const merchantId of [source.merchant.id, null])
          expect(await broken(harness, merchantId)).to.deep.equal([]);
    };
    const killed = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
    expect(await refusal(killed)).to.equal('killed');
    await sound();
    await stand.move();
    await sound();
    await forgetMerchant(source.ctx.db, source.merchant.id, { knownMs: 0 });
    await sound();
    const { checked } = await verify(target.ctx, { since: null, merchantId: source.merchant.id });
    expect(checked.payments).to.equal(2);
  });

  it('misses nothing in a young target that retention has deleted in the source', async () => {
    const { source, target } = stand;
    const other = await target.addMerchant();
    const old = await (await openShop(target, other)).create();
    for (const days of [0, 60, 60]) {
      for (const harness of [source, target]) harness.advance(days * DAY);
      await settle();
      await maintainPartitions(source.ctx);
      // The recurring sweep has marked this moment, behind the first events.
      source.advance(1);
      await sweepEvents(source.ctx);
    }
    expect(await broken(source)).to.deep.equal([]);
    await stand.move({ announce });
    expect(await broken(target)).to.deep.equal([]);
    expect(await broken(target, null)).to.deep.equal([]);
    await target.ctx.db('events').where({ payment_id: old }).delete();
    for (const merchantId of [other.id, null])
      expect(await broken(target, merchantId), 'it has always been here').to.include('sequences');
  });

  it('names what is broken of it, on the side where it is', async () => {
    const { source, target } = stand;
    const id = await settle();
    const { id: merchantId } = source.merchant;
    for (const command of ['keys', 'members'])
      await recordAction(source.ctx.db, { at: source.ctx.now(), merchantId, ...by, command, details: {} });
    await stand.move();
    await target.ctx.db('payments').where({ id }).update({ amount_received: '1', status: 'PENDING' });
    await target.ctx.db('ledger_entries').where({ payment_id: id, kind: 'received' }).delete();
    await target.ctx.db('events').where({ payment_id: id, sequence: 2 }).delete();
    await target.ctx.db('deliveries').where({ payment_id: id }).delete();
    await target.ctx.db.raw('ALTER TABLE operator_actions DISABLE TRIGGER USER');
    await target.ctx.db('operator_actions').where({ merchant_id: merchantId, number: 1 }).delete();
    expect(await broken(target)).to.include.members([
      'received',
      'ledger',
      'sequences',
      'transitions',
      'deliveries',
      'audit log',
    ]);
    expect(await broken(source)).to.deep.equal([]);
    const other = await target.addMerchant();
    expect(await broken(target, other.id)).to.deep.equal([]);
  });
});
