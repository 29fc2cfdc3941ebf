import { expect } from 'chai';
import { walletsCheck } from '../../../../src/domain/ops/health/wallets.ts';
import { assertSecretsKey } from '../../../../src/domain/ops/health/secrets-key.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { addWallet, useWallet } from '../../../support/wallets.ts';

describe('the health of wallets', () => {
  let harness: Harness;
  beforeEach(async () => (harness = await createHarness()));
  afterEach(() => harness.close());

  it('is bad while one in use is not as it was stored', async () => {
    const { ctx, merchant } = harness;
    const wallet = await useWallet(ctx, merchant.id);
    const pending = await addWallet(ctx, merchant.id);
    await ctx.db('wallets').where({ id: pending.id }).update({ public_data: 'x' });
    const check = walletsCheck(ctx);
    expect(await check.look()).to.deep.equal([]);
    await ctx.db('wallets').where({ id: wallet.id }).update({ merchant_id: null });
    expect(await check.look()).to.deep.equal([
      '1 wallets are not as the operator stored them: their live payments get 503',
    ]);
    await ctx.db('wallets').where({ id: wallet.id }).update({ merchant_id: merchant.id });
    expect(await check.look()).to.deep.equal([]);
  });

  it('keeps a process from starting with a SECRETS_KEY that lacks the key of one', async () => {
    const { ctx, merchant } = harness;
    const wallet = await useWallet(ctx, merchant.id);
    await assertSecretsKey(ctx);
    await ctx.db('wallets').where({ id: wallet.id }).update({ key_id: '0badc0de' });
    const fault = await assertSecretsKey(ctx).catch((error: Error) => error.message);
    expect(fault).to.include('wallets are stored under the key 0badc0de');
  });
});
