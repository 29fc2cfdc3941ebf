import { expect } from 'chai';
import type { Outcome } from '../../../../src/domain/chain/port.ts';
import { announceTransactionByToken } from '../../../../src/domain/checkout/actions/announce-transaction.ts';
import { checkoutPage } from '../../../../src/domain/checkout/page/page.ts';
import { findByToken } from '../../../../src/domain/checkout/view/store.ts';
import { viewOf } from '../../../../src/domain/checkout/view/view.ts';
import { languageFor } from '../../../../src/domain/languages/languages.ts';
import { followAwaited } from '../../../../src/domain/payments/awaited/follow.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

const NUMBER = { sender: `0x${'aa'.repeat(20)}`, nonce: 7 };
const UNKNOWN: Outcome = { state: 'unknown', transfers: [] };
const POOLED: Outcome = { state: 'unmined', transfers: [], number: NUMBER };
const LOST = 'was replaced, cancelled or refused';

describe('the transaction of a wallet that no block has', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let asked: string[];
  /** What the provider says of a transaction, and whether it proves that the number is spent. */
  let outcome: Outcome;
  let spent: boolean | null;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
    [asked, outcome, spent] = [[], UNKNOWN, null];
  });

  const hashOf = (index: number) => `0x${String(index).padStart(64, '0')}`;
  const tokenOf = async (id: string) => (await shop.payment(id)).token_id;
  const announce = async (id: string, index = 1) => {
    real.answer(UNKNOWN);
    const chain = real.adapters.live.chains.chainIdOf('ethereum');
    await announceTransactionByToken(harness.ctx, real.adapters, await tokenOf(id), {
      tx: hashOf(index),
      chain,
    });
  };
  const sent = async (index = 1) => {
    const id = await real.create();
    await announce(id, index);
    return id;
  };
  const follow = async () => {
    const client = {
      find: (_network: string, hash: string) => {
        asked.push(hash);
        return Promise.resolve(outcome);
      },
      hasSpent: ({ nonce }: typeof NUMBER) => Promise.resolve(nonce === NUMBER.nonce ? spent : false),
    };
    await followAwaited(harness.ctx, client, 'ethereum');
    harness.advance(30);
  };
  const stateOf = async (id: string) => {
    const payment = await findByToken(harness.ctx.db, await tokenOf(id));
    return payment === null ? null : viewOf(payment, harness.ctx.now()).state;
  };
  const pageOf = async (id: string) => {
    const payment = await findByToken(harness.ctx.db, await tokenOf(id));
    if (payment === null) throw new Error('the payment is gone');
    return checkoutPage(payment, harness.ctx.now(), languageFor('en'), real.adapters.live);
  };

  it('is lost once its account has spent its number: the page asks for the money again, and says why', async () => {
    const id = await sent();
    expect(await stateOf(id)).to.equal('sent');
    outcome = POOLED;
    await follow();
    [outcome, spent] = [UNKNOWN, true];
    const before = (await findByToken(harness.ctx.db, await tokenOf(id)))?.version;
    await follow();
    expect(await stateOf(id)).to.equal('waiting');
    expect(await pageOf(id))
      .to.include(LOST)
      .and.include('id="amount"')
      .and.not.include('id="unsent"');
    expect((await findByToken(harness.ctx.db, await tokenOf(id)))?.version, 'open pages follow').to.not.equal(
      before,
    );
    // The same again is as lost as before; another is awaited.
    await announce(id);
    expect(await stateOf(id)).to.equal('waiting');
    await announce(id, 2);
    expect(await stateOf(id)).to.equal('sent');
    expect(await pageOf(id)).to.not.include(LOST);
  });

  it('is lost where it was mined, and has moved nothing', async () => {
    const id = await sent();
    [outcome, spent] = [{ state: 'reverted', transfers: [], number: NUMBER }, true];
    await follow();
    expect(await stateOf(id)).to.equal('waiting');
  });

  for (const [what, first, then, isSpent] of [
    ['is unknown, and nobody has seen whose it is', UNKNOWN, UNKNOWN, true],
    ['is unknown, and its number is not spent', POOLED, UNKNOWN, false],
    ['is unknown, and nobody proves that its number is spent', POOLED, UNKNOWN, null],
    ['is in a pool', POOLED, POOLED, true],
    ['was mined: what only a balance tells of may have come', POOLED, { ...POOLED, state: 'mined' }, true],
  ] as const)
    it(`is awaited while it ${what}`, async () => {
      const id = await sent();
      for (const next of [first, then, then]) {
        [outcome, spent] = [next, isSpent];
        await follow();
      }
      expect(asked).to.have.lengthOf(3);
      expect(await stateOf(id)).to.equal('sent');
    });

  it('is not lost where its transfer was seen, or is quarantined', async () => {
    const [id, other] = [await real.create(), await sent(2)];
    const { txHash } = await real.pay(id);
    await harness.ctx
      .db('awaited_transactions')
      .insert({ payment_id: id, network: 'ethereum', tx_hash: txHash, sender: NUMBER.sender, nonce: 7 });
    await harness.ctx
      .db('announced_transactions')
      .insert({ payment_id: id, network: 'ethereum', tx_hash: txHash });
    await real.sync();
    await harness.ctx.db('unapplied_transfers').insert({
      payment_id: other,
      network: 'ethereum',
      transfers: '[]',
      rates: '{}',
      set_aside_at: harness.ctx.now(),
    });
    [outcome, spent] = [{ ...UNKNOWN, number: NUMBER }, true];
    await follow();
    expect(asked).to.deep.equal([hashOf(2)]);
    expect([await stateOf(id), await stateOf(other)]).to.deep.equal(['seen', 'sent']);
    // Its job would apply it.
    await harness.ctx.db('unapplied_transfers').delete();
  });

  it('is looked up twice a minute, five at a time, and no more once its payment has ended', async () => {
    const ids = [];
    for (let index = 1; index <= 6; index += 1) ids.push(await sent(index));
    await follow();
    expect(asked).to.have.lengthOf(5);
    harness.advance(-1);
    await follow();
    expect(new Set(asked).size).to.equal(6);
    expect(asked).to.have.lengthOf(6);
    await harness.ctx.db('payments').whereIn('id', ids).update({ status: 'EXPIRED' });
    await follow();
    expect(asked).to.have.lengthOf(6);
    expect(await harness.ctx.db('awaited_transactions')).to.deep.equal([]);
    await harness.ctx.db('payments').whereIn('id', ids).update({ status: 'WAITING' });
  });

  it('waits for the next look where a provider fails', async () => {
    const id = await sent();
    const client = { find: () => Promise.reject(new Error('away')), hasSpent: () => Promise.resolve(true) };
    await followAwaited(harness.ctx, client, 'ethereum');
    expect(await stateOf(id)).to.equal('sent');
  });
});
