import { expect } from 'chai';
import { syncToHead } from '../../../../src/domain/payments/sync/shared-sync.ts';
import type { SyncAdapters } from '../../../../src/domain/payments/sync/sync-network.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';

describe('syncs of a network by many batches at once', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  /** The simulated chain, whose polls wait for `open` and are counted; `fault` is what they throw. */
  const watched = (fault: () => Error | null = () => null) => {
    let open = () => undefined as void;
    let begin = () => undefined as void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const hasBegun = new Promise<void>((resolve) => (begin = resolve));
    const gate = { open, hasBegun, begun: 0 };
    const adapters: SyncAdapters = {
      ...harness.adapters,
      chain: (ctx) => {
        const chain = harness.adapters.chain(ctx);
        return {
          ...chain,
          async poll(...asked) {
            gate.begun += 1;
            begin();
            await opened;
            const error = fault();
            if (error !== null) throw error;
            return chain.poll(...asked);
          },
        };
      },
    };
    return { gate, sync: () => syncToHead(harness.ctx, adapters, 'ethereum') };
  };

  it('share the one that begins after they came, and it finds what came before them', async () => {
    const { gate, sync } = watched();
    const first = sync();
    await gate.hasBegun;
    const id = await shop.create();
    await shop.pay(id);
    const others = [sync(), sync(), sync(), sync()];
    gate.open();
    await Promise.all([first, ...others]);
    expect(gate.begun).to.equal(2);
    expect(await shop.payment(id)).to.include({ status: 'PENDING' });
    await sync();
    expect(gate.begun).to.equal(3);
  });

  it('that fail, fail for those who share it, and the next one is a new one', async () => {
    const faults = [new Error('first'), new Error('second')];
    const { gate, sync } = watched(() => faults.shift() ?? null);
    const outcome = () =>
      sync().then(
        () => 'synced',
        (error: Error) => error.message,
      );
    const first = outcome();
    await gate.hasBegun;
    const asked = [first, outcome(), outcome()];
    gate.open();
    expect(await Promise.all(asked)).to.deep.equal(['first', 'second', 'second']);
    expect(await outcome()).to.equal('synced');
    expect(gate.begun).to.equal(3);
  });
});
