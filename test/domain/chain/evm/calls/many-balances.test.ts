import { expect } from 'chai';
import { unitsOfMany } from '../../../../../src/domain/chain/evm/calls/many-balances.ts';
import { JsonRpc } from '../../../../../src/domain/chain/rpc/json-rpc.ts';
import { ProviderError } from '../../../../../src/domain/chain/rpc/provider-error.ts';
import { wordOf } from '../../../../support/anvil.ts';
import { contractOf, newAddress, useEvmStand } from '../../../../support/evm-stand.ts';
import { startLyingProxy } from '../../../../support/lying-proxy.ts';

describe('what many addresses hold', () => {
  const standOf = useEvmStand();
  const USDC = contractOf('USDC');

  const blockHash = async () =>
    (await standOf().rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)).hash;
  const providerOf = (url: string) => new JsonRpc(url, 1);

  it('is read in one request for 500 of them, of a token and of the native coin, after a block', async () => {
    const stand = standOf();
    const addresses = Array.from({ length: 501 }, newAddress);
    const [first = '', last = ''] = [addresses[0], addresses[500]];
    await stand.setBalance('USDC', first, 5n);
    await stand.setBalance('USDC', last, 7n);
    await stand.rpc('anvil_setBalance', last, wordOf(9n));
    await stand.mine();
    const hash = await blockHash();
    await stand.pay('USDC', first, 1n);
    await stand.mine();
    const provider = providerOf(stand.anvil.url);
    try {
      const tokens = await unitsOfMany(provider, USDC, addresses, hash);
      expect([tokens.length, tokens[0], tokens[1], tokens[500]]).to.deep.equal([501, 5n, 0n, 7n]);
      expect(provider.requests).to.equal(2);
      expect((await unitsOfMany(provider, null, addresses, hash)).slice(-2)).to.deep.equal([0n, 9n]);
    } finally {
      await provider.close();
    }
  });

  it('is unknown of a contract that does not say, and where a node has not the state', async () => {
    const provider = providerOf(standOf().anvil.url);
    try {
      const hash = await blockHash();
      const addresses = [newAddress(), newAddress()];
      expect(await unitsOfMany(provider, newAddress(), addresses, hash)).to.deep.equal([null, null]);
      const fault = await unitsOfMany(provider, USDC, addresses, `0x${'1'.repeat(64)}`).catch(
        (error: unknown) => error,
      );
      expect(fault).to.be.instanceOf(ProviderError);
    } finally {
      await provider.close();
    }
  });

  it('is read of fewer at once where a node gives a call less gas', async () => {
    const stand = standOf();
    const proxy = await startLyingProxy(stand.anvil);
    const provider = providerOf(proxy.url);
    proxy.before = ({ method, params: [call] }) => {
      const { data = '' } = call as { data?: string };
      // Those of three addresses, with the code.
      if (method === 'eth_call' && data.length > 2 + 2 * (106 + 4 * 32))
        throw Object.assign(new Error('out of gas'), { code: -32_000 });
    };
    try {
      const addresses = Array.from({ length: 8 }, newAddress);
      await stand.setBalance('USDC', addresses[6] ?? '', 5n);
      await stand.mine();
      const units = await unitsOfMany(provider, USDC, addresses, await blockHash());
      expect(units).to.deep.equal([0n, 0n, 0n, 0n, 0n, 0n, 5n, 0n]);
    } finally {
      await Promise.all([provider.close(), proxy.close()]);
    }
  });
});
