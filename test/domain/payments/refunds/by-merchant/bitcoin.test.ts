import { expect } from 'chai';
import { simulatedChain } from '../../../../../src/domain/chain/simulator/simulated.ts';
import { addSeconds } from '../../../../../src/platform/clock.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import type { Harness } from '../../../../support/harness.ts';
import { MerchantRefunds, type LiveMerchant } from '../../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../../support/real-network.ts';
import type { Shop } from '../../../../support/shop.ts';

/** Well-known addresses of each form, and those of BIP-173 and BIP-350. */
const LEGACY = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const SCRIPT = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';
const SEGWIT = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const TAPROOT = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
const OF_TESTNET = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const HASH = 'ab'.repeat(32);

describe('a refund on Bitcoin', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let refunds: MerchantRefunds;
  let merchant: LiveMerchant;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop, simulatedChain, 'bitcoin');
    // What came has inputs of several addresses.
    const payIn = (id: string, amount: string) => real.pay(id, { amount, sender: null });
    refunds = new MerchantRefunds(harness, real, { finish, payIn });
    merchant = await real.addMerchant();
  });
  const finish = async () => {
    await real.mine(6);
    for (let poll = 0; poll < 3; poll += 1) await real.sync();
  };
  const settled = () => refunds.settled(merchant, { pay_amount: '0.005' });
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: unknown) => String(error),
    );

  it('waits for the merchant, who is told what to pay where, and no request of an EVM wallet', async () => {
    const refund = await refunds.ask(merchant, await settled(), { amount: '0.002', address: SEGWIT });
    expect(refund).to.include({
      status: 'AWAITING_SIGNATURE',
      coin: 'BTC',
      network: 'bitcoin',
      coin_amount: '0.002',
      address: SEGWIT,
    });
    expect(refund).to.not.have.property('request');
    expect(await refunds.now(merchant, refund)).to.not.have.property('request');
  });

  for (const address of [LEGACY, SCRIPT, SEGWIT, TAPROOT, SEGWIT.toUpperCase()])
    it(`to ${address} is completed by a final transfer there, as the chain writes it`, async () => {
      const id = await settled();
      const refund = await refunds.ask(merchant, id, { amount: '0.002', address });
      const written = address === SEGWIT.toUpperCase() ? SEGWIT : address;
      const txHash = await refunds.pay(refund, { address: written });
      await real.mine(1);
      await real.sync();
      expect(await refunds.stateOf(merchant, refund)).to.equal('SENT');
      await finish();
      expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: txHash });
      expect((await shop.payment(id)).amount_refunded).to.equal('0.002');
    });

  it('goes to an address of the main network alone', async () => {
    const id = await settled();
    for (const address of [OF_TESTNET, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'])
      expect(await refusal(refunds.ask(merchant, id, { amount: '0.002', address }))).to.include(
        'must be an address on bitcoin',
      );
  });

  it('needs an address: the chain names no sender, whatever the merchant asks for', async () => {
    const id = await settled();
    expect(await refunds.ask(merchant, id, { amount: '0.001' })).to.include({
      status: 'NEEDS_ADDRESS',
      address: null,
    });
    expect(await refunds.ask(merchant, id, { amount: '0.001', to_sender: true })).to.include({
      status: 'NEEDS_ADDRESS',
      address: null,
    });
  });

  it('is announced by a hash of Bitcoin, in letters of any case', async () => {
    const refund = await refunds.ask(merchant, await settled(), { amount: '0.002', address: LEGACY });
    for (const wrong of [`0x${HASH}`, HASH.slice(1), `${HASH}0`])
      expect(await refunds.announce(merchant, refund, wrong, { status: 400 })).to.deep.include({
        details: { field: 'tx_hash', constraint: 'format' },
        message: 'tx_hash must be the hash of a transaction on Bitcoin.',
      });
    expect(await refunds.announce(merchant, refund, HASH.toUpperCase())).to.include({
      status: 'SENT',
      tx_hash: HASH,
    });
  });

  it('is completed by a block whose miner has a clock that is half an hour slow', async () => {
    const refund = await refunds.ask(merchant, await settled(), { amount: '0.002', address: LEGACY });
    const seenAt = addSeconds(harness.ctx.now(), -1_800);
    real.tell((page) => ({
      ...page,
      transfers: page.transfers.map((one) => (one.address === LEGACY ? { ...one, seenAt } : one)),
    }));
    await refunds.pay(refund, { address: LEGACY });
    await finish();
    expect(await refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
  });

  it('that was announced is told apart from one that pays elsewhere, or another amount', async () => {
    const refund = await refunds.ask(merchant, await settled(), { amount: '0.002', address: LEGACY });
    const paid = { network: 'bitcoin', txHash: HASH, coin: 'BTC', sender: null } as const;
    const block = { height: 100, hash: HASH };
    const state = { seenAt: harness.ctx.now(), block, final: false, droppedAt: null, replacedBy: null };
    for (const [code, address, amount] of [
      ['wrong_address', SCRIPT, '0.002'],
      ['wrong_amount', LEGACY, '0.003'],
    ] as const) {
      real.answer({ state: 'mined', transfers: [{ ...paid, ...state, address, amount, reason: null }] });
      await refunds.announce(merchant, refund, HASH);
      await real.sync();
      expect(await refunds.stateOf(merchant, refund)).to.equal(`AWAITING_SIGNATURE ${code}`);
    }
  });
});
