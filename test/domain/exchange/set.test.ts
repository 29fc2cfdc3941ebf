import { expect } from 'chai';
import { setAcceptedMethods } from '../../../src/domain/merchants/accepted-methods.ts';
import { refreshAccount, setAccount, slippageOf } from '../../../src/domain/exchange/set.ts';
import { openAccount } from '../../../src/domain/exchange/open.ts';
import { findAccount, retireAccount } from '../../../src/domain/exchange/store.ts';
import { reSignAddresses } from '../../../src/domain/exchange/addresses.ts';
import { reEncryptSecrets } from '../../../src/domain/ops/re-encrypt.ts';
import { DEVELOPMENT_KEY } from '../../../src/platform/config/production.ts';
import { messageOf } from '../../../src/platform/log.ts';
import { eachShop } from '../../support/each-shop.ts';
import { ExchangeStand } from '../../support/exchange-stand.ts';
import type { Harness } from '../../support/harness.ts';
import { serveKraken } from '../../support/kraken.ts';
import type { Shop } from '../../support/shop.ts';

describe('an account at an exchange', () => {
  let harness: Harness;
  let shop: Shop;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = await ExchangeStand.open(harness, shop);
  });
  afterEach(() => stand.close());

  const refusal = (work: Promise<unknown>) => work.then(() => 'nothing was refused', messageOf);
  const setOf = async (merchantId: string) => {
    const { key, secret } = stand.kraken.account;
    return setAccount(stand.ctx, { merchantId, credentials: { key, secret }, slippagePercent: '1' });
  };

  it('is stored encrypted for its merchant alone, and what is copied to another one does not open', async () => {
    const [row] = await stand.ctx.db('exchange_accounts');
    const { key, secret } = stand.kraken.account;
    for (const hidden of [key, secret]) {
      expect(JSON.stringify(row)).to.not.include(hidden);
      expect(row.ciphertext.toString('latin1')).to.not.include(hidden);
    }
    const other = await harness.addMerchant({ mode: 'live' });
    await stand.ctx.db('exchange_accounts').insert({ ...row, merchant_id: other.id });
    expect(await refusal(openAccount(stand.ctx, other.id))).to.include('belongs to another merchant');
  });

  it('is refused with a key that may withdraw, and stays as it was', async () => {
    stand.kraken.account.mayWithdraw = true;
    const [before] = await stand.ctx.db('exchange_accounts');
    expect(await refusal(stand.set())).to.include('the key may withdraw');
    harness.advance(1);
    expect(await refusal(refreshAccount(stand.ctx, stand.merchant.id))).to.include('the key may withdraw');
    expect((await stand.ctx.db('exchange_accounts'))[0].ciphertext).to.deep.equal(before.ciphertext);
  });

  it('is of live merchants on main networks, whose settlement coin the exchange takes', async () => {
    const test = await harness.addMerchant();
    expect(await refusal(setOf(test.id))).to.include('is a test merchant');
    const polygon = await harness.addMerchant({ mode: 'live', network: 'polygon' });
    expect(await refusal(setOf(polygon.id))).to.include('Kraken takes no USDC on polygon');
    const config = { ...stand.ctx.config, chainProfile: 'testnet' as const };
    expect(await refusal(refreshAccount({ ...stand.ctx, config }, stand.merchant.id))).to.include('mainnet');
  });

  it('gives its addresses to one merchant, and leaves another one as they were', async () => {
    const other = await harness.addMerchant({ mode: 'live' });
    harness.advance(1);
    expect(await refusal(setOf(other.id))).to.include('that another merchant does not have');
    expect(await findAccount(stand.ctx.db, other.id)).to.equal(null);
  });

  it('is set beside requests of workers that have the same key', async () => {
    const { account } = await openAccount(stand.ctx, stand.merchant.id);
    let isBusy = false;
    stand.kraken.fault = (method) =>
      method === 'OpenOrders' && !isBusy
        ? {
            async late() {
              isBusy = true;
              harness.advance(5);
              await account.findOrder({ clientId: 'one', exchangeId: null });
            },
          }
        : null;
    await stand.set();
    expect(isBusy).to.equal(true);
  });

  it('is not replaced by another account while payments may have money at it', async () => {
    await stand.paid();
    const other = await serveKraken(() => harness.ctx.now());
    const ctx = { ...stand.ctx, config: { ...stand.ctx.config, krakenUrl: other.url } };
    const { key, secret } = other.account;
    const asked = { merchantId: stand.merchant.id, credentials: { key, secret }, slippagePercent: '1' };
    try {
      const before = await findAccount(ctx.db, stand.merchant.id);
      expect(await refusal(setAccount(ctx, asked))).to.include('of another account at Kraken');
      expect((await findAccount(ctx.db, stand.merchant.id))?.ciphertext).to.deep.equal(before?.ciphertext);
      await retireAccount(ctx.db, stand.merchant.id, harness.ctx.now());
      harness.advance(50 * 3_600);
      expect(await refusal(setAccount(ctx, asked)), 'nothing waits to be sold').to.equal(
        'nothing was refused',
      );
    } finally {
      await other.close();
    }
  });

  it('names what is accepted and not sold there, and takes one address for several tokens', async () => {
    await setAcceptedMethods(stand.ctx.db, stand.merchant.id, [
      { coin: 'ETH', network: 'ethereum' },
      { coin: 'USDT', network: 'ethereum' },
      { coin: 'USDC', network: 'polygon' },
    ]);
    const { unsold, addresses } = await refreshAccount(stand.ctx, stand.merchant.id);
    // Kraken has no pair in which USDT is sold for USDC.
    expect(unsold).to.deep.equal(['USDT/ethereum', 'USDC/polygon']);
    expect(addresses.map(({ coins }) => coins.join())).to.deep.equal(['USDC', ...Array(5).fill('ETH')]);
  });

  it('moves with SECRETS_KEY to a new key, addresses too', async () => {
    const next = Buffer.alloc(32, 7);
    const both = { ...stand.ctx, config: { ...stand.ctx.config, secretsKeys: [next, DEVELOPMENT_KEY] } };
    await reEncryptSecrets(both);
    expect(await reSignAddresses(both)).to.equal(6);
    const alone = { ...stand.ctx, config: { ...stand.ctx.config, secretsKeys: [next] } };
    const { account } = await openAccount(alone, stand.merchant.id);
    await account.checkRights();
    // The invariants behind the test know the development key.
    await reEncryptSecrets(stand.ctx).catch(() => undefined);
  });

  it('has a bound between nothing and a fifth', () => {
    expect(slippageOf('0.5')).to.equal('0.5');
    for (const text of ['0', '20.1', '-1', '1e1', '', '1,5', '100'])
      expect(() => slippageOf(text), text).to.throw(RangeError);
  });
});
