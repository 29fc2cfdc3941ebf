import { expect } from 'chai';
import { findByToken } from '../../../../src/domain/checkout/view/store.ts';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { createPayment } from '../../../../src/domain/payments/create.ts';
import { languageOf, pageOf } from '../../../../src/http/checkout/page.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';
import { useWallet } from '../../../support/wallets.ts';

describe('with CHAIN_PROFILE=testnet, a live payment', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  eachShop(
    (opened) => {
      ({ harness, shop } = opened);
      real = openRealNetwork(harness, shop);
    },
    { CHAIN_PROFILE: 'testnet' },
  );

  const pageFor = async (id: string) => {
    const payment = await findByToken(harness.ctx.db, (await shop.payment(id)).token_id);
    if (payment === null) throw new Error('the payment does not exist');
    const { language } = languageOf({ url: '/', headers: {} });
    return (await pageOf(harness.ctx, real.adapters, payment, language, {})).html;
  };

  it('is asked for on Sepolia, says TEST, and links to its explorer', async () => {
    const id = await real.create();
    const waiting = await pageFor(id);
    expect(waiting).to.include('USDC on Sepolia').and.not.include('Ethereum');
    expect(waiting).to.match(/href="ethereum:0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238@11155111\/transfer/);
    expect(waiting).to.include('class="test"');
    const { txHash } = await real.pay(id);
    await real.sync();
    expect(await pageFor(id)).to.include(`https://sepolia.etherscan.io/tx/${txHash}`);
  });

  it('in a token without a contract there is refused, and nothing is stored', async () => {
    const { id: merchantId, apiKey } = await harness.addMerchant({ mode: 'live', currency: 'DAI' });
    await useWallet(harness.ctx, merchantId);
    const caller = await findCaller(harness.ctx.db, hashApiKey(apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const body = { pay_amount: '10.50', order_id: 'order-1' };
    const refused = await createPayment(harness.ctx, real.adapters, caller, body, null).catch(
      (error: Error) => error.message,
    );
    expect(refused).to.match(/DAI has no contract on Sepolia: see TESTNET_TOKENS/);
    expect(await harness.ctx.db('payments').where({ merchant_id: merchantId })).to.deep.equal([]);
  });
});
