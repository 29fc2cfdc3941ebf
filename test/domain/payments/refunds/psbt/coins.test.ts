import { expect } from 'chai';
import type { RefundResource } from '../../../../../src/domain/payments/refunds/schemas.ts';
import { newAddress } from '../../../../support/bitcoin-blocks.ts';
import { descriptorOf, parsePsbt, signPsbt, spentElsewhere } from '../../../../support/bitcoin-signer.ts';
import { DEPTH, useBitcoinStand } from '../../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { coinsOf, PSBT_ENV, PsbtStand, psbtOf, reasonOf } from '../../../../support/psbt-stand.ts';
import { useWallet } from '../../../../support/wallets.ts';

describe('the coins of refunds on Bitcoin', () => {
  const standOf = useBitcoinStand();
  let at: PsbtStand;
  eachShop(async (opened) => {
    at = await PsbtStand.open(opened, standOf());
  }, PSBT_ENV);
  afterEach(() => at.close());

  const changeOf = (refund: RefundResource) =>
    parsePsbt(psbtOf(refund)).txOutputs.find(({ address }) => address !== refund.address)?.address;
  const deposit = () => at.refunds.settled(at.merchant, { pay_amount: '0.005' });
  const pay = async (refund: RefundResource) => {
    const sent = await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED', tx_hash: sent.id });
    await at.follow();
  };

  it('are not spent by two that are open, nor is their change sent to one address', async () => {
    await deposit();
    const id = await deposit();
    const [first, second] = [await at.ask(id, '0.001'), await at.ask(id, '0.001')];
    expect(coinsOf(first)).to.have.length(1);
    expect(coinsOf(second)).to.not.include.members(coinsOf(first));
    expect(changeOf(second)).to.not.equal(changeOf(first));
    expect(reasonOf(await at.ask(id, '0.001'))).to.equal('insufficient');
  });

  it('that are spent elsewhere are replaced by others, once that is final', async () => {
    await deposit();
    const refund = await at.ask(await deposit(), '0.001');
    await at.stand.send(signPsbt(spentElsewhere(psbtOf(refund), newAddress(), 495_000n)));
    const hidden = await at.later(refund);
    expect(reasonOf(hidden), 'in the pool').to.equal('coins_spent');
    await at.mine(1);
    expect(reasonOf(await at.later(refund)), 'it may still be replaced').to.equal('coins_spent');
    await at.mine(DEPTH);
    const anew = await at.later(refund);
    expect(coinsOf(anew)).to.not.deep.equal(coinsOf(refund));
    await pay(anew);
  });

  it('that a replaced transaction had spent are those of the request again', async () => {
    const refund = await at.ask(await deposit(), '0.001');
    await at.stand.send(signPsbt(spentElsewhere(psbtOf(refund), newAddress(), 499_600n)));
    expect(reasonOf(await at.later(refund))).to.equal('coins_spent');
    await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED' });
  });

  it('are not replaced because a node is behind, and says that it has none of them', async () => {
    const refund = await at.ask(await deposit(), '0.001');
    await deposit();
    at.proxy.lie = ({ method }, truth) =>
      method === 'gettxout' ? null : method === 'getblockcount' ? 10 : truth;
    await at.mine(DEPTH);
    expect(reasonOf(await at.later(refund))).to.equal('coins_spent');
    expect(reasonOf(await at.later(refund))).to.equal('coins_spent');
    at.proxy.lie = null;
    expect(psbtOf(await at.later(refund))).to.equal(psbtOf(refund));
  });

  it('may be too few, which is told; what comes later pays', async () => {
    const id = await deposit();
    const refund = await at.ask(id, '0.004');
    await at.stand.send(signPsbt(spentElsewhere(psbtOf(refund), newAddress(), 495_000n)));
    await at.mine(1);
    await at.later(refund);
    await at.mine(DEPTH);
    const short = await at.later(refund);
    expect(short.request_problem).to.deep.equal({
      code: 'insufficient',
      message:
        'Your newest final deposits that no other refund spends hold 0 BTC, and 0.00401098 are needed with the fee: ' +
        'pay coin_amount to address from any wallet, or wait for further deposits.',
    });
    const more = await at.real.create({ pay_amount: '0.005' }, at.merchant);
    await at.stand.pay([(await at.shop.payment(more)).address, 500_000n]);
    await at.mine(1);
    expect(reasonOf(await at.later(refund, 600)), 'not final yet').to.equal('insufficient');
    await at.mine(DEPTH);
    expect(reasonOf(await at.later(refund, 600))).to.equal('there is a request');
  });

  it("are the merchant's own, where several share the installation's wallet", async () => {
    const shared = await at.harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' });
    const other = await at.harness.addMerchant({ mode: 'live', currency: 'BTC', network: 'bitcoin' });
    await useWallet(at.harness.ctx, null, { network: 'bitcoin', value: descriptorOf(7) });
    at.merchant = other;
    await deposit();
    at.merchant = shared;
    const id = await deposit();
    const first = await at.ask(id, '0.001');
    expect(coinsOf(first)).to.have.length(1);
    expect(reasonOf(await at.ask(id, '0.001'))).to.equal('insufficient');
  });

  it('come without what made them where that is too large, and are signed all the same', async () => {
    const id = await at.real.create({ pay_amount: '0.005' }, at.merchant);
    const { address } = await at.shop.payment(id);
    const others = Array.from({ length: 1_700 }, () => [newAddress(), 1_000n] as const);
    for (let deposits = 0; deposits < 2; deposits += 1)
      await at.stand.send(at.stand.build([[address, 250_000n], ...others], undefined, 100_000n));
    await at.mine(DEPTH);
    await at.refunds.settle(id);
    const refund = await at.ask(id, '0.004');
    const { inputs } = parsePsbt(psbtOf(refund)).data;
    expect(inputs.map((input) => 'nonWitnessUtxo' in input)).to.deep.equal([false, false]);
    expect(psbtOf(refund).length).to.be.below(2_000);
    await pay(refund);
  });

  it('are not looked for at a wallet whose row somebody has changed, nor is change sent there', async () => {
    const id = await deposit();
    const { db } = at.harness.ctx;
    const refund = await at.refunds.ask(at.merchant, id, { amount: '0.001', address: newAddress() });
    const replace = (before: string, by: string) =>
      db('wallets').update({ public_data: db.raw('replace(public_data, ?, ?)', [before, by]) });
    await replace('"regtest"', '"test"');
    await at.follow();
    await replace('"test"', '"regtest"');
    expect(reasonOf(await at.now(refund))).to.equal('unavailable');
  });

  it('leave their change address to the next request, unless it was used', async () => {
    await deposit();
    await deposit();
    const id = await deposit();
    const first = await at.ask(id, '0.001');
    // Paid from another wallet.
    await at.stand.pay([first.address ?? '', 100_000n]);
    await at.mine(DEPTH + 1);
    expect(await at.now(first)).to.include({ status: 'COMPLETED' });
    const second = await at.ask(id, '0.001');
    expect([coinsOf(second), changeOf(second)]).to.deep.equal([coinsOf(first), changeOf(first)]);
    await pay(second);
    const third = await at.ask(id, '0.001');
    expect(changeOf(third)).to.not.equal(changeOf(first));
    const { rows } = await at.harness.ctx.db.raw<{ rows: { change_index: number }[] }>(
      'SELECT change_index FROM refund_psbts ORDER BY change_index',
    );
    expect(rows.map(({ change_index }) => change_index)).to.deep.equal([0, 1]);
  });
});
