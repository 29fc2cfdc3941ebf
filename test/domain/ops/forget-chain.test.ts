import { expect } from 'chai';
import { forgetChain } from '../../../src/domain/ops/forget-chain.ts';
import { expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { Leadership } from '../../../src/platform/postgres/leadership.ts';
import { eachShop } from '../../support/each-shop.ts';
import type { Harness } from '../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../support/real-network.ts';

describe('forgetting a network', () => {
  let harness: Harness;
  let real: RealNetwork;
  eachShop(({ harness: opened, shop }) => {
    harness = opened;
    real = openRealNetwork(harness, shop);
  });

  const cursors = () => harness.ctx.db('chain_cursors').where({ chain: 'ethereum/live' });
  /** As if it had been halted for longer than web takes to learn it. */
  const haltLongAgo = () => cursors().update({ halted_at: addSeconds(harness.ctx.now(), -60) });
  const forget = () => forgetChain(harness.ctx, 'ethereum');

  it('ends what degrades the status, once nothing needs it', async () => {
    await real.sync();
    await haltLongAgo();
    expect(await forget()).to.equal(null);
    expect(await cursors()).to.deep.equal([]);
    expect(await forget()).to.deep.equal({ because: 'unknown' });
  });

  it('is refused while a payment on it is open, and halts nothing then', async () => {
    const id = await real.create();
    await real.sync();
    expect(await forget()).to.deep.equal({ because: 'needed', payments: 1, refunds: 0 });
    expect(await cursors()).to.have.nested.property('[0].halted_at', null);
    harness.advance(2 * 3_600);
    await real.sync();
    await expirePayments(harness.ctx, real.adapters.live, [id]);
    await haltLongAgo();
    expect(await forget()).to.equal(null);
  });

  it('is refused while a watcher leads, and leaves the lead free', async () => {
    await real.sync();
    await haltLongAgo();
    const watcher = new Leadership(harness.ctx.config.databaseUrl, 'watcher lead 1', 'watch ethereum');
    try {
      expect(await watcher.hold()).to.equal(true);
      expect(await forget()).to.deep.equal({ because: 'watched' });
      expect(await cursors()).to.have.length(1);
      await watcher.end();
      expect(await forget()).to.equal(null);
      expect(await watcher.hold()).to.equal(true);
    } finally {
      await watcher.end();
    }
  });

  it('lets web take no new payment before it is forgotten: the network is halted meanwhile', async () => {
    await real.sync();
    const kept = await forgetChain(harness.ctx, 'ethereum', async (ms) => {
      expect(ms).to.equal(15_000);
      expect(await cursors()).to.have.nested.property('[0].halted_because', 'an operator forgets it');
      // By a web process that does not know it yet.
      await real.create();
    });
    expect(kept).to.deep.equal({ because: 'needed', payments: 1, refunds: 0 });
    expect(await cursors()).to.have.length(1);
  });
});
