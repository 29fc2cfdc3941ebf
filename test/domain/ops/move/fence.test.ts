import { expect } from 'chai';
import { revokeApiKey } from '../../../../src/domain/merchants/api-keys.ts';
import { setKeyAddresses } from '../../../../src/domain/merchants/issue-key.ts';
import { deleteView, keepView } from '../../../../src/domain/people/views/store.ts';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { dropFence } from '../../../../src/domain/ops/move/fence.ts';
import { isOf } from '../../../../src/domain/ops/move/tables/table.ts';
import { MERCHANT_TABLES } from '../../../../src/domain/ops/move/tables/tables.ts';
import { parseOpsCommand } from '../../../../src/processes/setup/ops/commands.ts';
import { visiblePrefix } from '../../../../src/platform/values/cells.ts';
import { joinDesk } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openShop } from '../../../support/shop.ts';
import { pauseMerchant, refusal } from '../../../support/paused.ts';

const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };

describe('the fence of a merchant that moves', () => {
  let harness: Harness;
  let moves: string;
  beforeEach(async () => {
    harness = await createHarness();
    moves = `merchant ${harness.merchant.id} is being moved to another cell`;
  });
  afterEach(() => harness.close());

  const keys = () => harness.ctx.db('api_keys').where({ merchant_id: harness.merchant.id });

  it('refuses to revoke a key, by command too: behind the copy it would live on in the target', async () => {
    const { ctx, merchant } = harness;
    await pauseMerchant(harness);
    const revoke = (id: string, key: string) =>
      refusal(ctx.db.transaction((tx) => revokeApiKey(tx, id, key, ctx.now())));
    expect(await revoke(merchant.id, merchant.apiKey)).to.include(moves);
    const command = parseOpsCommand(['keys', '--merchant', merchant.id, '--revoke', merchant.apiKey]);
    if ('help' in command) throw new Error('help');
    expect(await refusal(Promise.resolve(command.run(ctx, output)))).to.include(moves);
    expect(await keys().pluck('revoked_at')).to.deep.equal([null]);
    const other = await harness.addMerchant();
    expect(await revoke(other.id, other.apiKey)).to.equal('written');
  });

  it('refuses each other change of a key', async () => {
    const { ctx, merchant } = harness;
    await pauseMerchant(harness);
    const key = { merchantId: merchant.id, prefix: visiblePrefix(merchant.apiKey) };
    expect(await refusal(setKeyAddresses(ctx, key, ['192.0.2.1']))).to.include(moves);
    const columns = Object.keys((await keys().first<Record<string, unknown>>()) ?? {});
    for (const column of columns) {
      const text = await refusal(ctx.db.raw(`UPDATE api_keys SET ${column} = ${column}`));
      expect([column, text.includes(moves)]).to.deep.equal([column, column !== 'last_used_at']);
    }
  });

  it('lets a key be read and used, and compares copies without that', async () => {
    const { ctx, merchant } = harness;
    await pauseMerchant(harness);
    const before = await measureMerchant(ctx.db, merchant.id);
    expect((await harness.api('get', '/v1/payments')).status).to.equal(200);
    await keys().update({ last_used_at: new Date() });
    expect(await measureMerchant(ctx.db, merchant.id)).to.deep.equal(before);
  });

  it('refuses to delete what is the merchant’s, and nothing of others', async () => {
    const { ctx, merchant } = harness;
    const { id: personId } = await joinDesk(harness, 'ann@shop.example');
    const keeper = { merchantId: merchant.id, personId };
    await keepView(ctx.db, keeper, { name: 'mine', filters: '' });
    await (await openShop(harness)).create({ callback_url: 'https://shop.example/hook' });
    const others = await openShop(harness, await harness.addMerchant());
    const other = await others.create();
    await pauseMerchant(harness);
    const [view = ''] = await ctx.db('payment_views').pluck('id');
    expect(await refusal(deleteView(ctx.db, keeper, String(view)))).to.include(moves);
    const before = await measureMerchant(ctx.db, merchant.id);
    const filled = MERCHANT_TABLES.filter(
      ({ name, refuses }) =>
        (refuses === 'all' || refuses === 'late') &&
        (before[name]?.rows ?? 0) > 0 &&
        name !== 'operator_actions', // is append-only in any case
    );
    expect(filled.map(({ name }) => name)).to.include.members([
      'merchants',
      'quotes',
      'events',
      'memberships',
    ]);
    for (const table of filled) {
      const condition = isOf(table, `'${merchant.id}'`);
      const text = await refusal(ctx.db.raw(`DELETE FROM ${table.name} t WHERE ${condition}`));
      expect([table.name, text.includes(moves)]).to.deep.equal([table.name, true]);
    }
    expect(await measureMerchant(ctx.db, merchant.id)).to.deep.equal(before);
    expect(await ctx.db('quotes').where({ payment_id: other }).delete()).to.be.above(0);
  });

  it('looks at each table for what is inserted, updated and deleted', async () => {
    await pauseMerchant(harness);
    const { rows } = await harness.ctx.db.raw<{ rows: { name: string; events: number }[] }>(
      // pg_trigger.h: 4 is INSERT, 8 DELETE, 16 UPDATE.
      `SELECT tgrelid::regclass::text AS name, bit_or(tgtype::int) & 28 AS events FROM pg_trigger
       WHERE tgname LIKE 'moving mer%' AND tgparentid = 0 GROUP BY 1`,
    );
    const seen = Object.fromEntries(rows.map(({ name, events }) => [name, events]));
    for (const { name, refuses } of MERCHANT_TABLES)
      expect([name, seen[name]]).to.deep.equal([
        name,
        { none: undefined, insert: 4, all: 28, late: 28 }[refuses],
      ]);
    await dropFence(harness.ctx.db, harness.merchant.id);
    const { rows: left } = await harness.ctx.db.raw<{ rows: unknown[] }>(
      `SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`,
    );
    expect(left).to.deep.equal([]);
  });
});
