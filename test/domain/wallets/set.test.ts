import { expect } from 'chai';
import { openWallet, WalletError } from '../../../src/domain/chain/wallets/open.ts';
import { findWallet, listWallets, takeDepositIndices } from '../../../src/domain/chain/wallets/store.ts';
import { firstAddresses } from '../../../src/domain/wallets/first-addresses.ts';
import { confirmWallet, endWallet, setWallet } from '../../../src/domain/wallets/set.ts';
import { reSignWallets } from '../../../src/domain/wallets/re-sign.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { accountKey, addWallet, TREASURY, useWallet } from '../../support/wallets.ts';

describe('wallets', () => {
  let harness: Harness;
  let merchantId: string;
  before(async () => (harness = await createHarness()));
  beforeEach(async () => ({ id: merchantId } = await harness.addMerchant({ mode: 'live' })));
  after(() => harness.close());

  const refused = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing was refused',
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : ''),
    );
  const stateOf = async (id: string) => {
    const wallet = await findWallet(harness.ctx.db, id);
    return [wallet?.confirmed_at !== null, wallet?.retired_at !== null];
  };

  it('are not used before an address of theirs is named as the owner sees it', async () => {
    const { ctx } = harness;
    const wallet = await addWallet(ctx, merchantId);
    expect(await takeDepositIndices(ctx.db, wallet.id, 10)).to.equal(null);
    for (const wrong of [
      '',
      'yes',
      TREASURY,
      firstAddresses(ctx, await addWallet(ctx, merchantId))[0]?.address,
    ])
      expect(await refused(confirmWallet(ctx, wallet.id, wrong ?? ''))).to.include(
        'RangeError: --address must be',
      );
    const [, , third] = firstAddresses(ctx, wallet);
    await confirmWallet(ctx, wallet.id, third?.address.toLowerCase() ?? '');
    expect((await takeDepositIndices(ctx.db, wallet.id, 10))?.next_index).to.equal(10);
  });

  it('of a treasury are confirmed with the treasury', async () => {
    const { ctx } = harness;
    const wallet = await addWallet(ctx, merchantId, { kind: 'forwarder' });
    const [first] = firstAddresses(ctx, wallet);
    expect(await refused(confirmWallet(ctx, wallet.id, first?.address ?? ''))).to.include('the treasury');
    await confirmWallet(ctx, wallet.id, TREASURY);
    expect(await stateOf(wallet.id)).to.deep.equal([true, false]);
  });

  it('replace each other, one in use for each owner, and are never deleted', async () => {
    const { ctx } = harness;
    const other = await harness.addMerchant({ mode: 'live' });
    const [theirs, ours] = [await useWallet(ctx, other.id), await useWallet(ctx, null)];
    const old = await useWallet(ctx, merchantId);
    const next = await addWallet(ctx, merchantId);
    const { replaced } = await confirmWallet(ctx, next.id, firstAddresses(ctx, next)[0]?.address ?? '');
    expect(replaced).to.equal(old.id);
    expect(await stateOf(old.id)).to.deep.equal([true, true]);
    expect([await stateOf(next.id), await stateOf(theirs.id), await stateOf(ours.id)]).to.deep.equal([
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect((await listWallets(ctx.db, merchantId)).map(({ id }) => id)).to.have.members([old.id, next.id]);
    expect(await takeDepositIndices(ctx.db, old.id, 1)).to.equal(null);
  });

  it('are confirmed once: again changes nothing, and not after they were retired', async () => {
    const { ctx } = harness;
    const wallet = await useWallet(ctx, merchantId);
    const address = firstAddresses(ctx, wallet)[0]?.address ?? '';
    harness.advance(60);
    const again = await confirmWallet(ctx, wallet.id, address);
    expect(again).to.deep.equal({ wallet, replaced: null, mailed: null });
    const retired = await endWallet(ctx, wallet.id);
    expect(await endWallet(ctx, wallet.id)).to.deep.equal({ ...retired, mailed: null });
    expect(await refused(confirmWallet(ctx, wallet.id, address))).to.include('is retired');
    expect(await refused(confirmWallet(ctx, 'wal_none', address))).to.include('There is no wallet wal_none');
  });

  it('confirmed at the same moment leave one in use', async () => {
    const { ctx } = harness;
    const wallets = await Promise.all(Array.from({ length: 6 }, () => addWallet(ctx, merchantId)));
    await Promise.all(
      wallets.map((one) => confirmWallet(ctx, one.id, firstAddresses(ctx, one)[0]?.address ?? '')),
    );
    const states = await Promise.all(wallets.map(({ id }) => stateOf(id)));
    expect(states.filter(([isConfirmed]) => isConfirmed)).to.have.lengthOf(6);
    expect(states.filter(([, isRetired]) => !isRetired)).to.have.lengthOf(1);
  });

  it('confirmed and retired at the same moment end in one order or the other', async () => {
    const { ctx } = harness;
    for (let round = 0; round < 5; round += 1) {
      const wallet = await addWallet(ctx, merchantId);
      const address = firstAddresses(ctx, wallet)[0]?.address ?? '';
      await Promise.allSettled([confirmWallet(ctx, wallet.id, address), endWallet(ctx, wallet.id)]);
      expect((await stateOf(wallet.id))[1]).to.equal(true);
      expect(await takeDepositIndices(ctx.db, wallet.id, 1)).to.equal(null);
    }
  });

  it('with the addresses of an earlier one go on behind its indices, so that no two payments share one', async () => {
    const { ctx } = harness;
    const value = accountKey(900);
    const old = await useWallet(ctx, merchantId, { value });
    expect((await takeDepositIndices(ctx.db, old.id, 10))?.next_index).to.equal(10);
    const next = await useWallet(ctx, merchantId, { value });
    expect((await takeDepositIndices(ctx.db, next.id, 10))?.next_index).to.equal(20);
    await endWallet(ctx, next.id);
    const other = await harness.addMerchant({ mode: 'live' });
    const theirs = await useWallet(ctx, other.id, { value });
    expect((await takeDepositIndices(ctx.db, theirs.id, 10))?.next_index).to.equal(30);
  });

  it('with the same addresses are not used by two owners, also when these confirm at the same moment', async () => {
    const { ctx } = harness;
    const value = accountKey(901);
    const others = [merchantId, null, (await harness.addMerchant({ mode: 'live' })).id];
    const wallets = await Promise.all(others.map((owner) => addWallet(ctx, owner, { value })));
    const said = await Promise.all(
      wallets.map((one) => refused(confirmWallet(ctx, one.id, firstAddresses(ctx, one)[2]?.address ?? ''))),
    );
    expect(said.filter((one) => one === 'nothing was refused')).to.have.length(1);
    expect(said.filter((one) => one.includes('has the same addresses and is in use'))).to.have.length(2);
  });

  for (const [change, value] of Object.entries({
    public_data: accountKey(7_099),
    kind: 'forwarder',
    merchant_id: null,
    family: 'bitcoin',
  }))
    it(`whose ${change} was changed in the database is refused, also when it is confirmed`, async () => {
      const { ctx } = harness;
      const wallet = await addWallet(ctx, merchantId);
      const address = firstAddresses(ctx, wallet)[0]?.address ?? '';
      await ctx
        .db('wallets')
        .where({ id: wallet.id })
        .update({ [change]: value });
      expect(await refused(confirmWallet(ctx, wallet.id, address))).to.include('WalletError');
      const row = await findWallet(ctx.db, wallet.id);
      expect(() => row && openWallet(ctx.config, row)).to.throw(WalletError, 'was changed in the database');
      expect(await stateOf(wallet.id)).to.deep.equal([false, false]);
    });

  it('are signed again with a new key, unless somebody has changed them', async () => {
    const { ctx } = harness;
    const [wallet, changed] = [await addWallet(ctx, merchantId), await addWallet(ctx, merchantId)];
    await ctx.db('wallets').where({ id: changed.id }).update({ public_data: wallet.public_data });
    const [old] = ctx.config.secretsKeys;
    const next = Buffer.alloc(32, 9);
    const both = { ...ctx.config, secretsKeys: [next, old ?? next] };
    expect(await reSignWallets({ db: ctx.db, config: both })).to.be.above(0);
    expect(await reSignWallets({ db: ctx.db, config: both })).to.equal(0);
    const row = await findWallet(ctx.db, wallet.id);
    expect(row && openWallet({ ...ctx.config, secretsKeys: [next] }, row).addressAt(0)).to.equal(
      openWallet(ctx.config, wallet).addressAt(0),
    );
    const kept = await findWallet(ctx.db, changed.id);
    expect(() => kept && openWallet(both, kept)).to.throw('was changed');
    await reSignWallets({ db: ctx.db, config: { ...ctx.config, secretsKeys: [old ?? next, next] } });
  });

  it('with a value that the kind does not take are not stored', async () => {
    const { ctx } = harness;
    expect(await refused(setWallet(ctx, { merchantId, kind: 'xpub', value: TREASURY }))).to.include(
      'RangeError',
    );
    expect(await listWallets(ctx.db, merchantId)).to.deep.equal([]);
  });
});
