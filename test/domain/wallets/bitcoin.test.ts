import { expect } from 'chai';
import { takeDepositIndices } from '../../../src/domain/chain/wallets/store.ts';
import { setEmail } from '../../../src/domain/merchants/store.ts';
import { listWalletsOf } from '../../../src/domain/wallets/list.ts';
import { firstAddresses } from '../../../src/domain/wallets/first-addresses.ts';
import { confirmWallet, endWallet, setWallet } from '../../../src/domain/wallets/set.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import {
  accountKey,
  addWallet,
  BIP84,
  BIP84_MNEMONIC,
  bitcoinKey,
  TREASURY,
  useWallet,
} from '../../support/wallets.ts';

describe('a wallet on Bitcoin', () => {
  let harness: Harness;
  let merchantId: string;
  before(async () => (harness = await createHarness()));
  beforeEach(async () => {
    ({ id: merchantId } = await harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' }));
  });
  after(() => harness.close());

  const refused = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: unknown) => String(error),
    );
  const set = (value: string, network: 'bitcoin' | 'ethereum' | 'tron' | null = null) =>
    setWallet(harness.ctx, { merchantId, kind: 'xpub', value, network });

  it('shows five addresses of its account, and is used once one of them is confirmed', async () => {
    const { ctx } = harness;
    const { wallet } = await set(BIP84.zpub);
    expect(wallet).to.include({ kind: 'xpub', family: 'bitcoin', confirmed_at: null });
    const shown = firstAddresses(ctx, wallet);
    expect(shown.map(({ path }) => path)).to.deep.equal(
      [0, 1, 2, 3, 4].map((index) => `m/84'/0'/0'/0/${index}`),
    );
    expect(shown.slice(0, 2).map(({ address }) => address)).to.deep.equal(BIP84.receiving);
    expect(await refused(confirmWallet(ctx, wallet.id, TREASURY))).to.include('do not confirm');
    await confirmWallet(ctx, wallet.id, (BIP84.receiving[1] ?? '').toUpperCase());
    const { data } = await listWalletsOf(ctx.db, ctx.config, merchantId, {});
    expect(data).to.have.length(1);
    expect(data[0]).to.deep.include({
      kind: 'xpub',
      state: 'in_use',
      networks: ['bitcoin'],
      public_key: `${BIP84.zpub.slice(0, 8)}...${BIP84.zpub.slice(-4)}`,
      treasury: null,
    });
    await endWallet(ctx, wallet.id);
  });

  it('stands beside one of EVM networks, and neither takes the place of the other', async () => {
    const { ctx } = harness;
    const evm = await useWallet(ctx, merchantId);
    const bitcoin = await useWallet(ctx, merchantId, { network: 'bitcoin' });
    const { data } = await listWalletsOf(ctx.db, ctx.config, merchantId, {});
    expect(data.map(({ id, state }) => [id, state])).to.have.deep.members([
      [evm.id, 'in_use'],
      [bitcoin.id, 'in_use'],
    ]);
    const next = await useWallet(ctx, merchantId, { network: 'bitcoin' });
    const after = await listWalletsOf(ctx.db, ctx.config, merchantId, {});
    expect(after.data.filter(({ state }) => state === 'in_use').map(({ id }) => id)).to.have.members([
      evm.id,
      next.id,
    ]);
  });

  it('is meant by what the value says, else by the network that is named, and not by a bare xpub', async () => {
    const key = bitcoinKey('xpub', 7_060);
    const family = async (...asked: Parameters<typeof set>) => (await set(...asked)).wallet.family;
    expect(await family(bitcoinKey('zpub', 7_061))).to.equal('bitcoin');
    expect(await family(`wpkh(${bitcoinKey('xpub', 7_062)}/0/*)`)).to.equal('bitcoin');
    expect(await family(key, 'bitcoin')).to.equal('bitcoin');
    expect(await family(bitcoinKey('xpub', 7_063))).to.equal('evm');
    expect(await family(accountKey(7_064), 'ethereum')).to.equal('evm');
    expect(await refused(set(bitcoinKey('zpub', 7_065), 'ethereum'))).to.include('no addresses on ethereum');
    expect(await refused(set(bitcoinKey('xpub', 7_065), 'tron'))).to.include('No kind of wallet serves tron');
    const forwarder = { merchantId, kind: 'forwarder', value: TREASURY, network: 'bitcoin' } as const;
    expect(await refused(setWallet(harness.ctx, forwarder))).to.include('A forwarder does not serve bitcoin');
  });

  it('does not take the account of a wallet of EVM networks, nor the other way round', async () => {
    const [evm, bitcoin] = [accountKey(7_070), bitcoinKey('xpub', 7_071)];
    const known = (await set(evm)).wallet.id;
    expect(await refused(set(evm, 'bitcoin'))).to.include(`that of the wallet ${known} on ethereum, polygon`);
    await set(bitcoin, 'bitcoin');
    expect(await refused(set(bitcoin))).to.include("m/84'/0'/0' and m/44'/60'/0'");
  });

  it('goes on behind the indices of an earlier one of its account, whatever both were given as', async () => {
    const { ctx } = harness;
    const account = 7_080;
    const xpub = bitcoinKey('xpub', account, BIP84_MNEMONIC);
    const values = [bitcoinKey('zpub', account, BIP84_MNEMONIC), xpub, `wpkh(${xpub}/<0;1>/*)`];
    const taken: unknown[] = [];
    for (const value of values) {
      const { id } = await useWallet(ctx, merchantId, { value, network: 'bitcoin' });
      taken.push((await takeDepositIndices(ctx.db, id, 10))?.next_index);
    }
    expect(taken).to.deep.equal([10, 20, 30]);
    const other = await harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' });
    const theirs = await addWallet(ctx, other.id, { value: xpub, network: 'bitcoin' });
    const [first] = firstAddresses(ctx, theirs);
    expect(await refused(confirmWallet(ctx, theirs.id, first?.address ?? ''))).to.include(
      'has the same addresses and is in use',
    );
  });

  it('is refused while another of its account is set and confirmed between two of its statements', async () => {
    const { ctx } = harness;
    const [xpub, zpub] = [bitcoinKey('xpub', 7_085), bitcoinKey('zpub', 7_085)];
    const theirs = await harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' });
    const { wallet } = await set(xpub, 'bitcoin');
    const [first] = firstAddresses(ctx, wallet);
    let isFirst = true;
    const db = new Proxy(ctx.db, {
      get(target, name, receiver) {
        if (name !== 'transaction' || !isFirst) return Reflect.get(target, name, receiver) as unknown;
        isFirst = false;
        return async (work: Parameters<typeof target.transaction>[0]) => {
          await useWallet(ctx, theirs.id, { value: zpub, network: 'bitcoin' });
          return target.transaction(work);
        };
      },
    });
    expect(await refused(confirmWallet({ ...ctx, db }, wallet.id, first?.address ?? ''))).to.include(
      'has the same addresses and is in use',
    );
  });

  it('of the installation is told to the live merchants who take money there', async () => {
    const { ctx } = harness;
    const dollars = await harness.addMerchant({ mode: 'live' });
    const both = await harness.addMerchant({ mode: 'live' });
    await ctx
      .db('merchants')
      .where({ id: both.id })
      .update({ accepted_methods: JSON.stringify([{ coin: 'BTC', network: 'bitcoin' }]) });
    for (const id of [merchantId, dollars.id, both.id]) await setEmail(ctx.db, id, `${id}@shop.example`);
    const wallet = await useWallet(ctx, null, { network: 'bitcoin' });
    const told = (await ctx.db('scheduled_jobs').where({ job: 'wallet.tell' })) as { key: string }[];
    const ofWallet = told.filter(({ key }) => key.startsWith(`${wallet.id} confirmed`));
    expect(ofWallet.map(({ key }) => key.split(' ')[2])).to.have.members([merchantId, both.id]);
    await endWallet(ctx, wallet.id);
  });
});
