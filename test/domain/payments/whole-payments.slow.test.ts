import { expect } from 'chai';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { toResource } from '../../../src/domain/payments/schemas.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { ApiError } from '../../../src/domain/api/errors.ts';
import { eachShop } from '../../support/each-shop.ts';
import type { Shop } from '../../support/shop.ts';
import type { Harness } from '../../support/harness.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Confirmations on Ethereum, the shop's settlement network. */
const CONFIRMATIONS = 12;

describe('a payment of 10.50 USDC from its creation to its end', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  /** Sends a transfer through the sandbox and syncs its network. */
  const pay = async (id: string, amount?: string) => {
    const sent = await shop.pay(id, amount === undefined ? {} : { amount });
    await harness.work();
    return sent.tx_hash;
  };
  const pass = async (seconds: number) => {
    harness.advance(seconds);
    await harness.work();
  };
  const confirm = () => shop.mine(CONFIRMATIONS);

  it('paid', async () => {
    const id = await shop.create();
    const txHash = await pay(id);
    expect(await shop.payment(id)).to.include({
      status: 'PENDING',
      fully_funded: true,
      amount_received: '10.5',
      tx_hash: txHash,
    });
    await shop.mine(CONFIRMATIONS - 1);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', actually_paid: null, settled_at: null });
    await shop.mine(1);
    const settled = await shop.payment(id);
    expect(settled).to.include({ status: 'SETTLED', actually_paid: '10.50', actually_paid_currency: 'USDC' });
    expect(settled.settled_at).to.deep.equal(harness.ctx.now());
    expect(settled.exceptions).to.deep.equal([]);
    // Rows store plain numbers; the API returns what the merchant wrote.
    expect(toResource(settled, '')).to.include({ amount_received: '10.50', amount_refunded: '0' });
    const events = await shop.events(id);
    expect(
      events.map(({ type, data }) => [type, data.payment.txHash, data.payment.confirmations]),
    ).to.deep.equal([
      ['checkout.created', null, 0],
      ['checkout.pending', txHash, 0],
      ['checkout.processing', txHash, CONFIRMATIONS],
      ['checkout.settled', txHash, CONFIRMATIONS],
    ]);
    expect(events[3]?.data.checkout).to.include({
      settledAt: harness.ctx.now().toISOString(),
      cryptoAmount: '10.50',
    });
    expect(events[2]?.data.checkout).to.include({ settledAt: null });
  });

  it('paid in two parts: underpaid after the first, not after the second', async () => {
    const id = await shop.create();
    await pay(id, '4');
    expect(await shop.payment(id)).to.deep.include({
      status: 'PENDING',
      fully_funded: false,
      exceptions: ['underpaid'],
    });
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '4' });
    await pay(id);
    expect(await shop.payment(id)).to.deep.include({
      fully_funded: true,
      amount_received: '10.5',
      exceptions: [],
    });
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.50' });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    const events = await shop.events(id);
    expect(events.map(({ data }) => data.checkout.exceptions)).to.deep.equal([[], ['underpaid'], [], [], []]);
  });

  it('underpaid: waits for the rest until the deadline, then expires; the money is recorded and can be refunded', async () => {
    const id = await shop.create();
    await pay(id, '10.49');
    await confirm();
    await pass(HOUR - 1);
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await pass(1);
    expect(await shop.payment(id)).to.deep.include({
      status: 'EXPIRED',
      amount_received: '10.49',
      exceptions: ['underpaid'],
    });
    expect(await shop.story(id)).to.deep.equal(['created WAITING', 'pending PENDING', 'failed EXPIRED']);
    await shop.refund(id);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.49' });
  });

  it('overpaid: settles with all money received; the excess is kept and can be refunded', async () => {
    const id = await shop.create();
    await pay(id, '12');
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: ['overpaid'] });
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '12',
      actually_paid: '12',
      exceptions: ['overpaid'],
    });
    await shop.refund(id, { amount: '1.50' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_refunded: '1.5' });
  });

  it('late, within 24 hours: expires, and is then honoured', async () => {
    const id = await shop.create();
    await pass(HOUR + DAY - 1);
    await pay(id);
    expect(await shop.payment(id)).to.deep.include({
      status: 'PENDING',
      fully_funded: true,
      exceptions: ['late'],
    });
    await confirm();
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'failed EXPIRED',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    expect(await shop.payment(id)).to.deep.include({ status: 'SETTLED', exceptions: ['late'] });
  });

  it('too late: 24 hours after the deadline money moves nothing, but is reported and can be refunded', async () => {
    const id = await shop.create();
    await pass(HOUR + DAY);
    const txHash = await pay(id);
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '10.5', sequence: 3 });
    const reported = (await shop.events(id)).at(-1);
    expect(reported).to.include({ type: 'checkout.funds_received', sequence: 3 });
    expect(reported?.data.transfer).to.deep.equal({
      coin: 'USDC',
      network: 'ethereum',
      amount: '10.50',
      credit: '10.50',
      txHash,
    });
    await shop.refund(id);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'failed EXPIRED',
      'funds_received EXPIRED',
      'refunded REFUNDED',
    ]);
  });

  it('late after a part that was in time: both count', async () => {
    const id = await shop.create();
    await pay(id, '4');
    await pass(HOUR);
    expect((await shop.payment(id)).status).to.equal('EXPIRED');
    await pass(HOUR);
    await pay(id);
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '10.5',
      actually_paid: '10.50',
      exceptions: ['late'],
    });
  });

  it('late and too little: waits until the late window ends, and expires again', async () => {
    const id = await shop.create();
    await pass(HOUR + 5);
    await pay(id, '3');
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: ['late', 'underpaid'] });
    await pass(DAY - 6);
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await pass(1);
    expect((await shop.payment(id)).status).to.equal('EXPIRED');
    await pay(id);
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '10.5' });
  });

  it('partial, expired, then late and too much (BTCPay 4146)', async () => {
    const id = await shop.create();
    await pay(id, '4');
    await pass(HOUR);
    await pay(id, '9');
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '13',
      actually_paid: '13',
      exceptions: ['late', 'overpaid'],
    });
  });

  it('replaced while it waits for confirmations: failed, no money is left', async () => {
    const id = await shop.create();
    const txHash = await pay(id);
    await shop.mine(3);
    await shop.chain.replace(txHash, harness.ctx.now());
    await shop.mine(1);
    expect(await shop.payment(id)).to.deep.include({
      status: 'FAILED',
      amount_received: '0',
      exceptions: ['replaced'],
    });
    const events = await shop.events(id);
    expect(events.at(-1)).to.deep.include({ type: 'checkout.failed' });
    expect(events.at(-1)?.data.payment).to.include({ txHash, confirmations: 0 });
    await confirm();
    await pass(2 * DAY);
    expect((await shop.payment(id)).status).to.equal('FAILED');
  });

  it('one of two parts lost: waits for the rest, and expires at the deadline; the other part can be refunded', async () => {
    const id = await shop.create();
    const lost = await pay(id, '4');
    await pay(id);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', fully_funded: true });
    await shop.chain.replace(lost, harness.ctx.now());
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'PENDING',
      fully_funded: false,
      amount_received: '6.5',
      exceptions: ['replaced', 'underpaid'],
    });
    await pass(HOUR - 1);
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await pass(1);
    expect((await shop.payment(id)).status).to.equal('EXPIRED');
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'pending PENDING',
      'pending PENDING',
      'failed EXPIRED',
    ]);
    expect(await shop.refund(id)).to.include({ amount: '6.5' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '6.5' });
  });

  it('one of two parts lost after the deadline: expires at once', async () => {
    const id = await shop.create();
    await pass(HOUR - 1);
    const lost = await pay(id, '4');
    await pay(id);
    await pass(1);
    expect(await shop.payment(id)).to.include({ status: 'PENDING', fully_funded: true });
    await shop.chain.replace(lost, harness.ctx.now());
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '6.5' });
    expect((await shop.story(id)).slice(-2)).to.deep.equal(['pending PENDING', 'failed EXPIRED']);
  });

  it('a part lost and sent again: settles', async () => {
    const id = await shop.create();
    const lost = await pay(id, '4');
    await pay(id);
    await shop.chain.replace(lost, harness.ctx.now());
    await confirm();
    await pay(id);
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '10.5',
      actually_paid: '10.50',
      exceptions: ['replaced'],
    });
  });

  it('money lost beside enough: the payment goes on, without an event', async () => {
    const id = await shop.create();
    await pay(id);
    const stranger = await shop.send(id, { coin: 'USDC', network: 'ethereum', amount: '0.5' });
    await harness.work();
    expect((await shop.payment(id)).exceptions).to.deep.equal(['overpaid']);
    await shop.chain.replace(stranger.txHash, harness.ctx.now());
    await confirm();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      amount_received: '10.5',
      actually_paid: '10.50',
      exceptions: ['replaced'],
    });
    expect(await shop.story(id)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'funds_received PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
  });

  it('money sent and taken back before anybody pays: failed, nothing stands', async () => {
    const id = await shop.create();
    const taken = await pay(id, '0.01');
    await shop.chain.replace(taken, harness.ctx.now());
    await shop.mine(1);
    expect(await shop.payment(id)).to.deep.include({
      status: 'FAILED',
      amount_received: '0',
      exceptions: ['replaced'],
    });
  });

  it('replaced before the transfer was seen: nothing happens', async () => {
    const id = await shop.create();
    const { tx_hash } = await shop.pay(id);
    await shop.chain.replace(tx_hash, harness.ctx.now());
    await confirm();
    expect(await shop.payment(id)).to.include({ status: 'WAITING', sequence: 1, amount_received: '0' });
  });

  it('reorganised while PENDING: an event with fewer confirmations, then confirmed again', async () => {
    const id = await shop.create();
    await shop.pay(id);
    await shop.mine(5);
    await shop.chain.reorganise('ethereum', 5, harness.ctx.now());
    await shop.mine(1);
    expect(await shop.payment(id)).to.deep.include({ status: 'PENDING', exceptions: ['reorged'] });
    await shop.mine(CONFIRMATIONS - 2);
    expect((await shop.payment(id)).status).to.equal('PENDING');
    await shop.mine(1);
    expect(await shop.payment(id)).to.deep.include({ status: 'SETTLED', exceptions: ['reorged'] });
    expect(await eventsWithConfirmations(id)).to.deep.equal([
      ['created WAITING', 0],
      ['pending PENDING', 5],
      ['pending PENDING', 1],
      ['processing PROCESSING', CONFIRMATIONS],
      ['settled SETTLED', CONFIRMATIONS],
    ]);
  });

  it('reorganised while PROCESSING: back to PENDING with fewer confirmations, then confirmed and settled', async () => {
    const id = await shop.create();
    await pay(id);
    await mineAndHoldSettlement();
    expect((await shop.payment(id)).status).to.equal('PROCESSING');
    await shop.chain.reorganise('ethereum', CONFIRMATIONS + 3, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    // The settlement that was due meanwhile finds nothing to settle.
    await harness.work();
    expect(await shop.payment(id)).to.deep.include({
      status: 'PENDING',
      actually_paid: null,
      exceptions: ['reorged'],
    });
    await pass(2 * HOUR);
    expect(await shop.payment(id)).to.deep.include({ status: 'SETTLED', exceptions: ['reorged'] });
    expect(await eventsWithConfirmations(id)).to.deep.equal([
      ['created WAITING', 0],
      ['pending PENDING', 0],
      ['processing PROCESSING', CONFIRMATIONS],
      ['pending PENDING', 0],
      ['processing PROCESSING', 600],
      ['settled SETTLED', 600],
    ]);
  });

  it('reorganised after settlement: stays settled, and the unconfirmed money cannot be refunded until it is confirmed again', async () => {
    const id = await shop.create();
    await pay(id);
    await confirm();
    await shop.chain.reorganise('ethereum', CONFIRMATIONS, harness.ctx.now());
    await lookAndWork();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      sequence: 4,
      exceptions: ['reorged'],
    });
    expect(await codeOf(shop.refund(id))).to.equal('refund_not_allowed');
    await confirm();
    expect(await shop.refund(id)).to.include({ amount: '10.50' });
    await harness.work();
  });

  it('more money after settlement: reported, and can be refunded once it has confirmed', async () => {
    const id = await shop.create();
    await pay(id);
    await confirm();
    const txHash = await pay(id, '2.25');
    expect((await shop.events(id)).at(-1)?.data.transfer).to.deep.equal({
      coin: 'USDC',
      network: 'ethereum',
      amount: '2.25',
      credit: '2.25',
      txHash,
    });
    expect(await codeOf(shop.refund(id, { amount: '12.75' }))).to.equal('validation');
    await confirm();
    expect((await shop.story(id)).slice(-2)).to.deep.equal(['settled SETTLED', 'funds_received SETTLED']);
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      sequence: 5,
      amount_received: '12.75',
      actually_paid: '10.50',
      exceptions: ['overpaid'],
    });
    expect(await shop.refund(id)).to.include({ amount: '12.75' });
    await harness.work();
  });

  it('conversion refused: failed; the money received can be refunded', async () => {
    const id = await shop.create();
    await pay(id);
    await mineAndHoldSettlement();
    await settlePayments(harness.ctx, { exchange: { convert: () => Promise.resolve('refused') } }, [id]);
    expect(await shop.payment(id)).to.include({ status: 'FAILED', actually_paid: null, settled_at: null });
    expect((await shop.story(id)).slice(-2)).to.deep.equal(['processing PROCESSING', 'failed FAILED']);
    await harness.work();
    expect(await shop.refund(id)).to.include({ amount: '10.50' });
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
  });

  /** Confirms everything, without the settlement that is then due. */
  async function mineAndHoldSettlement(): Promise<void> {
    await shop.chain.mine('ethereum', CONFIRMATIONS, harness.ctx.now());
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  }

  async function lookAndWork(): Promise<void> {
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    await harness.work();
  }

  /** Returns the type and the confirmations of each event. */
  async function eventsWithConfirmations(id: string): Promise<[string, number][]> {
    const events = await shop.events(id);
    const story = await shop.story(id);
    return events.map(({ data }, i) => [story[i] ?? '', data.payment.confirmations]);
  }
});

/** Returns the code of the ApiError with which a promise is rejected. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}
