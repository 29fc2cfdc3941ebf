import { expect } from 'chai';
import type { AddressBooks } from '../../../../src/domain/chain/wallets/address-book.ts';
import { walletAddresses } from '../../../../src/domain/chain/wallets/wallet-addresses.ts';
import type { Wallet } from '../../../../src/domain/chain/wallets/store.ts';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import type { Caller } from '../../../../src/domain/api/endpoint.ts';
import { confirmWallet, endWallet } from '../../../../src/domain/wallets/set.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { captureLog } from '../../../support/logs.ts';
import { countStatements } from '../../../support/counted-db.ts';
import { until } from '../../../support/until.ts';
import { createHarness, type Harness, type TestMerchant } from '../../../support/harness.ts';
import { addressOf, addWallet, TREASURY, useWallet } from '../../../support/wallets.ts';

describe('deposit addresses of wallets', () => {
  let harness: Harness;
  let ctx: Context;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness();
    ctx = harness.ctx;
  });
  beforeEach(async () => (merchant = await harness.addMerchant({ mode: 'live' })));
  after(() => harness.close());

  const callerOf = async ({ apiKey }: TestMerchant = merchant): Promise<Caller> =>
    (await findCaller(ctx.db, hashApiKey(apiKey))) ?? expect.fail('the merchant does not exist');
  const open = async (books: AddressBooks, caller: Caller, own = ctx) => {
    const opened = await books.open(own, caller, 'ethereum');
    const { wallet_id: walletId, deposit_index: index } = opened;
    return { walletId, index, address: opened.derive('ethereum', { id: 'pay_x', ...opened }) };
  };
  const indexOf = async ({ id }: Wallet) =>
    (await ctx.db('wallets').where({ id }).first('next_index')) as { next_index: number };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: Error & { status?: number }) => `${error.status} ${error.message}`,
    );

  it("are the wallet's, each index once, also for two processes that create at the same moment", async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const caller = await callerOf();
    const books = [walletAddresses(), walletAddresses(), walletAddresses()];
    const opened = await Promise.all(
      Array.from({ length: 90 }, (_, at) => open(books[at % 3] ?? walletAddresses(), caller)),
    );
    expect(new Set(opened.map(({ index }) => index)).size).to.equal(90);
    expect(new Set(opened.map(({ address }) => address)).size).to.equal(90);
    for (const { walletId, index, address } of opened) {
      expect(walletId).to.equal(wallet.id);
      expect(address).to.equal(addressOf(ctx, wallet, index ?? -1));
    }
  });

  it('cost no statement once a process has some ready, and are taken ten at a time', async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const caller = await callerOf();
    const book = walletAddresses();
    await open(book, caller);
    const { db, counts } = countStatements(ctx.db);
    const own = { ...ctx, db };
    for (let count = 0; count < 4; count += 1) await open(book, caller, own);
    expect(counts.statements).to.equal(0);
    expect(await indexOf(wallet)).to.deep.equal({ next_index: 10 });
  });

  it('are taken again before the last one is used', async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const caller = await callerOf();
    const book = walletAddresses();
    for (let count = 0; count < 6; count += 1) await open(book, caller);
    await until('ten more are taken', async () => (await indexOf(wallet)).next_index === 20);
  });

  it('go to the own wallet, then to the default of the installation, then nowhere', async () => {
    const other = await harness.addMerchant({ mode: 'live' });
    const ours = await useWallet(ctx, null);
    const own = await useWallet(ctx, merchant.id);
    expect((await open(walletAddresses(), await callerOf())).walletId).to.equal(own.id);
    expect((await open(walletAddresses(), await callerOf(other))).walletId).to.equal(ours.id);
    await endWallet(ctx, own.id);
    expect((await open(walletAddresses(), await callerOf())).walletId).to.equal(ours.id);
    await endWallet(ctx, ours.id);
    const message = await refusal(open(walletAddresses(), await callerOf()));
    expect(message).to.match(/^503 network_unavailable: no wallet takes live payments .* on ethereum/);
    expect(message).to.include(`wallet set --merchant ${merchant.id}`);
    await addWallet(ctx, merchant.id);
    expect(await refusal(open(walletAddresses(), await callerOf()))).to.match(/^503 network_unavailable/);
  });

  it('of a wallet that was replaced are given to no more callers than know it still', async () => {
    const old = await useWallet(ctx, merchant.id);
    const before = await callerOf();
    const book = walletAddresses();
    await open(book, before);
    const next = await addWallet(ctx, merchant.id, { kind: 'forwarder' });
    await confirmWallet(ctx, next.id, TREASURY);
    // For the 10 s for which a key is remembered: addresses of the old one are watched for good.
    expect((await open(book, before)).walletId).to.equal(old.id);
    expect((await open(book, await callerOf())).walletId).to.equal(next.id);
    for (let count = 0; count < 20; count += 1) await open(book, before).catch(() => undefined);
    expect(await indexOf(old)).to.deep.equal({ next_index: 10 });
    expect(await refusal(open(book, before)))
      .to.include('503 network_unavailable')
      .and.include('retired');
  });

  it('of a changed row are refused with an error in the log, and 503 to the caller', async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const other = await useWallet(ctx, (await harness.addMerchant({ mode: 'live' })).id);
    await ctx.db('wallets').where({ id: wallet.id }).update({ public_data: other.public_data });
    const { log, lines } = captureLog();
    const own = { ...ctx, log };
    const caller = await callerOf();
    const message = await refusal(open(walletAddresses(), caller, own));
    expect(message).to.equal(
      '503 network_unavailable: the wallet for live payments cannot be used. Ask the operator.',
    );
    const [line] = lines().filter(({ level }) => level === 'error');
    expect(line).to.include({ wallet_id: wallet.id, merchant_id: merchant.id });
    expect([line?.message, line?.reason].join()).to.include('wallet refused').and.include('was changed');
    const payment = { id: 'pay_x', merchant_id: merchant.id, wallet_id: wallet.id, deposit_index: 0 };
    expect(await refusal(Promise.resolve(walletAddresses().of(own, payment)))).to.include('503');
  });

  it('of a payment are the same on all networks of the family, and none elsewhere', async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const book = walletAddresses();
    const deposit = { id: 'pay_x', merchant_id: merchant.id, wallet_id: wallet.id, deposit_index: 7 };
    const own = await book.of(ctx, deposit);
    expect([
      own.derive('ethereum', deposit),
      own.derive('polygon', deposit),
      own.derive('bitcoin', deposit),
    ]).to.deep.equal([addressOf(ctx, wallet, 7), addressOf(ctx, wallet, 7), null]);
    const simulated = { id: 'pay_x', merchant_id: merchant.id, wallet_id: null, deposit_index: null };
    expect((await book.of(ctx, simulated)).derive('ethereum', simulated)).to.equal(null);
  });

  it('are kept for 1,000 wallets, those that were used last', async () => {
    const wallet = await useWallet(ctx, merchant.id);
    const caller = await callerOf();
    const book = walletAddresses();
    await open(book, caller);
    // Wallets that do not exist: their pools stay empty.
    for (let count = 0; count < 1_000; count += 1)
      await open(book, { ...caller, wallets: { evm: `wal_${count}` } }).catch(() => undefined);
    expect((await open(book, caller)).index).to.equal(10);
    expect(await indexOf(wallet)).to.deep.equal({ next_index: 20 });
  });
});
