import { expect } from 'chai';
import {
  COIN_IDS,
  COINS_ON_NETWORKS,
  decimalsOf,
  dustOf,
  isCoin,
  isCoinOn,
  quoteUnit,
  type CoinId,
} from '../../../src/domain/chain/coins.ts';
import { isNetwork, NETWORK_IDS, NETWORKS, type NetworkId } from '../../../src/domain/chain/networks.ts';

/** Written out a second time, from the coins' own documentation. */
const DECIMALS: Readonly<Record<CoinId, Partial<Record<NetworkId, number>>>> = {
  BTC: { bitcoin: 8 },
  ETH: { ethereum: 18, base: 18, arbitrum: 18, optimism: 18 },
  USDT: { ethereum: 6, tron: 6, polygon: 6, solana: 6, arbitrum: 6, bnb: 18 },
  USDC: { ethereum: 6, polygon: 6, solana: 6, base: 6, arbitrum: 6, optimism: 6, bnb: 18 },
  TRX: { tron: 6 },
  SOL: { solana: 9 },
  POL: { ethereum: 18, polygon: 18 },
  DAI: { ethereum: 18, polygon: 18 },
  BNB: { bnb: 18 },
};

/** Written out a second time; the same on each network of a coin. */
const DUST: Readonly<Record<CoinId, string>> = {
  BTC: '0.00000546',
  ETH: '0.000001',
  USDT: '0.001',
  USDC: '0.001',
  TRX: '0.001',
  SOL: '0.00089088',
  POL: '0.001',
  DAI: '0.001',
  BNB: '0.000001',
};

describe('coins and networks', () => {
  it('define for every pair whether the coin exists on the network, and its decimals', () => {
    const pairs = COIN_IDS.flatMap((coin) => NETWORK_IDS.map((network) => ({ coin, network })));
    expect(pairs).to.have.length(Object.keys(DECIMALS).length * NETWORK_IDS.length);
    for (const { coin, network } of pairs) {
      const decimals = DECIMALS[coin][network];
      expect(isCoinOn(coin, network), `${coin} on ${network}`).to.equal(decimals !== undefined);
      if (decimals !== undefined)
        expect(decimalsOf(coin, network), `${coin} on ${network}`).to.equal(decimals);
      else
        expect(() => decimalsOf(coin, network)).to.throw(RangeError, `${coin} does not exist on ${network}`);
    }
  });

  it('state a dust limit for every pair, in whole units of the coin', () => {
    for (const { coin, network } of COINS_ON_NETWORKS) {
      const dust = dustOf(coin, network);
      expect(dust, `${coin} on ${network}`).to.equal(DUST[coin]);
      const [, decimals = ''] = dust.split('.');
      expect(decimals.length, `${coin} on ${network}`).to.be.at.most(decimalsOf(coin, network));
    }
    expect(() => dustOf('BTC', 'tron')).to.throw(RangeError, 'BTC does not exist on tron');
  });

  it('quote at most the decimals that wallets send', () => {
    expect(quoteUnit('ETH', 'ethereum')).to.equal('0.00000001');
    expect(quoteUnit('DAI', 'polygon')).to.equal('0.00000001');
    expect(quoteUnit('SOL', 'solana')).to.equal('0.00000001');
    expect(quoteUnit('BTC', 'bitcoin')).to.equal('0.00000001');
    expect(quoteUnit('USDT', 'tron')).to.equal('0.000001');
    expect(() => quoteUnit('BTC', 'tron')).to.throw(RangeError, 'BTC does not exist on tron');
  });

  it('list every payment method once', () => {
    const expected = COIN_IDS.flatMap((coin) =>
      Object.keys(DECIMALS[coin]).map((network) => `${coin} ${network}`),
    );
    const listed = COINS_ON_NETWORKS.map(({ coin, network }) => `${coin} ${network}`);
    expect([...listed].sort()).to.deep.equal([...expected].sort());
  });

  it('have at least one coin on every network, and one network for every coin', () => {
    expect(new Set(COINS_ON_NETWORKS.map(({ network }) => network))).to.deep.equal(new Set(NETWORK_IDS));
    expect(new Set(COINS_ON_NETWORKS.map(({ coin }) => coin))).to.deep.equal(new Set(COIN_IDS));
  });

  it('reject unknown names', () => {
    for (const name of ['btc', '', 'constructor', '__proto__', 'toString', 'decimals']) {
      expect(isCoin(name), name).to.equal(false);
      expect(isNetwork(name), name).to.equal(false);
      expect(isCoinOn(name, 'bitcoin'), name).to.equal(false);
      expect(isCoinOn('BTC', name), name).to.equal(false);
    }
  });

  it('have a block time above zero and at least one confirmation', () => {
    for (const network of NETWORK_IDS) {
      expect(NETWORKS[network].blockSeconds * 1000, network).to.be.at.least(1);
      expect(NETWORKS[network].confirmations, network).to.be.at.least(1);
    }
  });
});
