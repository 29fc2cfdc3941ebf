import { expect } from 'chai';
import type { NetworkId } from '../../../../../src/domain/chain/networks.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import { newAddress, useEvmStand } from '../../../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../../../support/harness.ts';
import { SignerStand } from '../../../../support/signer-stand.ts';

describe('a refund that the signer will pay', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    await stand.begin();
  });
  afterEach(() => stand.close());

  const serve = ({ id }: { id: string }, network: NetworkId) =>
    Object.assign(harness.ctx, { config: { ...harness.ctx.config, signerRefunds: [`${id}/${network}`] } });

  it('has nothing to sign for its merchant from its acceptance on: both would pay it', async () => {
    const merchant = await stand.real.addMerchant();
    const id = await stand.refunds.settled(merchant);
    serve(merchant, 'ethereum');
    const refund = await stand.refunds.ask(merchant, id, { amount: '5', address: newAddress() });
    expect(refund).to.include({ status: 'AWAITING_SIGNATURE' }).and.not.have.property('request');
    expect(await stand.refunds.now(merchant, refund)).to.not.have.property('request');
    await stand.offer(merchant, refund.id);
    expect(await harness.ctx.db('payout_intents')).to.have.length(1);
    expect(await stand.refunds.now(merchant, refund)).to.not.have.property('request');
  });

  it('is not one of before, nor one on another network: these have something to sign', async () => {
    const merchant = await stand.real.addMerchant();
    const id = await stand.refunds.settled(merchant);
    const before = await stand.refunds.ask(merchant, id, { amount: '5', address: newAddress() });
    // A worker that offers nothing leaves no job behind.
    await stand.offer({ ...merchant, id: 'mer_another' }, before.id);
    await harness.ctx.db('scheduled_jobs').where({ job: 'refund.offer' }).delete();
    serve(merchant, 'ethereum');
    expect(await stand.refunds.now(merchant, before)).to.have.property('request');
    serve(merchant, 'polygon');
    const other = await stand.refunds.ask(merchant, id, { amount: '5', address: newAddress() });
    expect(other).to.have.property('request');
  });
});
