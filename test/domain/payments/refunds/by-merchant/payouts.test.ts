import { expect } from 'chai';
import type { ChainTransfer } from '../../../../../src/domain/chain/port.ts';
import { erasePersonalData } from '../../../../../src/domain/ops/personal-data/erase.ts';
import { expirePayments } from '../../../../../src/domain/payments/processing/expire.ts';
import { settlePayments } from '../../../../../src/domain/payments/processing/settle.ts';
import { setRefundAddress } from '../../../../../src/domain/payments/refunds/refund-address.ts';
import { readRefunds } from '../../../../../src/domain/payments/refunds/store.ts';
import { sendRefunds } from '../../../../../src/domain/payments/refunds/send.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import type { Harness } from '../../../../support/harness.ts';
import { MerchantRefunds, type LiveMerchant } from '../../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../../support/real-network.ts';
import type { Shop } from '../../../../support/shop.ts';

/** From the examples of EIP-55. */
const CUSTOMER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const ANOTHER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HASH = `0x${'ab'.repeat(32)}`;
const MINUTE = 60;

describe('a refund that the merchant pays', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let refunds: MerchantRefunds;
  let merchant: LiveMerchant;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
    const payIn = (id: string, amount: string) => real.pay(id, { amount });
    refunds = new MerchantRefunds(harness, real, { finish, payIn });
    merchant = await real.addMerchant();
  });
  const mine = async (blocks = 1) => {
    await real.mine(blocks);
    await real.sync();
  };
  const finish = async () => {
    await mine(12);
    // Two polls must agree on what is final.
    for (let poll = 0; poll < 2; poll += 1) await real.sync();
  };
  /** Has the client report everything again, as from a height that an operator names. */
  const readAgain = async () => {
    await harness.ctx.db('chain_cursors').where({ chain: 'ethereum/live' }).update({ cursor: null });
    await real.sync();
  };
  /** What the node makes of transfers to an address from now on. */
  const tellOf = (address: string | null, change: Partial<ChainTransfer>) =>
    real.tell((page) => ({
      ...page,
      transfers: page.transfers.map((one) => (one.address === address ? { ...one, ...change } : one)),
    }));
  const tellOfPayout = (change: Partial<ChainTransfer>) => tellOf(CUSTOMER.toLowerCase(), change);
  /** A refund of 4 USDC, which were too little, and are held. */
  const four = async () => {
    const id = await real.create({}, merchant);
    await real.pay(id, { amount: '4' });
    await finish();
    harness.advance(120 * MINUTE);
    await real.sync();
    await expirePayments(harness.ctx, real.adapters.live, [id]);
    return refunds.ask(merchant, id, { address: CUSTOMER });
  };
  /** A refund of 5 USDC to the customer. */
  const five = async (of: LiveMerchant = merchant, address = CUSTOMER) =>
    refunds.ask(of, await refunds.settled(of), { amount: '5', address });
  const state = (refund: { id: string; payment_id: string }, of = merchant) => refunds.stateOf(of, refund);

  it('waits for a signature with what a wallet is to send', async () => {
    const refund = await five();
    expect(refund).to.include({ status: 'AWAITING_SIGNATURE', tx_hash: null, address: CUSTOMER });
    expect(refund.request).to.deep.equal({
      chainId: '0x1',
      to: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      data: `0xa9059cbb${CUSTOMER.slice(2).toLowerCase().padStart(64, '0')}${(5_000_000).toString(16).padStart(64, '0')}`,
      value: '0x0',
    });
    expect(await harness.ctx.db('scheduled_jobs').where({ job: 'refund.send' }), 'nobody sends it').to.be
      .empty;
  });

  it('is found without a word of the merchant: SENT when it is mined, COMPLETED when it is final', async () => {
    const refund = await five();
    const txHash = await refunds.pay(refund);
    await mine();
    const sent = await refunds.now(merchant, refund);
    expect(sent).to.include({ status: 'SENT', tx_hash: txHash });
    expect(sent.request).to.equal(undefined);
    expect(await shop.payment(refund.payment_id)).to.include({ status: 'SETTLED', amount_refunded: '0' });
    await finish();
    expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: txHash });
    expect(await shop.payment(refund.payment_id)).to.include({ status: 'SETTLED', amount_refunded: '5' });
    expect((await shop.story(refund.payment_id)).at(-1)).to.equal('refunded SETTLED');
    const [last] = (await shop.events(refund.payment_id)).slice(-1);
    expect(last?.data.refund).to.include({ id: refund.id, txHash, coin: 'USDC', coinAmount: '5' });
    const entries = await harness.ctx.db('ledger_entries').where({ kind: 'refunded' });
    expect(entries.map(({ coin, network, amount }) => `${Number(amount)} ${coin} ${network}`)).to.deep.equal([
      '5 USDC ethereum',
    ]);
  });

  it('says the price that was asked for when its transfer completes it, named or not', async () => {
    const asked = { price_amount: '5.00', price_currency: 'USD', address: CUSTOMER } as const;
    for (const isNamed of [false, true]) {
      const refund = await refunds.ask(merchant, await refunds.settled(merchant), asked);
      expect(refund.price).to.include({ amount: '5.00', currency: 'USD', rate: '1' });
      const txHash = await refunds.pay(refund);
      if (isNamed) await refunds.announce(merchant, refund, txHash);
      await finish();
      expect(await refunds.now(merchant, refund)).to.deep.include({
        status: 'COMPLETED',
        price: refund.price,
      });
      const [last] = (await shop.events(refund.payment_id)).slice(-1);
      expect(last?.data.refund).to.deep.include({ txHash, price: refund.price });
    }
  });

  it('is paid by its coin, to the unit, to its address: nothing else completes it', async () => {
    const refund = await five();
    await refunds.pay(refund, { amount: '4.999999' });
    await refunds.pay(refund, { amount: '5.000001' });
    await refunds.pay(refund, { coin: 'DAI' });
    await refunds.pay(refund, { address: ANOTHER.toLowerCase() });
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    expect(await harness.ctx.db('payout_transfers'), 'and is not even kept').to.be.empty;
  });

  it('is completed by one transfer, which completes no other', async () => {
    const id = await refunds.settled(merchant);
    const [first, second] = [
      await refunds.ask(merchant, id, { amount: '5', address: CUSTOMER }),
      await refunds.ask(merchant, id, { amount: '5', address: CUSTOMER }),
    ];
    const txHash = await refunds.pay(first);
    await mine();
    await refunds.announce(merchant, second, txHash);
    await finish();
    expect([await state(first), await state(second)]).to.deep.equal(['AWAITING_SIGNATURE', 'COMPLETED']);
    await refunds.announce(merchant, first, txHash);
    await real.sync();
    expect(await state(first)).to.equal('AWAITING_SIGNATURE already_used');
    await refunds.pay(first);
    await finish();
    expect(await state(first)).to.equal('COMPLETED');
    expect((await shop.payment(id)).amount_refunded).to.equal('10');
  });

  it('announced twice with one transaction is completed once, for the first', async () => {
    const id = await refunds.settled(merchant);
    const [first, second] = [
      await refunds.ask(merchant, id, { amount: '5', address: CUSTOMER }),
      await refunds.ask(merchant, id, { amount: '5', address: CUSTOMER }),
    ];
    const txHash = await refunds.pay(first);
    await refunds.announce(merchant, second, txHash);
    harness.advance(1);
    await refunds.announce(merchant, first, txHash);
    await finish();
    expect([await state(first), await state(second)]).to.deep.equal([
      'AWAITING_SIGNATURE already_used',
      'COMPLETED',
    ]);
  });

  it('of another merchant, for the same money, takes no transfer that nobody announced', async () => {
    const other = await real.addMerchant();
    const [mineOwn, theirs] = [await five(), await five(other)];
    const txHash = await refunds.pay(mineOwn);
    await mine();
    expect([await state(mineOwn), await state(theirs, other)]).to.deep.equal([
      'AWAITING_SIGNATURE',
      'AWAITING_SIGNATURE',
    ]);
    await finish();
    expect([await state(mineOwn), await state(theirs, other)]).to.deep.equal([
      'HELD ambiguous',
      'HELD ambiguous',
    ]);
    await refunds.announce(merchant, mineOwn, txHash);
    await real.sync();
    expect([await state(mineOwn), await state(theirs, other)]).to.deep.equal([
      'COMPLETED',
      'HELD claimed_elsewhere',
    ]);
    await refunds.announce(other, theirs, await refunds.pay(theirs));
    await finish();
    expect(await state(theirs, other)).to.equal('COMPLETED');
  });

  it('is not completed by a transfer from before it was accepted', async () => {
    const id = await refunds.settled(merchant);
    const early = { address: CUSTOMER.toLowerCase(), coin: 'USDC', amount: '5' } as const;
    const { txHash } = await real.pay(id, early);
    await mine();
    const refund = await refunds.ask(merchant, id, { amount: '5', address: CUSTOMER });
    await readAgain();
    expect(await harness.ctx.db('payout_transfers').select('tx_hash'), 'it fits').to.deep.equal([
      { tx_hash: txHash },
    ]);
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
  });

  it('to a deposit address of a payment is completed, and pays that payment', async () => {
    const other = await real.create({ pay_amount: '5' });
    const { address } = await shop.payment(other);
    const refund = await five(merchant, address);
    await refunds.pay(refund);
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
    expect((await shop.payment(other)).amount_received).to.equal('5');
  });

  it('is completed by its own transfer behind a hundred others like it, and holds up no other refund', async () => {
    const refund = await five();
    const another = await five(merchant, ANOTHER);
    for (let sent = 0; sent < 100; sent += 1) await refunds.pay(refund);
    await real.mine(1);
    await refunds.announce(merchant, refund, await refunds.pay(refund));
    await refunds.pay(another);
    await real.mine(11);
    for (let poll = 0; poll < 2; poll += 1) await real.sync();
    await finish();
    expect([await state(refund), await state(another)]).to.deep.equal(['COMPLETED', 'COMPLETED']);
  });

  it("is completed behind a hundred transfers like two merchants' refunds that name transactions which never came", async () => {
    const [one, two] = [await real.addMerchant(), await real.addMerchant()];
    const alike = [await five(one), await five(two)] as const;
    await refunds.announce(one, alike[0], `0x${'a'.repeat(64)}`);
    await refunds.announce(two, alike[1], `0x${'b'.repeat(64)}`);
    for (let sent = 0; sent < 100; sent += 1) await refunds.pay(alike[0]);
    await real.mine(1);
    const refund = await five(merchant, ANOTHER);
    await refunds.pay(refund);
    await real.mine(11);
    await real.sync();
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });

  it('that is held because of one of two transfers is left as it is while they stand', async () => {
    const other = await real.addMerchant();
    const [first, second] = [await five(), await five(other)];
    for (const one of [first, second]) await refunds.pay(one);
    await finish();
    const rows = () => harness.ctx.db('refunds').select('id', 'problem', 'xmin').orderBy('id');
    const held = await rows();
    expect([await state(first), await state(second, other)]).to.deep.equal([
      'HELD ambiguous',
      'HELD ambiguous',
    ]);
    for (let poll = 0; poll < 2; poll += 1) await finish();
    expect(await rows()).to.deep.equal(held);
  });

  it('goes back to the merchant when a reorganisation takes its transfer out of the chain', async () => {
    const refund = await five();
    const txHash = await refunds.pay(refund);
    await mine();
    tellOfPayout({ block: null });
    await readAgain();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    tellOfPayout({});
    await readAgain();
    expect(await refunds.now(merchant, refund)).to.include({ status: 'SENT', tx_hash: txHash });
    await refunds.announce(merchant, refund, txHash);
    tellOfPayout({ block: null, droppedAt: harness.ctx.now(), reason: 'evicted' });
    await readAgain();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE dropped');
    tellOfPayout({});
    await readAgain();
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });

  it('is held while its money is not confirmed any more, may be paid once it is, and ends where it is lost', async () => {
    const refund = await four();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    const { address } = await shop.payment(refund.payment_id);
    tellOf(address, { block: null });
    await readAgain();
    expect(await state(refund)).to.equal('HELD uncovered');
    tellOf(address, {});
    await readAgain();
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    tellOf(address, { block: null, droppedAt: harness.ctx.now(), reason: 'evicted' });
    await readAgain();
    await sendRefunds(harness.ctx, real.adapters.live, [refund.id]);
    expect(await readRefunds(harness.ctx.db, refund.payment_id)).to.deep.equal([]);
  });

  it('that is held so is not paid after an announcement in vain either', async () => {
    real.answer({ state: 'unknown', transfers: [] });
    const refund = await four();
    const { address } = await shop.payment(refund.payment_id);
    tellOf(address, { block: null });
    await readAgain();
    await refunds.announce(merchant, refund, HASH);
    harness.advance(11 * MINUTE);
    await real.sync();
    expect(await state(refund)).to.equal('HELD uncovered');
  });

  it('that is held so is completed by what its merchant had sent already', async () => {
    const refund = await four();
    const { address } = await shop.payment(refund.payment_id);
    tellOf(address, { block: null });
    await readAgain();
    await refunds.pay(refund);
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });

  it('leaves no transfer behind that fits none any more, once it is final', async () => {
    const refund = await five();
    for (let sent = 0; sent < 3; sent += 1) await refunds.pay(refund);
    await mine();
    const open = () => harness.ctx.db('payout_transfers').where({ refund_id: null }).select('tx_hash');
    expect(await open()).to.have.length(3);
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
    await real.sync();
    expect(await open()).to.deep.equal([]);
  });

  it('of a policy, and one whose address the customer gives later, are the same', async () => {
    const id = await real.create({ policy: { overpaid: 'refund_excess' } }, merchant);
    await real.pay(id, { amount: '12.50' });
    await finish();
    await settlePayments(harness.ctx, real.adapters.live, [id]);
    const [due] = await readRefunds(harness.ctx.db, id);
    expect(due).to.include({ status: 'NEEDS_ADDRESS', coin_amount: '2' });
    await harness.ctx.db.transaction(async (tx) => {
      const payment = await shop.payment(id);
      await setRefundAddress(tx, payment, { network: 'ethereum', address: CUSTOMER }, harness.ctx.now());
    });
    await sendRefunds(harness.ctx, real.adapters.live, [due?.id ?? '']);
    const [waiting] = await readRefunds(harness.ctx.db, id);
    expect(waiting).to.include({ status: 'AWAITING_SIGNATURE', address: CUSTOMER });
    const path = `/v1/payment/${id}/refund-address`;
    await harness.api('delete', path, merchant.apiKey).expect(200);
    expect((await readRefunds(harness.ctx.db, id))[0]?.status).to.equal('NEEDS_ADDRESS');
  });

  it('keeps its address once a transaction is announced', async () => {
    const id = await refunds.settled(merchant);
    await harness.ctx.db.transaction(async (tx) => {
      const payment = await shop.payment(id);
      await setRefundAddress(tx, payment, { network: 'ethereum', address: CUSTOMER }, harness.ctx.now());
    });
    const refund = await refunds.ask(merchant, id, { amount: '5' });
    await refunds.announce(merchant, refund, HASH);
    await harness.api('delete', `/v1/payment/${id}/refund-address`, merchant.apiKey).expect(409);
  });

  describe('is announced', () => {
    it('with the form of a hash of its network, in any case of letters, and replaced by another', async () => {
      const refund = await five();
      for (const wrong of ['0x12', 'ab'.repeat(32), `0x${'zz'.repeat(32)}`, `${HASH}00`])
        expect(await refunds.announce(merchant, refund, wrong, { status: 400 })).to.deep.include({
          details: { field: 'tx_hash', constraint: 'format' },
        });
      const upper = `0x${'AB'.repeat(32)}`;
      expect(await refunds.announce(merchant, refund, upper)).to.include({ status: 'SENT', tx_hash: HASH });
      const other = `0x${'cd'.repeat(32)}`;
      expect(await refunds.announce(merchant, refund, other)).to.include({ tx_hash: other });
    });

    it('once per key, by its merchant alone, with the permission', async () => {
      const [refund, other] = [await five(), await real.addMerchant()];
      await refunds.announce(merchant, refund, HASH, { key: 'one' });
      await refunds.announce(merchant, refund, HASH, { key: 'one' });
      await refunds.announce(merchant, refund, `0x${'cd'.repeat(32)}`, { key: 'one', status: 409 });
      await refunds.announce(other, refund, HASH, { status: 404 });
      const foreign = await five(other);
      const mixed = { id: foreign.id, payment_id: refund.payment_id };
      expect((await refunds.announce(merchant, mixed, HASH, { status: 404 })).message).to.match(
        /no such refund/,
      );
      await refunds.announce(merchant, { ...mixed, id: 'ref_%00' }, HASH, { status: 404 });
      const reader = await harness.addMerchant({ mode: 'live', permissions: ['payments:read'] });
      await refunds.announce(reader, refund, HASH, { status: 403 });
    });

    it('as itself after it is COMPLETED, and as nothing else; and not before it waits', async () => {
      const refund = await five();
      const txHash = await refunds.pay(refund);
      await finish();
      expect(await refunds.announce(merchant, refund, txHash)).to.include({ status: 'COMPLETED' });
      await refunds.announce(merchant, refund, HASH, { status: 409 });
      const needy = await refunds.ask(merchant, await refunds.settled(merchant), {});
      expect(needy.status).to.equal('NEEDS_ADDRESS');
      await refunds.announce(merchant, needy, HASH, { status: 409 });
    });

    it('while it is completed, and is COMPLETED once whatever comes first', async () => {
      const refund = await five();
      const txHash = await refunds.pay(refund);
      await real.mine(13);
      await real.sync();
      const announced = harness
        .api('post', `/v1/payment/${refund.payment_id}/refunds/${refund.id}/announce`, merchant.apiKey)
        .send({ tx_hash: HASH });
      const [{ status }] = await Promise.all([announced, real.sync()]);
      expect(status).to.be.oneOf([200, 409]);
      await real.sync();
      expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: txHash });
    });

    it('in vain for ten minutes, and waits for a signature again', async () => {
      real.answer({ state: 'unknown', transfers: [] });
      const refund = await five();
      await refunds.announce(merchant, refund, HASH);
      await real.sync();
      expect(await state(refund)).to.equal('SENT');
      harness.advance(11 * MINUTE);
      await real.sync();
      expect(await state(refund)).to.equal('AWAITING_SIGNATURE not_found');
      await refunds.pay(refund);
      await finish();
      expect(await state(refund)).to.equal('COMPLETED');
    });
  });

  it('that is not completed keeps the personal data of its payment, and its transfer forgets the address', async () => {
    const refund = await five();
    const { db } = harness.ctx;
    expect(await erasePersonalData(db, refund.payment_id)).to.match(/1 refunds of it are not completed/);
    await refunds.pay(refund);
    await finish();
    expect(await erasePersonalData(db, refund.payment_id)).to.equal(null);
    const [erased] = await db('payout_transfers').select('address', 'refund_id');
    expect(erased.refund_id).to.equal(refund.id);
    expect(erased.address).to.match(/^[0-9a-f]{64}$/);
  });

  it('whose address is erased keeps its transfer: read again it completes no other refund', async () => {
    const [first, second] = [await five(), await five()];
    const txHash = await refunds.pay(first);
    await finish();
    expect([await state(first), await state(second)]).to.deep.equal(['COMPLETED', 'AWAITING_SIGNATURE']);
    expect(await erasePersonalData(harness.ctx.db, first.payment_id)).to.equal(null);
    await readAgain();
    await finish();
    expect(await state(second)).to.equal('AWAITING_SIGNATURE');
    await refunds.announce(merchant, second, txHash);
    await finish();
    expect(await state(second)).to.equal('AWAITING_SIGNATURE already_used');
  });
});
