import { expect } from 'chai';
import { findBdk, NEEDS_BDK, signWithBdk } from '../../../../support/bdk.ts';
import { newAddress } from '../../../../support/bitcoin-blocks.ts';
import { bumped, parsePsbt, signPsbt } from '../../../../support/bitcoin-signer.ts';
import { DEPTH, useBitcoinStand } from '../../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { PSBT_ENV, PsbtStand, psbtOf, reasonOf } from '../../../../support/psbt-stand.ts';
import { bitcoinKey, ROOT_KEY } from '../../../../support/wallets.ts';

const REPLACEABLE = 0xfffffffd;

const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('hex');
const keyOf = (key: { path: string; pubkey: Uint8Array; masterFingerprint: Uint8Array }) => [
  key.path,
  hex(key.pubkey),
  hex(key.masterFingerprint),
];
const keyAt = (end: string) => {
  const path = `m/84'/1'/0'/${end}`;
  return [path, hex(ROOT_KEY.derive(path).publicKey), ROOT_KEY.fingerprint.toString(16).padStart(8, '0')];
};

describe('the PSBT of a refund', () => {
  const standOf = useBitcoinStand();
  let at: PsbtStand;
  eachShop(async (opened) => {
    at = await PsbtStand.open(opened, standOf());
  }, PSBT_ENV);
  afterEach(() => at.close());

  it('is signed by the owner of the seed, accepted by a node, and completes the refund once final', async () => {
    const refund = await at.refund('0.002');
    const sent = await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.mine(1);
    expect(await at.now(refund)).to.include({ status: 'SENT', tx_hash: sent.id });
    await at.mine(DEPTH);
    const completed = await at.now(refund);
    expect(completed).to.include({ status: 'COMPLETED', tx_hash: sent.id });
    expect(completed).to.not.have.any.keys('request', 'request_problem');
    expect((await at.shop.payment(refund.payment_id)).amount_refunded).to.equal('0.002');
  });

  const bdk = findBdk();
  if (bdk === null) it(NEEDS_BDK);
  else
    it('is signed by the Bitcoin Development Kit, and accepted by a node', async () => {
      const refund = await at.refund('0.002');
      const sent = await at.stand.send(await signWithBdk(bdk, psbtOf(refund), 0));
      await at.mine(DEPTH + 1);
      expect(await at.now(refund)).to.include({ status: 'COMPLETED', tx_hash: sent.id });
    });

  it('completes the refund with a higher fee as well: the output counts, not the hash', async () => {
    const refund = await at.refund('0.002');
    const first = await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.refunds.announce(at.merchant, refund, first.id);
    const second = await at.stand.send(signPsbt(bumped(psbtOf(refund), refund.address ?? '', 5_000n)));
    expect(second.id).to.not.equal(first.id);
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED', tx_hash: second.id });
  });

  it('says what a signer needs: coins, what made them, keys and their paths, and that it is replaceable', async () => {
    const refund = await at.refund('0.002');
    const { data, txInputs, txOutputs } = parsePsbt(psbtOf(refund));
    const [input] = data.inputs;
    const { deposit_index } = await at.shop.payment(refund.payment_id);
    expect((input?.bip32Derivation ?? []).map(keyOf)).to.deep.equal([keyAt(`0/${deposit_index}`)]);
    expect(input?.witnessUtxo?.value).to.equal(500_000n);
    expect(input?.nonWitnessUtxo, 'else a device trusts the amount that it is told').to.not.equal(undefined);
    expect(txInputs[0]?.sequence).to.equal(REPLACEABLE);
    const change = txOutputs.findIndex(({ address }) => address !== refund.address);
    expect((data.outputs[change]?.bip32Derivation ?? []).map(keyOf)).to.deep.equal([keyAt('1/0')]);
    expect(txOutputs.find(({ address }) => address === refund.address)?.value).to.equal(200_000n);
  });

  it("pays the node's estimate, and 10 satoshi a byte where the node has none", async () => {
    const feeOf = async (feerate: number | null) => {
      at.estimate(feerate);
      const psbt = parsePsbt(psbtOf(await at.refund('0.002')));
      const bytes = signPsbt(psbt).hex.length / 2;
      const paid = psbt.txOutputs.reduce((sum, { value }) => sum + value, 0n);
      return { fee: Number(500_000n - paid), bytes };
    };
    const [estimated, fallback] = [await feeOf(0.0000525), await feeOf(null)];
    // Without its witnesses, which count as a quarter, it has 113 bytes.
    expect(estimated.fee / 5.25).to.be.within(140, 143);
    expect(fallback.fee / 10).to.be.within(140, 143);
    expect(estimated.bytes).to.be.within(220, 224);
  });

  it('is not made where its fee is too large a part of the refund, which is told, until fees are lower', async () => {
    const refund = await at.refund('0.0001');
    expect(reasonOf(refund)).to.equal('fee_too_high');
    expect(refund.request_problem?.message).to.equal(
      'The transaction would cost 0.00001408 BTC at 10 satoshi a byte, and 10 per cent of the refund are ' +
        'allowed: pay coin_amount to address from any wallet, or wait for lower fees.',
    );
    at.estimate(0.00002);
    expect(reasonOf(await at.later(refund, 60))).to.equal('fee_too_high');
    expect(reasonOf(await at.later(refund, 600))).to.equal('there is a request');
  });

  it('is never of dust, which nobody forwards: less is refused when it is asked for', async () => {
    const id = await at.refunds.settled(at.merchant, { pay_amount: '0.005' });
    const refused = await at.ask(id, '0.00000546').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'validation' });
    at.estimate(0.000001);
    expect(reasonOf(await at.ask(id, '0.00005'))).to.equal('there is a request');
  });

  it('names no keys for a bare xpub, whose master key nobody has named', async () => {
    at.merchant = await at.addMerchant(bitcoinKey('tpub', 1));
    const { data } = parsePsbt(psbtOf(await at.refund('0.002')));
    expect(data.inputs[0]).to.not.have.property('bip32Derivation');
    expect(data.inputs[0]).to.have.any.keys('witnessUtxo');
    expect(data.outputs.some((output) => 'bip32Derivation' in output)).to.equal(false);
  });

  it('is made again after an hour, of the same coins, so that no two of them are mined', async () => {
    const refund = await at.refund('0.002');
    at.estimate(0.0005);
    const renewed = psbtOf(await at.later(refund, 3_601));
    expect(renewed).to.not.equal(psbtOf(refund));
    const inputsOf = (base64: string) => parsePsbt(base64).txInputs;
    expect(inputsOf(renewed)).to.deep.equal(inputsOf(psbtOf(refund)));
    await at.stand.send(signPsbt(parsePsbt(psbtOf(refund))));
    await at.mine(DEPTH + 1);
    expect(await at.now(refund)).to.include({ status: 'COMPLETED' });
  });

  it('is none once the refund was offered to a signer, which pays it', async () => {
    const refund = await at.refund('0.002');
    await at.harness.ctx.db('refunds').update({ offered_at: at.harness.ctx.now() });
    expect(await at.now(refund)).to.not.have.property('request');
  });

  it('is none once its address is cleared, and pays the next one with the same coins', async () => {
    const refund = await at.refund('0.002');
    const given = newAddress();
    await at.harness.ctx.db.raw('UPDATE refunds SET address = ? WHERE id = ?', [given, refund.id]);
    expect(await at.now(refund)).to.not.have.property('request');
    await at.follow();
    const psbt = parsePsbt(psbtOf(await at.now(refund)));
    expect(psbt.txOutputs.map(({ address }) => address)).to.include(given);
    expect(psbt.txInputs).to.deep.equal(parsePsbt(psbtOf(refund)).txInputs);
  });
});
