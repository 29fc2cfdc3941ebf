import { expect } from 'chai';
import { createChainClients } from '../../../src/domain/chain/clients.ts';
import { readWorths } from '../../../src/domain/payments/pricing/worth.ts';
import { storeRates } from '../../../src/domain/chain/rates/store.ts';
import { marketOf } from '../../../src/domain/chain/simulator/market.ts';
import { newAddress as newBitcoinAddress } from '../../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../../support/bitcoin-stand.ts';
import { Follower } from '../../support/follower.ts';
import { FINAL_DEPTH, newAddress, useEvmStand } from '../../support/evm-stand.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the clients of real networks, with one provider and a quorum from 1,000 dollars on', () => {
  const standOf = useEvmStand();
  const bitcoinOf = useBitcoinStand();
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  /** Sends this many thousandths of an ether, and returns what became final. */
  async function finalOf(...thousandths: readonly number[]): Promise<string[]> {
    const stand = standOf();
    const rpc = { ethereum: { urls: [stand.anvil.url], quorumUsd: 1_000 } };
    const [watched] = createChainClients(
      { ...harness.ctx, config: { ...harness.ctx.config, rpc } },
      readWorths,
    );
    if (watched === undefined) throw new Error('there is no client');
    const address = newAddress();
    const follower = new Follower(watched.client, [address]);
    try {
      await follower.pollAll();
      for (const one of thousandths) {
        await stand.send(address, BigInt(one) * 10n ** 15n);
        await stand.mine();
      }
      // Depth counts too, and is 12 blocks on Ethereum.
      await stand.mine(FINAL_DEPTH + 12);
      await follower.pollAll();
      return [...follower.confirmed.values()].map(({ amount }) => amount);
    } finally {
      await watched.client.close();
    }
  }

  it('make ether final that is worth less, by the last rate that is known', async () => {
    await storeRates(harness.ctx.db, marketOf({ ETH: '3000' }, new Date('2026-01-01T00:00:00Z')));
    expect(await finalOf(1, 333)).to.deep.equal(['0.001', '0.333']);
  });

  it('are one of Bitcoin as well, on the chain of the profile, which finds what came to an address', async () => {
    const { btcd } = bitcoinOf();
    const rpc = { bitcoin: { urls: [btcd.url], quorumUsd: 1e9 } };
    const config = { ...harness.ctx.config, chainProfile: 'regtest', rpc } as const;
    const [watched, ...others] = createChainClients({ ...harness.ctx, config }, readWorths);
    if (watched === undefined) throw new Error('there is no client');
    expect([watched.network, watched.call, others]).to.deep.equal(['bitcoin', undefined, []]);
    const address = newBitcoinAddress();
    const follower = new Follower(watched.client, [address], 'bitcoin');
    try {
      await follower.pollAll();
      await bitcoinOf().pay([address, 5_000_000n]);
      // Depth is that of the largest rule.
      await bitcoinOf().mineAll(6);
      await follower.pollAll();
      expect([...follower.confirmed.values()].map(({ amount }) => amount)).to.deep.equal(['0.05']);
    } finally {
      await watched.client.close();
    }
  });

  it('make no ether final that is worth as much, and none of unknown worth', async () => {
    expect(await finalOf(1), 'no rate').to.deep.equal([]);
    await storeRates(harness.ctx.db, marketOf({ ETH: '3000' }, new Date('2026-01-01T00:00:00Z')));
    expect(await finalOf(1, 334)).to.deep.equal(['0.001']);
  });
});
