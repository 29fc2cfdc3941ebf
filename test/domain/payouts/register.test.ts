import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { signingKey } from '../../../src/domain/chain/keys/key-file.ts';
import { signTransaction } from '../../../src/domain/chain/keys/sign.ts';
import { wordOf } from '../../support/anvil.ts';
import { eachShop } from '../../support/each-shop.ts';
import { contractOf, newAddress, unitsOf, useEvmStand } from '../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../support/harness.ts';
import { knownKey } from '../../support/key-file.ts';
import { SignerStand } from '../../support/signer-stand.ts';

describe('signer register', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  const thief = newAddress();
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    await stand.begin();
  });
  afterEach(() => stand.close());

  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  /** Pays all that the account has to a thief. */
  const theft = (nonce: number, chainId = 1) => {
    const units = wordOf(unitsOf('USDC', 100_000)).slice(2);
    return {
      chainId,
      nonce,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: 10n ** 10n,
      gas: 200_000n,
      to: Buffer.from(contractOf('USDC').slice(2), 'hex'),
      value: 0n,
      input: Buffer.from(`a9059cbb${wordOf(thief).slice(2)}${units}`, 'hex'),
    };
  };

  /** Writes a row as the owner of the database can. */
  const plant = async ({ raw, hash }: { raw: Buffer; hash: string }) => {
    const at = new Date(stand.now().getTime() - 600_000);
    await harness.ctx.db('payouts').insert({
      refund_id: 'ref_THEFT',
      network: 'ethereum',
      account: stand.key.address,
      state: 'signed',
      intent_hash: 'none',
      nonce: 0,
      hashes: [hash],
      raws: [raw.toString('hex')],
      signed_at: at,
      sent_at: at,
      looked_at: at,
    });
  };

  it('takes no bytes of the database that its key has not signed: they would be signed for more gas', async () => {
    await plant(await signTransaction(signingKey(knownKey(3)), theft(0)));
    await harness.ctx.db('payout_accounts').update({ next_nonce: 7 });
    for (const nonce of [0, 1])
      expect(await faultOf(stand.register(nonce))).to.match(/^The row of ref_THEFT .* has not signed/);
    await stand.pass();
    await stand.settle();
    expect(await standOf().balance('USDC', thief)).to.equal(0n);
    await harness.ctx.db('payouts').delete();
    expect(await stand.register(0)).to.equal(0);
  });

  it('takes none that its key has signed for another chain, whose numbers are others', async () => {
    await plant(await signTransaction(stand.key, theft(900, 137)));
    expect(await faultOf(stand.register(0))).to.match(/has not signed on ethereum/);
    await harness.ctx.db('payouts').delete();
    expect(await stand.register(0)).to.equal(0);
  });

  it('goes on without the bytes of erased payments, and signs none of their refunds again', async () => {
    const id = await stand.insert();
    await stand.pass();
    await stand.settle();
    await stand.pass();
    await harness.ctx.db('payouts').update({ raws: [] });
    await stand.restart();
    await rm(join(stand.folder, 'journal'));
    expect(await stand.register(1)).to.equal(1);
    await harness.ctx.db('payouts').delete();
    await stand.pass();
    expect(await stand.stateOf(id)).to.match(/^held: it was signed before/);
  });

  it('takes the rest of what was taken in part, when it was killed', async () => {
    const id = await stand.insert();
    await stand.pass();
    harness.advance(121);
    await stand.pass();
    const { hashes } = await stand.row(id);
    expect(hashes).to.have.length(2);
    await stand.restart();
    await rm(join(stand.folder, 'journal'));
    const { journal } = await stand.signer();
    const append = journal.append.bind(journal);
    let count = 0;
    journal.append = (entry) => ((count += 1) === 2 ? Promise.reject(new Error('killed')) : append(entry));
    expect(await faultOf(stand.register(1))).to.equal('killed');
    await stand.restart();
    await stand.register(1);
    await stand.pass();
    expect([await stand.heldBecause(), (await stand.signer()).journal.hashesOf(id)]).to.deep.equal([
      null,
      new Set(hashes),
    ]);
  });
});
