import { expect } from 'chai';
import { createChainClients } from '../../../../src/domain/chain/clients.ts';
import { storeRates } from '../../../../src/domain/chain/rates/store.ts';
import { marketOf } from '../../../../src/domain/chain/simulator/market.ts';
import { readWorths } from '../../../../src/domain/payments/pricing/worth.ts';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { startReceiver } from '../../../support/receivers.ts';
import type { Shop } from '../../../support/shop.ts';

const BLOCK_SECONDS = 60;
const QUORUM_USD = 1_000;

describe('payments on Bitcoin from an amount on that needs two hosts', () => {
  const standOf = useBitcoinStand();
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened), { CHAIN_PROFILE: 'regtest' });

  it('wait for the second one at any depth, also where they are paid in parts, and no other payment does', async () => {
    const stand = standOf();
    const { ctx } = harness;
    await storeRates(ctx.db, marketOf({ BTC: '60000' }, new Date('2026-01-01T00:00:00Z')));
    harness.advance(Math.max(0, (await stand.time()) - ctx.now().getTime() / 1_000) + 300);
    let isThere = false;
    const host = await startReceiver({
      async answer({ path }) {
        const hash = await stand.rpc<string>('getblockhash', Number(path.split('/').at(-1)));
        return isThere ? { body: hash } : { status: 503 };
      },
    });
    const esplora = [host.url.replace('127.0.0.1', 'localhost').replace('/hooks', '/api')];
    const rpc = { bitcoin: { urls: [stand.btcd.url], esplora, quorumUsd: QUORUM_USD } };
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
    const create = async (pay_amount: string) => {
      const id = await real.create({ pay_amount });
      const { address } = await shop.payment(id);
      return { id, address, is: () => real.statusOf(id) };
    };
    try {
      await mine(1);
      const [whole, parts, small] = [await create('0.05'), await create('0.05'), await create('0.01')];
      await stand.pay([whole.address, 5_000_000n]);
      for (let part = 0; part < 5; part += 1) await stand.pay([parts.address, 1_000_000n]);
      await mine(1);
      await stand.pay([small.address, 1_000_000n]);
      await mine(10);
      const all = () => Promise.all([whole, parts, small].map((one) => one.is()));
      expect(await all()).to.deep.equal(['PENDING', 'PENDING', 'PROCESSING']);
      isThere = true;
      await real.sync();
      expect(await all()).to.deep.equal(['PROCESSING', 'PROCESSING', 'PROCESSING']);
    } finally {
      await watched.client.close();
      await host.close();
    }
  });
});
