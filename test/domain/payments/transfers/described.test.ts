import { expect } from 'chai';
import fc from 'fast-check';
import type { NetworkId } from '../../../../src/domain/chain/networks.ts';
import { NETWORKS } from '../../../../src/domain/chain/networks.ts';
import { openAttack, type Attack } from '../../../support/attack.ts';

const METHODS = {
  ethereum: { coin: 'USDC', network: 'ethereum', amount: '4' },
  polygon: { coin: 'USDC', network: 'polygon', amount: '6' },
  bitcoin: { coin: 'BTC', network: 'bitcoin', amount: '0.0001' },
  solana: { coin: 'USDC', network: 'solana', amount: '6' },
} as const;
const networks = fc.uniqueArray(
  fc.constantFrom<keyof typeof METHODS>('ethereum', 'polygon', 'bitcoin', 'solana'),
  {
    minLength: 2,
    maxLength: 2,
  },
);
/** Which network of the two mines next, and how many blocks. */
const mining = fc.array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 8 })), { minLength: 2, maxLength: 6 });

describe('the transfer that events of a payment on two networks describe', () => {
  let attack: Attack;
  before(async () => {
    attack = await openAttack('3600');
  });
  after(() => attack.close());

  it('is one of them, whole, and at settlement it has all of its confirmations', async () => {
    await fc.assert(
      fc.asyncProperty(networks, mining, async (pair, blocks) => {
        const { shop, harness } = attack;
        const id = await shop.create({ pay_amount: '10' });
        const hashes = new Map<string, NetworkId>();
        for (const network of pair) {
          hashes.set((await shop.pay(id, METHODS[network])).tx_hash, network);
          await harness.work();
        }
        const mine = async (which: number, count: number) => shop.mine(count, pair[which] ?? 'ethereum');
        for (const [which, count] of blocks) await mine(which, count);
        await mine(0, 40);
        await mine(1, 40);
        await harness.work();
        const events = await shop.events(id);
        expect(events.at(-1)?.type).to.equal('checkout.settled');
        for (const { type, data } of events) {
          const { txHash, network, confirmations, requiredConfirmations } = data.payment;
          if (txHash === null) continue;
          expect(hashes.get(txHash), type).to.equal(network);
          expect(requiredConfirmations).to.equal(NETWORKS[network as NetworkId].confirmations);
          const isConfirmed = type === 'checkout.processing' || type === 'checkout.settled';
          if (isConfirmed) expect(confirmations, type).to.be.at.least(requiredConfirmations ?? 0);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('is the one that needs longest, then the last that became final', async () => {
    const { shop, harness } = attack;
    const id = await shop.create({ pay_amount: '10' });
    // Networks are read at once, in no order: each turn of the worker finds the news of one.
    const slow = await shop.pay(id, METHODS.bitcoin);
    await harness.work();
    const fast = await shop.pay(id, METHODS.ethereum);
    await harness.work();
    await shop.mine(2, 'bitcoin');
    await harness.work();
    await shop.mine(12, 'ethereum');
    await harness.work();
    const described = (await shop.events(id)).map(({ type, data }) => [type, data.payment.txHash]);
    expect(described).to.deep.equal([
      ['checkout.created', null],
      ['checkout.pending', slow.tx_hash],
      ['checkout.pending', slow.tx_hash],
      ['checkout.processing', fast.tx_hash],
      ['checkout.settled', fast.tx_hash],
    ]);
    expect((await shop.events(id)).at(-1)?.data.payment).to.deep.equal({
      txHash: fast.tx_hash,
      network: 'ethereum',
      confirmations: 12,
      requiredConfirmations: 12,
    });
  });
});
