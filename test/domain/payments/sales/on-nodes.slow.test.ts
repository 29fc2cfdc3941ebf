import { expect } from 'chai';
import { selectMethodByToken } from '../../../../src/domain/checkout/actions/select-method.ts';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import type { CoinId } from '../../../../src/domain/chain/coins.ts';
import type { NetworkId } from '../../../../src/domain/chain/networks.ts';
import { storeAddresses } from '../../../../src/domain/exchange/addresses.ts';
import { setAcceptedMethods } from '../../../../src/domain/merchants/accepted-methods.ts';
import { newAddress } from '../../../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../../../support/bitcoin-stand.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { FINAL_DEPTH, useEvmStand } from '../../../support/evm-stand.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';

const STORY = ['created WAITING', 'pending PENDING', 'processing PROCESSING', 'settled SETTLED'];

describe('a payment that is sold at an exchange', function () {
  this.timeout(60_000);
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  /** Creates a payment, and chooses the coin that its customer pays in. */
  async function chosen(stand: ExchangeStand, pay_amount: string, coin: CoinId, network: NetworkId) {
    const id = await stand.real.create({ pay_amount }, stand.merchant);
    const { token_id } = await shop.payment(id);
    const result = await selectMethodByToken(stand.ctx, stand.real.adapters, token_id, coin, network);
    expect(result).to.equal('selected');
    const { address, crypto_amount } = await shop.payment(id);
    return { id, address: address ?? '', amount: crypto_amount };
  }

  /** The exchange credits it, and sells it in three orders; its first answer gets lost. */
  async function sold(stand: ExchangeStand, id: string, asset: string, txHash: string, amount: string) {
    await stand.work(id);
    expect(await stand.real.statusOf(id), 'not credited yet').to.equal('PROCESSING');
    stand.kraken.deposit(asset, txHash, amount);
    stand.kraken.depth = String(Number(amount) * 0.4);
    stand.kraken.fault = (method, times) => (method === 'AddOrder' && times === 1 ? { cut: 'after' } : null);
    await stand.workUntil(id, 'SETTLED');
    expect(stand.kraken.account.orders).to.have.length(3);
    expect(Number(stand.kraken.account.balances[asset])).to.equal(0);
    expect(await shop.story(id)).to.deep.equal(STORY);
    return (await stand.resource(id)).settlement;
  }

  describe('on a node of Ethereum', () => {
    const node = useEvmStand(BEGIN);

    it('settles what was paid in ether, once its block is final and the exchange has credited it', async () => {
      const options = { network: 'ethereum', chainId: 1, urls: [node().anvil.url] } as const;
      const finality = { hasCheckpoints: true, depth: 2 };
      const client = new EvmClient({ ...options, finality }, harness.ctx.now);
      const stand = await ExchangeStand.open(harness, shop, { client });
      try {
        harness.advance(300);
        await stand.real.sync();
        const { id, address, amount } = await chosen(stand, '3000', 'ETH', 'ethereum');
        expect([amount, stand.kraken.account.addresses.ETH?.includes(address)]).to.deep.equal(['1', true]);
        const txHash = await node().send(address, 10n ** 18n);
        await node().mine(FINAL_DEPTH + 1);
        // Two polls must agree on what is final.
        for (let poll = 0; poll < 2; poll += 1) while (await stand.real.sync());
        const settlement = await sold(stand, id, 'ETH', txHash, amount);
        expect(settlement).to.deep.equal({ mode: 'exchange', coin: 'USDC', network: null, amount: '2992.2' });
      } finally {
        await Promise.all([stand.close(), client.close()]);
      }
    });
  });

  describe('on a node of Bitcoin', () => {
    const node = useBitcoinStand();

    it('settles what was paid in bitcoin, after one block, once the exchange has credited it', async () => {
      harness.advance(Math.max(0, (await node().time()) - harness.ctx.now().getTime() / 1_000) + 300);
      const client = node().client({}, harness.ctx.now);
      const stand = await ExchangeStand.open(harness, shop, { client, network: 'bitcoin' });
      const mine = async () => {
        harness.advance(60);
        await node().mine({ time: harness.ctx.now().getTime() / 1_000 });
        for (let poll = 0; poll < 2; poll += 1) while (await stand.real.sync());
      };
      try {
        const methods = [{ coin: 'BTC', network: 'bitcoin' }] as const;
        await setAcceptedMethods(stand.ctx.db, stand.merchant.id, methods);
        // The exchange lists addresses of the main chain alone: those of the node's chain stand in for them.
        const listed = await stand.ctx.db('exchange_addresses').select('network', 'address', 'coins');
        const own = { network: 'bitcoin', address: newAddress(), coins: ['BTC'] } as const;
        const now = harness.ctx.now();
        await stand.ctx.db.transaction((tx) =>
          storeAddresses(stand.ctx, tx, stand.merchant.id, [...listed, own], now),
        );
        await mine();
        const { id, address, amount } = await chosen(stand, '300', 'BTC', 'bitcoin');
        expect([amount, address]).to.deep.equal(['0.005', own.address]);
        const { id: txHash } = await node().pay([address, 500_000n]);
        await stand.real.sync();
        expect(await stand.real.statusOf(id), 'in the pool').to.equal('PENDING');
        await mine();
        const settlement = await sold(stand, id, 'XBT', txHash, amount);
        expect(settlement).to.deep.equal({ mode: 'exchange', coin: 'USDC', network: null, amount: '299.22' });
      } finally {
        await Promise.all([stand.close(), client.close()]);
      }
    });
  });
});
