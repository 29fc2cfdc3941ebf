import { expect } from 'chai';
import { revokeApiKey } from '../../../../src/domain/merchants/api-keys.ts';
import { setKeyAddresses } from '../../../../src/domain/merchants/issue-key.ts';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { parseOpsCommand } from '../../../../src/processes/setup/ops/commands.ts';
import { visiblePrefix } from '../../../../src/platform/values/cells.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
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
});
