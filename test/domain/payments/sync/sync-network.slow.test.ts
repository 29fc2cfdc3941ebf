import { expect } from 'chai';
import { NETWORK_IDS } from '../../../../src/domain/chain/networks.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { schedule } from '../../../../src/domain/schedule/store.ts';
import { syncChain } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { paymentHandlers } from '../../../../src/domain/payments/worker.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import type { Shop } from '../../../support/shop.ts';
import { untilWaitingForLocks } from '../../../support/locks.ts';
import { leaseAll } from '../../../support/lease.ts';
import type { Harness } from '../../../support/harness.ts';
import { eachShop } from '../../../support/each-shop.ts';

const CONFIRMATIONS = 12;

const cursorRow = sql<{ cursor: string; head: string }>(
  'test_cursor',
  `SELECT cursor, head FROM chain_cursors WHERE chain = 'ethereum'`,
);

const nextSyncs = sql<{ key: string; run_at: Date }>(
  'test_next_looks',
  `SELECT key, run_at FROM scheduled_jobs WHERE job = 'chain.observe'`,
);

describe('syncing a network', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    await harness.work();
  });

  const sync = () => syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  const create = (count: number) => Promise.all(Array.from({ length: count }, () => shop.create()));
  /** Sends transfers to many payments in one statement. */
  const payAll = async (ids: readonly string[]) => {
    const sendings = ids.map((id) => ({
      network: 'ethereum' as const,
      coin: 'USDC' as const,
      amount: '10.50',
      address: shop.chain.derive('ethereum', { id }),
    }));
    await shop.chain.send(harness.ctx.db, sendings, harness.ctx.now());
  };
  const statuses = async (ids: readonly string[]) =>
    new Set(await Promise.all(ids.map(async (id) => (await shop.payment(id)).status)));

  it('by 8 workers at once moves each payment once, and the cursor and the head never go back', async () => {
    const ids = await create(40);
    for (let round = 0; round < 4; round += 1) {
      await payAll(ids.slice(round * 10, round * 10 + 10));
      await shop.chain.mine('ethereum', 6, harness.ctx.now());
      const [before] = await run(harness.ctx.db, cursorRow, []);
      await Promise.all(Array.from({ length: 8 }, sync));
      const [after] = await run(harness.ctx.db, cursorRow, []);
      expect(Number(after?.cursor)).to.be.greaterThan(Number(before?.cursor));
      expect(Number(after?.head)).to.be.greaterThan(Number(before?.head));
    }
    await shop.mine(CONFIRMATIONS);
    for (const id of ids)
      expect(await shop.story(id)).to.deep.equal([
        'created WAITING',
        'pending PENDING',
        'processing PROCESSING',
        'settled SETTLED',
      ]);
  });

  it('asks for another sync when another worker was faster', async () => {
    const [id = ''] = await create(1);
    await payAll([id]);
    const held = await harness.ctx.db.transaction();
    await held.raw(`SELECT FROM chain_cursors WHERE chain = 'ethereum' FOR UPDATE`);
    const both = Promise.all([sync(), sync()]);
    await untilWaitingForLocks(harness.ctx.db, 2);
    await held.commit();
    expect(await both).to.have.members([true, false]);
    expect(await sync()).to.equal(false);
  });

  it('reads more than a page, and confirms nothing until the last page', async () => {
    const ids = await create(600);
    await payAll(ids);
    await shop.chain.mine('ethereum', CONFIRMATIONS, harness.ctx.now());
    expect(await sync()).to.equal(true);
    expect(await statuses(ids)).to.deep.equal(new Set(['PENDING', 'WAITING']));
    expect(await sync()).to.equal(false);
    expect(await statuses(ids)).to.deep.equal(new Set(['PROCESSING']));
    await harness.work();
    expect(await statuses(ids)).to.deep.equal(new Set(['SETTLED']));
  });

  it('confirms thousands in several transactions, and reports that there is more', async () => {
    const ids = await create(1_100);
    await payAll(ids);
    await shop.chain.mine('ethereum', 1, harness.ctx.now());
    while (await sync());
    expect(await statuses(ids)).to.deep.equal(new Set(['PENDING']));
    // No transfer changes any more; only the head, which confirms all of them.
    await shop.chain.mine('ethereum', CONFIRMATIONS - 1, harness.ctx.now());
    expect(await sync()).to.equal(true);
    expect(await statuses(ids)).to.deep.equal(new Set(['PENDING', 'PROCESSING']));
    expect(await sync()).to.equal(false);
    expect(await statuses(ids)).to.deep.equal(new Set(['PROCESSING']));
  });

  it('sees a transfer that committed late, after others that came later were seen', async () => {
    const [late = '', early = ''] = await create(2);
    const held = await harness.ctx.db.transaction();
    await shop.chain.send(
      held,
      [
        {
          network: 'ethereum',
          coin: 'USDC',
          amount: '10.50',
          address: shop.chain.derive('ethereum', { id: late }),
        },
      ],
      harness.ctx.now(),
    );
    await payAll([early]);
    await sync();
    expect([(await shop.payment(late)).status, (await shop.payment(early)).status]).to.deep.equal([
      'WAITING',
      'PENDING',
    ]);
    await held.commit();
    await sync();
    expect((await shop.payment(late)).status).to.equal('PENDING');
  });

  it('that fails for all is repeated as a whole', async () => {
    const ids = await create(5);
    await payAll(ids);
    await harness.ctx.db.raw(`ALTER TABLE transfers ADD CONSTRAINT test_fault CHECK (payment_id = '')`);
    const failure = await sync().then(
      () => 'no error',
      (error: Error) => error.message,
    );
    expect(failure).to.include('test_fault');
    expect(await statuses(ids)).to.deep.equal(new Set(['WAITING']));
    await harness.ctx.db.raw('ALTER TABLE transfers DROP CONSTRAINT test_fault');
    await sync();
    expect(await statuses(ids)).to.deep.equal(new Set(['PENDING']));
  });

  it('by its handler is rescheduled for the next block, in a minute where nothing waits for one, and at once when a sync was scheduled meanwhile', async () => {
    const handler = paymentHandlers(harness.adapters).find(({ job }) => job === syncChain);
    const { db, now } = harness.ctx;
    harness.advance(60);
    await payAll(await create(1));
    const leased = await leaseAll(db, now(), addSeconds(now(), 30), new Set([syncChain.name]));
    expect(leased).to.have.length(NETWORK_IDS.length);
    // A transfer that was sent after the handler polled, and before it reschedules itself.
    await schedule(db, [{ job: syncChain, key: 'tron', runAt: now(), testClock: null }]);
    await handler?.handle(harness.ctx, ['ethereum', 'tron', 'solana']);
    const syncs = await run(db, nextSyncs, []);
    const secondsOf = new Map(
      syncs.map(({ key, run_at }) => [key, (run_at.getTime() - now().getTime()) / 1000]),
    );
    expect(secondsOf.get('ethereum')).to.equal(5);
    expect(secondsOf.get('solana')).to.equal(60);
    expect(secondsOf.get('tron')).to.equal(0);
  });
});
