import { expect } from 'chai';
import { createChainClients } from '../../../../src/domain/chain/clients.ts';
import { readWorths } from '../../../../src/domain/payments/pricing/worth.ts';
import { ADDRESSES } from '../../../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { MerchantRefunds } from '../../../support/merchant-refunds.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

const BLOCK_SECONDS = 60;

describe('a payment on a node of Bitcoin', () => {
  const standOf = useBitcoinStand();
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened), { CHAIN_PROFILE: 'regtest' });

  it('comes to an address of its wallet, settles by its amount, and goes back to addresses of any form', async () => {
    const stand = standOf();
    const { ctx } = harness;
    // Blocks follow one another, whatever the time of the service is.
    harness.advance(Math.max(0, (await stand.time()) - ctx.now().getTime() / 1_000) + 300);
    const rpc = { bitcoin: { urls: [stand.btcd.url], quorumUsd: 1e9 } };
    const [watched] = createChainClients({ ...ctx, config: { ...ctx.config, rpc } }, readWorths);
    if (watched === undefined) throw new Error('there is no client');
    const real = openRealNetwork(harness, shop, () => watched.client, 'bitcoin');
    const mine = async (blocks: number) => {
      harness.advance(blocks * BLOCK_SECONDS);
      const now = ctx.now().getTime() / 1_000;
      for (let left = blocks - 1; left >= 0; left -= 1)
        await stand.mine({ time: now - left * BLOCK_SECONDS });
      // Two polls must agree on what is final.
      for (let poll = 0; poll < 2; poll += 1) while (await real.sync());
    };
    const refunds = new MerchantRefunds(harness, real, {
      finish: () => mine(6),
      async payIn(id) {
        const { address } = await shop.payment(id);
        expect(address).to.match(/^bcrt1q/);
        await stand.pay([address, 500_000n]);
        await real.sync();
        expect(await real.statusOf(id), 'in the pool').to.equal('PENDING');
        await mine(1);
        expect(await real.statusOf(id), 'one block is enough for 300 dollars').to.equal('PROCESSING');
      },
    });
    try {
      await mine(1);
      const merchant = await real.addMerchant();
      const id = await refunds.settled(merchant, { pay_amount: '0.005' });
      expect(await shop.story(id)).to.deep.equal([
        'created WAITING',
        'pending PENDING',
        'processing PROCESSING',
        'settled SETTLED',
      ]);
      const [, seen] = await shop.events(id);
      expect(seen?.data.payment).to.include({ network: 'bitcoin', requiredConfirmations: 1 });
      for (const form of ['a key', 'a script', 'taproot'] as const) {
        const refund = await refunds.ask(merchant, id, { amount: '0.001', address: ADDRESSES[form]() });
        const sent = await stand.pay([refund.address ?? '', 100_000n]);
        if (form === 'a key') await refunds.announce(merchant, refund, sent.id);
        await mine(6);
        expect(await refunds.now(merchant, refund), form).to.include({
          status: 'COMPLETED',
          tx_hash: sent.id,
        });
      }
    } finally {
      await watched.client.close();
    }
  });
});
