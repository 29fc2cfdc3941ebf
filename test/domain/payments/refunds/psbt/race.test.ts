import { expect } from 'chai';
import { CHAINS } from '../../../../../src/domain/chain/bitcoin/options.ts';
import { scriptOf } from '../../../../../src/domain/chain/bitcoin/scripts.ts';
import { openAccountKeys } from '../../../../../src/domain/chain/wallets/bitcoin/account-keys.ts';
import { findWallet } from '../../../../../src/domain/chain/wallets/store.ts';
import { readDueForPsbt, type DueRefund } from '../../../../../src/domain/payments/refunds/psbt/due.ts';
import type { AskNode } from '../../../../../src/domain/payments/refunds/psbt/gather.ts';
import { makeRequest } from '../../../../../src/domain/payments/refunds/psbt/make.ts';
import { newAddress } from '../../../../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { coinsOf, PSBT_ENV, PsbtStand, psbtOf } from '../../../../support/psbt-stand.ts';

describe('the coins of refunds on Bitcoin that are made at once', () => {
  const standOf = useBitcoinStand();
  let at: PsbtStand;
  eachShop(async (opened) => {
    at = await PsbtStand.open(opened, standOf());
  }, PSBT_ENV);
  afterEach(() => at.close());
  const deposit = () => at.refunds.settled(at.merchant, { pay_amount: '0.005' });

  it('are taken by one of two, and the other takes the next ones', async () => {
    await deposit();
    const id = await deposit();
    const ask = () => at.refunds.ask(at.merchant, id, { amount: '0.001', address: newAddress() });
    const refunds = [await ask(), await ask()];
    const { ctx } = at.harness;
    const due = await readDueForPsbt(ctx.db, ctx.now(), 5);
    expect(due).to.have.length(2);
    await Promise.all(due.map((one) => make(one, together(2))));
    const made = await Promise.all(refunds.map((one) => at.now(one)));
    expect(made.filter(({ request }) => request !== undefined)).to.have.length(1);
    await at.follow();
    const [one, other] = await Promise.all(refunds.map((refund) => at.now(refund).then(coinsOf)));
    expect(one).to.have.length(1);
    expect(other).to.not.deep.equal(one);
  });

  it('are those of the watcher that came first, of two that make one request: both may have been signed', async () => {
    const refund = await at.refunds.ask(at.merchant, await deposit(), {
      amount: '0.001',
      address: newAddress(),
    });
    const { ctx } = at.harness;
    const [due] = await readDueForPsbt(ctx.db, ctx.now(), 5);
    if (due === undefined) throw new Error('nothing is due');
    const slow = stopping(3);
    const made = make(due, slow.ask);
    await slow.stopped;
    // The smaller one pays as well, and is taken from now on.
    await at.refunds.settled(at.merchant, { pay_amount: '0.003' });
    await at.follow();
    const shown = psbtOf(await at.now(refund));
    slow.goOn();
    await made;
    expect(psbtOf(await at.now(refund))).to.equal(shown);
  });

  it('stay taken where a slower watcher has found none', async () => {
    const id = await deposit();
    const refund = await at.refunds.ask(at.merchant, id, { amount: '0.001', address: newAddress() });
    const { ctx } = at.harness;
    const [due] = await readDueForPsbt(ctx.db, ctx.now(), 5);
    if (due === undefined) throw new Error('nothing is due');
    const slow = stopping(2);
    at.proxy.lie = ({ method }, truth) => (method === 'gettxout' ? null : truth);
    const made = make(due, slow.ask);
    await slow.stopped;
    at.proxy.lie = null;
    await at.follow();
    const shown = psbtOf(await at.now(refund));
    slow.goOn();
    await made;
    expect(psbtOf(await at.now(refund))).to.equal(shown);
    expect(await ctx.db('refund_coins')).to.have.length(1);
  });

  it('are taken for no refund that was offered to a signer meanwhile, or was paid', async () => {
    const id = await deposit();
    const { ctx } = at.harness;
    const refunds = [];
    for (let asked = 0; asked < 2; asked += 1)
      refunds.push(await at.refunds.ask(at.merchant, id, { amount: '0.001', address: newAddress() }));
    const due = await readDueForPsbt(ctx.db, ctx.now(), 5);
    const [offered, paid] = refunds;
    expect(due.map((one) => one.id)).to.deep.equal([offered?.id, paid?.id]);
    await ctx.db('refunds').where({ id: offered?.id }).update({ offered_at: ctx.now() });
    await at.stand.pay([paid?.address ?? '', 100_000n]);
    await at.mine(1);
    // As between the page that tells of it, and what follows from it.
    await ctx.db('refunds').where({ id: paid?.id }).update({ status: 'AWAITING_SIGNATURE', tx_hash: null });
    for (const one of due) await make(one, (question) => at.client.ask(question));
    const still = (await readDueForPsbt(ctx.db, ctx.now(), 5)).map((one) => one.id);
    expect(still).to.deep.equal([paid?.id]);
    expect(await ctx.db('refund_psbts')).to.deep.equal([]);
  });

  const signal = () => {
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => (give = resolve));
    return { given, give: () => give() };
  };
  /** Stops behind the answer to a question, until it may go on. */
  const stopping = (place: number) => {
    const [stopped, going] = [signal(), signal()];
    let asked = 0;
    const ask: AskNode = async (question) => {
      const answer = await at.client.ask(question);
      if ((asked += 1) !== place) return answer;
      stopped.give();
      await going.given;
      return answer;
    };
    return { ask, stopped: stopped.given, goOn: going.give };
  };
  let waiting: (() => void)[] = [];
  /** Lets the last question of each of so many through once all have come to it. */
  const together = (count: number): AskNode => {
    waiting = [];
    let asked = 0;
    return async (question) => {
      const answer = await at.client.ask(question);
      if ((asked += 1) < 3) return answer;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === count) for (const go of waiting) go();
      });
      return answer;
    };
  };
  const make = async (due: DueRefund, ask: AskNode) => {
    const wallet = await findWallet(at.harness.ctx.db, due.wallet_id);
    const keys = openAccountKeys(wallet?.public_data ?? '');
    const making = { ask, keys, maxFeePercent: 10, scriptOf: (to: string) => scriptOf(to, CHAINS.regtest) };
    await makeRequest(at.harness.ctx, making, due);
  };
});
