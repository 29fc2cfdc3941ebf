import { expect } from 'chai';
import { assertEqual } from '../../../../src/domain/ops/move/checks/equal.ts';
import { takeBack } from '../../../../src/domain/ops/move/take-back.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { refusal } from '../../../support/paused.ts';
import { openShop } from '../../../support/shop.ts';

const PAYMENTS = 5;

describe('a move that was killed behind its decision', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let ids: string[];
  before(async () => {
    stand = await createMoveStand();
    const shop = await openShop(stand.source);
    ids = [];
    for (let count = 0; count < PAYMENTS; count += 1) ids.push(await shop.create());
    await shop.pay(ids[0] ?? '');
    await stand.source.work();
    await shop.mine(12);
    const killed = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
    expect(await refusal(killed)).to.equal('killed');
  });
  after(() => stand.close());

  const compare = (onProgress?: (payments: number) => void) =>
    refusal(
      assertEqual({ source: stand.source.ctx.db, target: stand.target.ctx.db }, stand.source.merchant.id, {
        batch: 2,
        ...(onProgress && { onProgress }),
      }),
    );
  const inTarget = (text: string, values: string[] = []) =>
    stand.target.ctx.db.transaction(async (tx) => {
      await tx.raw(`SELECT set_config('checkout.moving', ?, true)`, [stand.source.merchant.id]);
      await tx.raw(text, values);
    });
  const told = (...tables: string[]) =>
    `The copy is not equal any more: ${tables.join(', ')}. Nobody is led to it`;

  it('compares all of the payments, some in each transaction', async () => {
    const compared: number[] = [];
    expect(await compare((payments) => compared.push(payments))).to.equal('written');
    expect(compared).to.deep.equal([2, 4, 5]);
  });

  it('finds each payment that is another one in the target', async () => {
    for (const id of ids) {
      await inTarget(`UPDATE payments SET order_id = 'other ' || order_id WHERE id = ?`, [id]);
      expect(await compare(), id).to.equal(told('payments'));
      await inTarget(`UPDATE payments SET order_id = substr(order_id, 7) WHERE id = ?`, [id]);
    }
    expect(await compare()).to.equal('written');
  });

  it('finds rows of other tables, and those of a payment that the source does not have', async () => {
    await inTarget(`UPDATE merchants SET name = 'other ' || name`);
    expect(await compare()).to.equal(told('merchants'));
    await inTarget(`UPDATE merchants SET name = substr(name, 7)`);
    await inTarget(`UPDATE ledger_entries SET amount = amount + 1`);
    expect(await compare()).to.equal(told('ledger_entries'));
    await inTarget(`UPDATE ledger_entries SET amount = amount - 1`);
    await inTarget(`INSERT INTO payments SELECT (json_populate_record(p, '{"id": "pay_other", "token_id": "other"}')).*
      FROM payments p LIMIT 1`);
    expect(await compare()).to.equal(told('payments'));
    await inTarget(`DELETE FROM payments WHERE id = 'pay_other'`);
    expect(await compare()).to.equal('written');
  });

  it('is given up by hand where the target differs, and the merchant goes on in the source', async () => {
    const { source, target } = stand;
    const { id } = source.merchant;
    await inTarget('UPDATE events SET body = body || chr(32)');
    await source.ctx
      .db('merchant_moves')
      .where({ merchant_id: id, step: 'moved' })
      .update({ step: 'announced' });
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    expect((await source.api('post', '/v1/payment').send(body)).status, 'until it is taken back').to.equal(
      503,
    );
    const move = { merchantId: id, cell: 'b', run: 'back', now: source.ctx.now() };
    await takeBack({ source: source.ctx.db, target: target.ctx.db }, move);
    expect((await source.api('post', '/v1/payment').send(body)).status).to.equal(201);
    const frozen = source.ctx.db('scheduled_jobs').where({ visible_at: 'infinity' });
    expect(await frozen.select('job', 'key')).to.deep.equal([]);
    const killed = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
    expect(await refusal(killed)).to.equal('killed');
    expect(await compare()).to.equal('written');
  });

  it('leads nobody to a target that differs, and goes on when it does not', async () => {
    await inTarget('UPDATE events SET body = body || chr(32)');
    expect(await refusal(stand.move())).to.equal(told('events'));
    expect(stand.switched).to.equal(0);
    await inTarget('UPDATE events SET body = left(body, -1)');
    expect((await stand.move()).step).to.equal('arrived');
    expect(stand.switched).to.equal(1);
  });
});
