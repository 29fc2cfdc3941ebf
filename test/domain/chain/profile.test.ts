import { expect } from 'chai';
import { tokenContract, COINS_ON_NETWORKS } from '../../../src/domain/chain/coins.ts';
import { isAddress } from '../../../src/domain/chain/addresses.ts';
import { NETWORKS } from '../../../src/domain/chain/networks.ts';
import { realChains, SIMULATED_CHAINS } from '../../../src/domain/chain/profile.ts';
import { walletTransaction, walletUri } from '../../../src/domain/chain/demand/wallet-uri.ts';
import { TESTNET_TOKENS } from '../../../src/platform/config/chain-profile.ts';

const OWN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SEPOLIA_USDC = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';

describe('the chains of live payments', () => {
  const mainnet = realChains({ chainProfile: 'mainnet', testnetTokens: {} });
  const testnet = realChains({ chainProfile: 'testnet', testnetTokens: { 'USDT/ethereum': OWN } });

  it('are the main networks with the contracts of the coin table, or Sepolia and Amoy', () => {
    expect([mainnet.chainIdOf('ethereum'), mainnet.chainIdOf('polygon')]).to.deep.equal([1, 137]);
    expect([testnet.chainIdOf('ethereum'), testnet.chainIdOf('polygon')]).to.deep.equal([11_155_111, 80_002]);
    expect([testnet.nameOf('ethereum'), testnet.nameOf('polygon')]).to.deep.equal([
      'Sepolia',
      'Polygon Amoy',
    ]);
    expect(testnet.explorers).to.include({
      ethereum: 'https://sepolia.etherscan.io/tx/{tx}',
      polygon: 'https://amoy.polygonscan.com/tx/{tx}',
      bitcoin: 'https://mempool.space/testnet4/tx/{tx}',
    });
    const regtest = realChains({ chainProfile: 'regtest', testnetTokens: {} });
    expect([mainnet, testnet, regtest].map(({ addressChains }) => addressChains)).to.deep.equal([
      ['main'],
      ['test'],
      ['regtest'],
    ]);
    expect([testnet.nameOf('bitcoin'), regtest.chainIdOf('ethereum')]).to.deep.equal([
      'Bitcoin testnet',
      11_155_111,
    ]);
    expect([mainnet.isTest, testnet.isTest, SIMULATED_CHAINS.isTest]).to.deep.equal([false, true, true]);
  });

  it('have on test networks native coins and known or configured tokens, and never a contract of a main one', () => {
    expect(testnet.contractOf('ETH', 'ethereum')).to.equal(null);
    expect(testnet.contractOf('USDC', 'ethereum')).to.equal(SEPOLIA_USDC);
    expect(testnet.contractOf('USDT', 'ethereum')).to.equal(OWN);
    expect(testnet.contractOf('DAI', 'ethereum')).to.equal(undefined);
    expect(testnet.contractOf('BTC', 'bitcoin')).to.equal(null);
    expect(testnet.contractOf('SOL', 'solana')).to.equal(undefined);
    for (const { coin, network } of COINS_ON_NETWORKS) {
      const contract = tokenContract(coin, network);
      if (contract !== null) expect(testnet.contractOf(coin, network)).to.not.equal(contract);
      const known = testnet.contractOf(coin, network);
      if (typeof known === 'string') expect(isAddress(network, known)).to.equal(true);
    }
  });

  it('can be configured for exactly the tokens of EVM networks', () => {
    const tokens = COINS_ON_NETWORKS.filter(
      ({ coin, network }) => NETWORKS[network].chainId !== null && tokenContract(coin, network) !== null,
    );
    expect(TESTNET_TOKENS).to.have.members(tokens.map(({ coin, network }) => `${coin}/${network}`));
  });

  it('are those that links for wallets name', () => {
    const demand = { coin: 'USDC', network: 'ethereum', address: OWN, amount: '1', chains: testnet } as const;
    expect(walletUri(demand)).to.equal(
      `ethereum:${SEPOLIA_USDC}@11155111/transfer?address=${OWN}&uint256=1000000`,
    );
    expect(walletTransaction(demand)).to.include({ chain: '0xaa36a7', to: SEPOLIA_USDC });
  });
});
