import { expect } from 'chai';
import { CHAINS } from '../../../../../src/domain/chain/bitcoin/options.ts';
import { addressOf } from '../../../../../src/domain/chain/bitcoin/scripts.ts';
import { openAccountKeys } from '../../../../../src/domain/chain/wallets/bitcoin/account-keys.ts';
import { setRefundAddress } from '../../../../../src/domain/payments/refunds/refund-address.ts';
import { newAddress } from '../../../../support/bitcoin-blocks.ts';
import { parsePsbt, signPsbt } from '../../../../support/bitcoin-signer.ts';
import { DEPTH, useBitcoinStand } from '../../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { coinsOf, PSBT_ENV, PsbtStand, psbtOf } from '../../../../support/psbt-stand.ts';

describe('a refund on Bitcoin', () => {
  const standOf = useBitcoinStand();
  let at: PsbtStand;
  eachShop(async (opened) => {
    at = await PsbtStand.open(opened, standOf());
  }, PSBT_ENV);
  afterEach(() => at.close());

  /** A payment that is paid with these outputs of one transaction. */
  const paidWith = async (...satoshi: readonly bigint[]) => {
    const id = await at.real.create({ pay_amount: '0.005' }, at.merchant);
    const { address } = await at.shop.payment(id);
    const { id: txHash } = await at.stand.pay(...satoshi.map((value) => [address, value] as const));
    await at.mine(DEPTH);
    return { id, txHash };
  };
  /** What the node is asked for from now on. */
  const asking = (method: string) => {
    const seen = at.proxy.calls.length;
    return () => at.proxy.calls.slice(seen).filter((call) => call.method === method);
  };

  it('spends what one transaction paid in many outputs, asks for each once, and is made again of them', async () => {
    const { id } = await paidWith(...Array.from({ length: 20 }, () => 25_000n));
    await at.refunds.settle(id);
    const refund = await at.ask(id, '0.004');
    expect(coinsOf(refund)).to.have.length(17);
    const asked = asking('gettxout');
    const later = await at.later(refund);
    expect(psbtOf(later)).to.equal(psbtOf(refund));
    expect(asked()).to.have.length(17);
    expect(coinsOf(await at.later(refund, 3_601))).to.have.members(coinsOf(refund));
    const sent = await at.stand.send(signPsbt(parsePsbt(psbtOf(await at.now(refund)))));
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED', tx_hash: sent.id });
  });

  it('looks at no coins that cost more than they are worth: nobody hides deposits behind dust', async () => {
    const { id } = await paidWith(500_000n, ...Array.from({ length: 20 }, () => 682n));
    const dust = await paidWith(682n);
    await at.refunds.settle(id);
    const [outputs, transactions] = [asking('gettxout'), asking('getrawtransaction')];
    const refund = await at.ask(id, '0.002');
    expect(coinsOf(refund)).to.have.length(1);
    expect(outputs()).to.have.length(1);
    expect(transactions().map(({ params }) => params[0])).to.not.include(dust.txHash);
  });

  it('is made while a node says nothing of the transaction that completed another one', async () => {
    const { id } = await paidWith(250_000n, 250_000n);
    await at.refunds.settle(id);
    const first = await at.ask(id, '0.001');
    const { id: sent } = await at.stand.send(signPsbt(parsePsbt(psbtOf(first))));
    await at.mine(DEPTH + 1);
    at.proxy.lie = ({ method, params }, truth) => {
      if (method !== 'getrawtransaction' || params[0] !== sent) return truth;
      throw Object.assign(new Error('internal error'), { code: -32_603 });
    };
    expect(coinsOf(await at.ask(id, '0.001'))).to.have.length(1);
    expect(await at.harness.ctx.db('refund_coins')).to.have.length(2);
    at.proxy.lie = null;
    await at.follow();
    expect(await at.harness.ctx.db('refund_coins')).to.have.length(1);
  });

  it('comes without what made its coins where other requests of its payment are a megabyte', async () => {
    const { id } = await paidWith(250_000n, 250_000n);
    await at.refunds.settle(id);
    await at.ask(id, '0.001');
    await at.harness.ctx.db('refund_psbts').update({ psbt: Buffer.alloc(1_000_001) });
    const second = await at.ask(id, '0.001');
    expect(parsePsbt(psbtOf(second)).data.inputs[0]).to.not.have.property('nonWitnessUtxo');
  });

  it("that goes to the wallet's own change address has its change elsewhere, for one sum would not complete it", async () => {
    const { db } = at.harness.ctx;
    const { public_data } = await db('wallets')
      .where({ merchant_id: at.merchant.id })
      .first<{ public_data: string }>();
    const to = addressOf(openAccountKeys(public_data).change(0).script, CHAINS.regtest) ?? '';
    const refund = await at.refund('0.002', { to });
    const { txOutputs } = parsePsbt(psbtOf(refund));
    expect(new Set(txOutputs.map(({ address }) => address)).size).to.equal(2);
    await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED' });
  });

  it('keeps the address of its customer while what pays it waits in the pool', async () => {
    const id = await at.refunds.settled(at.merchant, { pay_amount: '0.005' });
    const { ctx } = at.harness;
    const given = newAddress();
    await ctx.db.transaction(async (tx) => {
      const payment = await at.shop.payment(id);
      await setRefundAddress(tx, payment, { network: 'bitcoin', address: given }, ctx.now());
    });
    const refund = await at.refunds.ask(at.merchant, id, { amount: '0.002' });
    await at.follow();
    await at.stand.send(signPsbt(parsePsbt(psbtOf(await at.now(refund)))));
    await at.real.sync();
    expect(await at.now(refund)).to.include({ status: 'AWAITING_SIGNATURE', address: given });
    await at.harness.api('delete', `/v1/payment/${id}/refund-address`, at.merchant.apiKey).expect(409);
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED' });
  });
});
