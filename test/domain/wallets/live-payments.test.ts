import { simulatedRates } from '../../../src/domain/chain/simulator/market.ts';
import { expect } from 'chai';
import { createAdapters, type Adapters } from '../../../src/domain/adapters.ts';
import { simulatedChain, simulatedPayouts } from '../../../src/domain/chain/simulator/simulated.ts';
import { displayedAddress } from '../../../src/domain/chain/addresses.ts';
import { walletAddresses } from '../../../src/domain/chain/wallets/wallet-addresses.ts';
import { selectMethodByToken } from '../../../src/domain/checkout/actions/select-method.ts';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { setAcceptedMethods } from '../../../src/domain/merchants/accepted-methods.ts';
import { createPayment } from '../../../src/domain/payments/create.ts';
import { isForeignAddress } from '../../../src/domain/payments/refunds/refund-address.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { eachShop } from '../../support/each-shop.ts';
import { countStatements } from '../../support/counted-db.ts';
import type { Harness, TestMerchant } from '../../support/harness.ts';
import type { Shop } from '../../support/shop.ts';
import { addressOf, TREASURY, useWallet } from '../../support/wallets.ts';

const ORDER = { pay_amount: '10.50', order_id: 'order-1' };

/** Ethereum and Polygon as real networks, on the chains of the simulator. */
describe('a live payment', () => {
  let harness: Harness;
  let shop: Shop;
  let adapters: Adapters;
  let merchant: TestMerchant;
  let isHalted: boolean;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    isHalted = false;
    const real = { payouts: simulatedPayouts };
    const served = { networks: ['ethereum', 'polygon'] as const, isHalted: () => isHalted };
    const config = { ...harness.ctx.config, simulateLive: false };
    const created = createAdapters(config, { real: { ethereum: real, polygon: real }, served });
    const { live } = created;
    adapters = { ...created, live: { ...live, chain: simulatedChain, rates: simulatedRates } };
    merchant = await harness.addMerchant({ mode: 'live' });
  });

  const create = async (own = harness.ctx, { apiKey }: TestMerchant = merchant) => {
    const caller = (await findCaller(harness.ctx.db, hashApiKey(apiKey))) ?? expect.fail('no caller');
    const { text } = await createPayment(own, adapters, caller, ORDER, null);
    return (JSON.parse(text) as { id: string }).id;
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: Error & { status?: number }) => `${error.status} ${error.message}`,
    );

  it('has an address of the wallet of its merchant, and names wallet and index', async () => {
    const wallet = await useWallet(harness.ctx, merchant.id);
    const payment = await shop.payment(await create());
    expect(payment).to.include({ wallet_id: wallet.id, deposit_index: 0 });
    expect(payment.address).to.equal(addressOf(harness.ctx, wallet, 0));
  });

  it('without a wallet is a 503 that says what to do, and stores nothing', async () => {
    expect(await refusal(create())).to.match(
      /^503 network_unavailable: no wallet .* wallet set --merchant mer_/,
    );
    expect(await harness.ctx.db('payments').where({ merchant_id: merchant.id })).to.deep.equal([]);
  });

  it('on a network that has halted is a 503, and one that no watcher reads as well', async () => {
    await useWallet(harness.ctx, merchant.id);
    isHalted = true;
    expect(await refusal(create())).to.match(/^503 network_unavailable: ethereum has halted/);
    isHalted = false;
    adapters = createAdapters({ ...harness.ctx.config, simulateLive: false });
    expect(await refusal(create())).to.match(
      /^503 network_unavailable: no real client serves .* on ethereum/,
    );
  });

  it('is created in one statement, as a test payment is, once addresses are ready', async () => {
    await useWallet(harness.ctx, merchant.id);
    const caller =
      (await findCaller(harness.ctx.db, hashApiKey(merchant.apiKey))) ?? expect.fail('no caller');
    await createPayment(harness.ctx, adapters, caller, ORDER, null);
    const { db, counts } = countStatements(harness.ctx.db);
    await createPayment({ ...harness.ctx, db }, adapters, caller, ORDER, null);
    const live = counts.statements;
    await createPayment({ ...harness.ctx, db }, adapters, shop.caller, ORDER, null);
    expect([live, counts.statements - live]).to.deep.equal([1, 1]);
  });

  it('of many at once has an index of its own, in the database too', async () => {
    const wallet = await useWallet(harness.ctx, merchant.id);
    const ids = await Promise.all(Array.from({ length: 40 }, () => create()));
    const rows = (await harness.ctx.db('payments').whereIn('id', ids)) as {
      deposit_index: number;
      address: string;
    }[];
    expect(new Set(rows.map(({ deposit_index }) => deposit_index)).size).to.equal(40);
    for (const { deposit_index, address } of rows)
      expect(address).to.equal(addressOf(harness.ctx, wallet, deposit_index));
    const [first, second] = ids;
    const place = await harness.ctx.db('payments').where({ id: first }).first('wallet_id', 'deposit_index');
    const stolen = harness.ctx.db('payments').where({ id: second }).update(place);
    expect(await refusal(Promise.resolve(stolen))).to.include('payments_by_deposit');
  });

  it('keeps its address when the customer chooses another network of the family', async () => {
    await useWallet(harness.ctx, merchant.id);
    const id = await create();
    await setAcceptedMethods(harness.ctx.db, merchant.id, [{ coin: 'USDC', network: 'polygon' }]);
    const { token_id, address } = await shop.payment(id);
    expect(await selectMethodByToken(harness.ctx, adapters, token_id, 'USDC', 'polygon')).to.equal(
      'selected',
    );
    expect(await shop.payment(id)).to.include({ network: 'polygon', address });
  });

  it('takes no refund to an address of its own, on any network and in any spelling', async () => {
    const { ctx } = harness;
    await useWallet(ctx, merchant.id);
    const payment = await shop.payment(await create());
    const rules = { ...adapters.live, addresses: await adapters.live.addresses.of(ctx, payment) };
    const elsewhere = { ...payment, address: TREASURY };
    for (const own of [payment.address, displayedAddress('ethereum', payment.address)])
      for (const network of ['ethereum', 'polygon'] as const)
        expect(isForeignAddress(rules, elsewhere, network, own)).to.equal(false);
    expect(isForeignAddress(rules, payment, 'polygon', TREASURY)).to.equal(true);
  });

  it('goes to the wallet that was confirmed last, and the payments before keep theirs', async () => {
    const old = await useWallet(harness.ctx, merchant.id);
    const before = await create();
    const next = await useWallet(harness.ctx, merchant.id, { kind: 'forwarder' });
    const after = await create();
    expect(await shop.payment(before)).to.include({ wallet_id: old.id });
    expect(await shop.payment(after)).to.include({
      wallet_id: next.id,
      address: addressOf(harness.ctx, next, 0),
    });
  });

  it('whose index a payment has already, after a backup without `ops restored`, fails alone', async () => {
    const wallet = await useWallet(harness.ctx, merchant.id);
    await create();
    await harness.ctx.db('wallets').where({ id: wallet.id }).update({ next_index: 0 });
    const caller =
      (await findCaller(harness.ctx.db, hashApiKey(merchant.apiKey))) ?? expect.fail('no caller');
    const restarted = { ...adapters, live: { ...adapters.live, addresses: walletAddresses() } };
    const again = () => createPayment(harness.ctx, restarted, caller, ORDER, null);
    const outcomes = await Promise.allSettled([again(), shop.create(), shop.create(), again()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it("has nothing of another merchant's wallet", async () => {
    const other = await harness.addMerchant({ mode: 'live' });
    const [own, theirs] = [await useWallet(harness.ctx, merchant.id), await useWallet(harness.ctx, other.id)];
    const ids = [await create(), await create(harness.ctx, other)];
    const places = await Promise.all(ids.map(async (id) => (await shop.payment(id)).wallet_id));
    expect(places).to.deep.equal([own.id, theirs.id]);
  });
});
