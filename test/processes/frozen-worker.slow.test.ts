import { expect } from 'chai';
import { limitsBelow } from '../../src/platform/postgres/session.ts';
import { WORKER_DB } from '../../src/processes/setup/context.ts';
import { until } from '../support/until.ts';
import { endAll } from './service.ts';
import { createStand, type Stand } from './stand.ts';
import { timed } from '../support/loop-clock.ts';

/** docs/operations.md, "Time limits": what a worker that stops holds is free after this long. */
const FREE_AFTER_MS = limitsBelow(WORKER_DB.queryMs).idleInTransactionMs;
/** For Postgres to end the connection, on a machine with other work. */
const TOLERANCE_MS = 3_000;

describe('a worker that is frozen in the middle of a transaction', function () {
  this.timeout(90_000);
  let stand: Stand;
  before(async () => {
    stand = await createStand();
  });
  afterEach(endAll);
  after(() => stand.close());

  const isLocked = async () =>
    (
      await stand.rows<{ locked: boolean }>(
        `SELECT NOT EXISTS (
           SELECT FROM chain_cursors WHERE chain = 'ethereum' FOR UPDATE SKIP LOCKED) AS locked`,
      )
    )[0]?.locked;
  const create = async (web: Awaited<ReturnType<Stand['startWeb']>>) => {
    const body = { pay_amount: '10.50', order_id: 'frozen' };
    const created = await web.api('POST', '/v1/payment', body);
    expect(created.status).to.equal(201);
    return ((await created.json()) as { id: string }).id;
  };
  const isSettled = async (id: string) =>
    (await stand.rows<{ status: string }>('SELECT status FROM payments WHERE id = ?', [id]))[0]?.status ===
    'SETTLED';

  it('frees the chain cursor and its locks within the stated time, and another worker goes on', async () => {
    const [web, worker] = await Promise.all([stand.startWeb(), stand.startWorker()]);
    const first = await create(web);
    await until('the first payment is settled', () => isSettled(first));
    // The worker advances the chain's cursor and then waits here for the payments that it locks.
    const held = await stand.db.transaction();
    await held.raw('LOCK TABLE transfers IN SHARE MODE');
    const second = await create(web);
    await until('the worker holds the cursor', async () => (await isLocked()) === true);
    worker.signal('SIGSTOP');
    await held.rollback();
    const { result: other, ms } = await timed(async () => {
      const started = await stand.startWorker();
      await until('the cursor is free', async () => (await isLocked()) === false);
      return started;
    });
    expect(ms).to.be.lessThan(FREE_AFTER_MS + TOLERANCE_MS);
    await until('the second payment is settled', () => isSettled(second));
    expect(other.isOver()).to.equal(false);
    // What it was in the middle of is rolled back; awake again, it goes on.
    worker.signal('SIGCONT');
    const third = await create(web);
    await until('the third payment is settled', () => isSettled(third));
    expect(worker.isOver()).to.equal(false);
  });
});
