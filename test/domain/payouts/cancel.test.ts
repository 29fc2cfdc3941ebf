import { expect } from 'chai';
import { hexToBytes } from '@noble/hashes/utils.js';
import { readSigned } from '../../../src/domain/chain/keys/sign.ts';
import { payoutsSection } from '../../../src/domain/ops/status/payouts.ts';
import { readWaitingMoney } from '../../../src/domain/ops/survey/money.ts';
import type { RefundResource } from '../../../src/domain/payments/refunds/schemas.ts';
import { holdPayout, readPayouts } from '../../../src/domain/payouts/decide.ts';
import { eachShop } from '../../support/each-shop.ts';
import { newAddress, unitsOf, useEvmStand } from '../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../support/harness.ts';
import { startLyingProxy, type LyingProxy } from '../../support/lying-proxy.ts';
import type { LiveMerchant } from '../../support/merchant-refunds.ts';
import { SignerStand } from '../../support/signer-stand.ts';

describe('the signer, where somebody else pays what it has signed', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  let proxy: LyingProxy;
  let customer: string;
  let merchant: LiveMerchant;
  let refund: RefundResource;
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    customer = newAddress();
    proxy = await startLyingProxy(standOf().anvil);
    await stand.begin();
    stand.urls = [proxy.url];
    merchant = await stand.real.addMerchant();
    refund = await stand.offered(merchant, customer);
  });
  afterEach(() => Promise.all([stand.close(), proxy.close()]));

  /** Signs the payout while no provider takes it, and lets its merchant pay it by hand. */
  const signedAndPaidByHand = async (): Promise<string> => {
    proxy.before = ({ method }) => {
      if (method === 'eth_sendRawTransaction') throw Object.assign(new Error('later'), { code: -32_000 });
    };
    await stand.pass();
    proxy.before = null;
    await paidByHand();
    return rawOf(0);
  };
  const paidByHand = async () => {
    await standOf().pay('USDC', customer, unitsOf('USDC', 5));
    await stand.settle();
    expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
  };
  /** Signs and sends the payout, which is mined behind that of its merchant, as if blocks were full. */
  const minedAfterwards = async (): Promise<string | undefined> => {
    await stand.pass();
    const [own] = (await stand.row(refund.id)).hashes;
    await standOf().rpc('anvil_dropTransaction', own);
    await paidByHand();
    return own;
  };
  const rawOf = async (place: number) => `0x${(await stand.row(refund.id)).raws[place] ?? ''}`;
  const signed = async (place: number) => readSigned(hexToBytes((await rawOf(place)).slice(2)));
  const sentSince = (calls: number) =>
    proxy.calls
      .slice(calls)
      .flatMap(({ method, params }) => (method === 'eth_sendRawTransaction' ? [params[0]] : []));
  const paid = () => standOf().balance('USDC', customer);
  const section = () => payoutsSection.read(harness.ctx);

  it('never sends what no provider had yet, and fills its number, so that those behind it are mined', async () => {
    const raw = await signedAndPaidByHand();
    const behind = newAddress();
    const next = await stand.insert({ address: behind });
    const calls = proxy.calls.length;
    await stand.pass();
    expect(sentSince(calls)).to.have.length(2);
    expect(sentSince(calls)).to.not.include(raw);
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(refund.id), await stand.stateOf(next)]).to.deep.equal([
      'cancelled: nothing was paid: its refund was completed by another transaction',
      'paid',
    ]);
    expect([await paid(), await standOf().balance('USDC', behind)]).to.deep.equal([
      unitsOf('USDC', 5),
      unitsOf('USDC', 5),
    ]);
    expect(await stand.sent()).to.equal(2);
    expect((await section()).lines).to.deep.equal(['none is open']);
    expect(
      (await readPayouts(harness.ctx.db, { all: false, limit: 9 })).map((one) => one.refund_id),
    ).to.deep.equal([next]);
  });

  it('replaces what waits in the pool by nothing, to itself, for an eighth more gas', async () => {
    await minedAfterwards();
    await standOf().rpc('eth_sendRawTransaction', await rawOf(0));
    const calls = proxy.calls.length;
    await stand.pass();
    const [before, after] = [await signed(0), await signed(1)];
    expect([after.nonce, after.value, after.input.length]).to.deep.equal([before.nonce, 0n, 0]);
    expect(`0x${Buffer.from(after.to).toString('hex')}`).to.equal(stand.key.address);
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const)
      expect(after[fee] * 1_000n >= before[fee] * 1_125n, fee).to.equal(true);
    expect(sentSince(calls)).to.deep.equal([await rawOf(1)]);
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(refund.id), await paid()]).to.deep.equal([
      'cancelled: nothing was paid: its refund was completed by another transaction',
      unitsOf('USDC', 5),
    ]);
  });

  it('cancels after a restart as well, and again for more gas, and never turns back', async () => {
    const raw = await signedAndPaidByHand();
    await stand.restart();
    const calls = proxy.calls.length;
    await stand.pass();
    await harness.ctx.db('payout_stops').delete();
    harness.advance(121);
    await stand.pass();
    const [, first, second] = [await signed(0), await signed(1), await signed(2)];
    expect(second).to.deep.equal({
      ...first,
      maxFeePerGas: second.maxFeePerGas,
      maxPriorityFeePerGas: second.maxPriorityFeePerGas,
    });
    harness.advance(31);
    await stand.pass();
    expect(sentSince(calls)).to.not.include(raw);
    await stand.settle();
    expect(await paid()).to.equal(unitsOf('USDC', 5));
  });

  it('asks for a person where both are mined: it was paid twice', async () => {
    const own = await minedAfterwards();
    const { tx_hash } = await stand.refunds.now(merchant, refund);
    await standOf().rpc('eth_sendRawTransaction', await rawOf(0));
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(refund.id), await paid()]).to.deep.equal(['paid', unitsOf('USDC', 10)]);
    expect(tx_hash).to.not.equal(own);
    const held = async () =>
      (await readWaitingMoney(harness.ctx.db, harness.ctx.now())).map(({ what }) => what);
    const { isBad, lines } = await section();
    expect([isBad, lines.at(-1)]).to.deep.equal([
      true,
      `HELD ${refund.id}: it was paid twice: by the signer, and by ${tx_hash}`,
    ]);
    expect(await held()).to.include('payout_held');
    const [listed] = await readPayouts(harness.ctx.db, { all: false, limit: 9 });
    expect(listed).to.include({ refund_id: refund.id, state: 'paid twice', tx_hash: own });
    await holdPayout(harness.ctx.db, { id: refund.id, by: 'Ann', now: harness.ctx.now() });
    expect([(await section()).isBad, await held()]).to.deep.equal([false, []]);
    expect(await readPayouts(harness.ctx.db, { all: false, limit: 9 })).to.deep.equal([]);
  });

  it('cancels nothing that has completed its refund, whatever its own provider has not seen yet', async () => {
    await stand.pass();
    await stand.settle();
    expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
    proxy.lie = ({ method }, truth) =>
      method === 'eth_getTransactionReceipt' ? null : method === 'eth_getTransactionCount' ? '0x0' : truth;
    await stand.pass();
    expect((await stand.row(refund.id)).hashes).to.have.length(1);
    proxy.lie = null;
    await stand.pass();
    expect(await stand.stateOf(refund.id)).to.equal('paid');
  });

  it('sends nothing of it where a limit or the price of gas keeps it from cancelling, and cancels once they do not', async () => {
    await signedAndPaidByHand();
    const calls = proxy.calls.length;
    const { settings } = stand;
    for (const forbidding of [
      { usd: { perIntent: '5', perHour: '5', perDay: '5' } },
      { networks: { ethereum: { ...networkOf(), maxFeePerGasGwei: '1' } } },
    ]) {
      stand.settings = forbidding;
      await stand.pass();
      harness.advance(121);
      await stand.pass();
    }
    expect([(await stand.row(refund.id)).hashes.length, sentSince(calls)]).to.deep.equal([1, []]);
    stand.settings = settings;
    await stand.pass();
    expect(sentSince(calls)).to.deep.equal([await rawOf(1)]);
  });

  it('is shown where nobody has paid what was cancelled: the word of a worker completes no refund', async () => {
    await stand.pass();
    await standOf().rpc('anvil_dropTransaction', (await stand.row(refund.id)).hashes[0]);
    const stop = { refund_id: refund.id, created_at: stand.now(), tx_hash: `0x${'ab'.repeat(32)}` };
    await stand.worker('payout_stops').insert(stop);
    await stand.pass();
    await stand.settle();
    await stand.pass();
    expect(await stand.stateOf(refund.id)).to.match(/^cancelled: /);
    expect(await paid()).to.equal(0n);
    expect((await section()).lines.at(-1)).to.match(new RegExp(`^HELD ${refund.id}: nothing was paid`));
  });

  const networkOf = () => (stand.configuration as { networks: { ethereum: object } }).networks.ethereum;
});
