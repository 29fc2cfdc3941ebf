import { expect } from 'chai';
import { declareChain } from '../../../../src/domain/payments/sync/cursor.ts';
import { followServed, ServedNetworks } from '../../../../src/domain/payments/sync/served.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { captureLog } from '../../../support/logs.ts';

describe('the networks that a watcher reads, as a process knows them', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  it('stay what they were while they cannot be read, and the log says so once, and once that they can', async () => {
    const { db } = harness.ctx;
    const { log, lines } = captureLog();
    const networks = new ServedNetworks();
    const refresh = () => networks.refresh({ db, log });
    await declareChain(db, 'ethereum/live');
    await refresh();
    expect(networks.networks, 'declared, and not read').to.deep.equal([]);
    await db('chain_cursors').update({ cursor: '1' });
    await refresh();
    await db.raw('ALTER TABLE chain_cursors RENAME TO elsewhere');
    for (let times = 0; times < 2; times += 1) await refresh();
    expect(networks.networks).to.deep.equal(['ethereum']);
    expect(lines().map(({ level, reason }) => [level, reason])).to.deep.equal([
      ['warn', 'Postgres: a table is missing'],
    ]);
    await db.raw('ALTER TABLE elsewhere RENAME TO chain_cursors');
    for (let times = 0; times < 2; times += 1) await refresh();
    expect(lines().map(({ level }) => level)).to.deep.equal(['warn', 'info']);
  });

  it('are known before it serves the first request', async () => {
    const { ctx } = harness;
    await declareChain(ctx.db, 'polygon/live');
    await ctx.db('chain_cursors').update({ cursor: '1' });
    const following = await followServed(ctx);
    following.close();
    expect(following.served.networks).to.deep.equal(['polygon']);
  });

  it('that cannot be read are not logged by a process that ends', async () => {
    const { log, lines } = captureLog();
    const { db } = harness.ctx;
    await db.raw('ALTER TABLE chain_cursors RENAME TO elsewhere');
    const closing = new AbortController();
    closing.abort();
    await new ServedNetworks().refresh({ db, log }, closing.signal);
    expect(lines()).to.deep.equal([]);
    await db.raw('ALTER TABLE elsewhere RENAME TO chain_cursors');
  });
});
