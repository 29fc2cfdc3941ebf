import { expect } from 'chai';
import type { ChainTransfer } from '../../../../../src/domain/chain/port.ts';
import { expirePayments } from '../../../../../src/domain/payments/processing/expire.ts';
import type { RefundResource } from '../../../../../src/domain/payments/refunds/schemas.ts';
import { sendRefunds } from '../../../../../src/domain/payments/refunds/send.ts';
import { readRefunds } from '../../../../../src/domain/payments/refunds/store.ts';
import { newAddress } from '../../../../support/bitcoin-blocks.ts';
import { parsePsbt, signPsbt, spentElsewhere } from '../../../../support/bitcoin-signer.ts';
import { DEPTH, useBitcoinStand } from '../../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { coinsOf, PSBT_ENV, PsbtStand, psbtOf, reasonOf } from '../../../../support/psbt-stand.ts';

const HOURS = 3_600;

describe('a refund on Bitcoin in the place of one that was withdrawn', () => {
  const standOf = useBitcoinStand();
  let at: PsbtStand;
  eachShop(async (opened) => {
    at = await PsbtStand.open(opened, standOf());
  }, PSBT_ENV);
  afterEach(() => at.close());

  const deposit = (amount: string) => at.refunds.settled(at.merchant, { pay_amount: amount });
  const signed = (refund: RefundResource) => signPsbt(parsePsbt(psbtOf(refund)));

  /** A refund of 0.003 BTC that came in two transfers and were too little, and the second of these. */
  const held = async (): Promise<{ refund: RefundResource; second: ChainTransfer }> => {
    const id = await at.real.create({ pay_amount: '0.005' }, at.merchant);
    const { address } = await at.shop.payment(id);
    const seen: ChainTransfer[] = [];
    at.real.tell((page) => (seen.push(...page.transfers), page));
    await at.stand.pay([address, 200_000n]);
    const { id: last } = await at.stand.pay([address, 100_000n]);
    await at.mine(DEPTH);
    at.harness.advance(2 * HOURS);
    await at.mine(1);
    await expirePayments(at.harness.ctx, at.real.adapters.live, [id]);
    const refund = await at.refunds.ask(at.merchant, id, { address: newAddress() });
    await at.follow();
    const second = seen.findLast(({ txHash }) => txHash === last);
    if (second === undefined) throw new Error('its second transfer was not seen');
    return { refund: await at.now(refund), second };
  };

  /** Loses a transfer of a refund for good, which withdraws it, and returns the one in its place. */
  const withdraw = async (refund: RefundResource, lost: ChainTransfer): Promise<RefundResource> => {
    const { ctx } = at.harness;
    const dropped = { ...lost, block: null, final: false, droppedAt: ctx.now(), reason: 'evicted' } as const;
    at.real.tell((page) => ({ ...page, transfers: [...page.transfers, dropped] }));
    await at.real.sync();
    at.real.tell((page) => page);
    await sendRefunds(ctx, at.real.adapters.live, [refund.id]);
    const [place, ...more] = await readRefunds(ctx.db, refund.payment_id);
    if (place === undefined) throw new Error('there is none in its place');
    expect([place.coin_amount, more]).to.deep.equal(['0.002', []]);
    expect(place.id).to.not.equal(refund.id);
    await at.follow();
    return at.refunds.now(at.merchant, place);
  };

  it('spends a coin of it, for it may have been signed: the chain takes one of the two', async () => {
    await deposit('0.005');
    const { refund, second } = await held();
    const first = signed(refund);
    // It would pay alone, and leave less change.
    await deposit('0.003');
    const place = await withdraw(refund, second);
    expect(coinsOf(place)).to.include.members(coinsOf(refund));
    const conflicting = signed(place);
    await at.stand.send(first);
    await at.mine(1);
    const sent = at.stand.rpc('sendrawtransaction', conflicting.hex);
    expect(await sent.catch((error: Error) => error.message)).to.match(/orphan|missing|spent/i);
    expect(reasonOf(await at.later(place))).to.equal('coins_spent');
  });

  it('spends a coin of each that was withdrawn before it', async () => {
    await deposit('0.005');
    const { refund, second } = await held();
    const place = await withdraw(refund, second);
    const { db } = at.harness.ctx;
    const coins = () => db('refund_coins').where({ refund_id: place.id });
    expect(await coins()).to.have.length(1);
    expect(await db('withdrawn_coins'), 'those are the coins of a request again').to.deep.equal([]);
    expect(coinsOf(await at.later(place, HOURS + 1))).to.deep.equal(coinsOf(refund));
  });

  it('spends others once another transaction has spent them for good, and says what it waits for', async () => {
    await deposit('0.005');
    const { refund, second } = await held();
    await deposit('0.003');
    await at.stand.send(signPsbt(spentElsewhere(psbtOf(refund), newAddress(), 495_000n)));
    await at.mine(1);
    const place = await withdraw(refund, second);
    expect(reasonOf(place)).to.equal('coins_spent');
    await at.mine(DEPTH);
    const later = await at.later(place);
    expect(coinsOf(later)).to.not.have.members(coinsOf(refund));
    await at.stand.send(signed(later));
    await at.mine(DEPTH + 1);
    expect(await at.now(place)).to.include({ status: 'COMPLETED' });
  });

  it('is the only one that takes its coins', async () => {
    const other = await deposit('0.005');
    const { refund, second } = await held();
    const taken = coinsOf(refund);
    at.estimate(null);
    const { ctx } = at.harness;
    const follow = at.follow.bind(at);
    // The request of another payment's refund is made before that in the place of the withdrawn one.
    at.follow = () => Promise.resolve();
    const place = await withdraw(refund, second);
    at.follow = follow;
    await ctx.db('refunds').where({ id: place.id }).update({ status: 'HELD' });
    const beside = await at.ask(other, '0.004');
    expect(reasonOf(beside)).to.equal('insufficient');
    await ctx.db('refunds').where({ id: place.id }).update({ status: 'AWAITING_SIGNATURE' });
    await at.follow();
    expect(coinsOf(await at.now(place))).to.deep.equal(taken);
  });
});
