import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import knex from 'knex';
import type { Pool, PoolClient } from 'pg';
import {
  handleOnce,
  HANDLED_EVENTS_TABLE,
  type EventStore,
  type HandleOnceOptions,
  type WebhookEvent,
} from '../../src/sdk/index.ts';
import { openPool } from '../support/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const CHILD = fileURLToPath(new URL('once-child.ts', import.meta.url));
/** More than a process has in which it can be killed, for one event and one missing event. */
const MOST_STEPS = 30;

/** The parts of an event that count here. */
const eventOf = (sequence: number, payment = 'pay_1') =>
  ({ id: `evt_${payment}_${sequence}`, sequence, data: { checkout: { id: payment } } }) as WebhookEvent;

describe('handleOnce', () => {
  let database: TestDatabase;
  let pool: Pool;
  let close: () => Promise<void>;
  beforeEach(async () => {
    database = await createTestDatabase();
    ({ pool, close } = openPool(database.url));
    await pool.query(HANDLED_EVENTS_TABLE);
    await pool.query('CREATE TABLE effects (place serial, event_id text NOT NULL)');
  });
  afterEach(async () => {
    await close();
    await database.drop();
  });

  const effects = async () => {
    const { rows } = await pool.query<{ event_id: string }>('SELECT event_id FROM effects ORDER BY place');
    return rows.map(({ event_id }) => event_id);
  };
  const work = (tx: PoolClient, { id }: WebhookEvent) =>
    tx.query('INSERT INTO effects (event_id) VALUES ($1)', [id]);
  const handle = (event: WebhookEvent, options?: HandleOnceOptions) => handleOnce(pool, event, work, options);

  it('handles an event and says so; its duplicates and older ones change nothing', async () => {
    expect(await handle(eventOf(1))).to.deep.equal(['evt_pay_1_1']);
    expect(await handle(eventOf(2))).to.deep.equal(['evt_pay_1_2']);
    expect(await handle(eventOf(2)), 'a duplicate').to.deep.equal([]);
    expect(await handle(eventOf(1)), 'an older one').to.deep.equal([]);
    expect(await handle(eventOf(1, 'pay_2')), 'of another payment').to.deep.equal(['evt_pay_2_1']);
    expect(await effects()).to.deep.equal(['evt_pay_1_1', 'evt_pay_1_2', 'evt_pay_2_1']);
  });

  it('has one effect of 20 deliveries at once, also of a payment that was never seen', async () => {
    const handled = await Promise.all(Array.from({ length: 20 }, () => handle(eventOf(1))));
    expect(handled.flat()).to.deep.equal(['evt_pay_1_1']);
    expect(await effects()).to.deep.equal(['evt_pay_1_1']);
  });

  it('fetches what is missing and handles it first, once, in order, whatever else was fetched', async () => {
    await handle(eventOf(1));
    const asked: unknown[] = [];
    const fetchMissing: HandleOnceOptions['fetchMissing'] = async (paymentId, between) => {
      asked.push([paymentId, between]);
      return [eventOf(3), eventOf(2), eventOf(2), eventOf(1), eventOf(4), eventOf(2, 'pay_2')];
    };
    expect(await handle(eventOf(4), { fetchMissing })).to.deep.equal([2, 3, 4].map((n) => `evt_pay_1_${n}`));
    expect(asked).to.deep.equal([['pay_1', { after: 1, before: 4 }]]);
    for (const late of [2, 3]) expect(await handle(eventOf(late), { fetchMissing })).to.deep.equal([]);
    expect(await effects()).to.deep.equal([1, 2, 3, 4].map((n) => `evt_pay_1_${n}`));
  });

  it('all events of a payment at once, in any order: each has its effect once, in order', async () => {
    const all = [1, 2, 3, 4, 5].map((sequence) => eventOf(sequence));
    const fetchMissing = () => Promise.resolve(all);
    await Promise.all([...all, ...all].toReversed().map((event) => handle(event, { fetchMissing })));
    expect(await effects()).to.deep.equal(all.map(({ id }) => id));
  });

  it('without a way to fetch, leaves the gap: what comes late is older than what was handled', async () => {
    expect(await handle(eventOf(3))).to.deep.equal(['evt_pay_1_3']);
    expect(await handle(eventOf(2))).to.deep.equal([]);
    expect(await effects()).to.deep.equal(['evt_pay_1_3']);
  });

  it('changes nothing when the work or the fetching fails, and the connection serves on', async () => {
    const failing = (at: number) => async (tx: PoolClient, event: WebhookEvent) => {
      await work(tx, event);
      if (event.sequence === at) throw new Error('out of stock');
    };
    const fetchMissing = () => Promise.resolve([eventOf(1)]);
    for (const at of [1, 2]) {
      const error = await handleOnce(pool, eventOf(2), failing(at), { fetchMissing }).catch(
        (e: unknown) => e,
      );
      expect(error).to.include({ message: 'out of stock' });
    }
    const unavailable = () => Promise.reject(new Error('503'));
    const error = await handle(eventOf(2), { fetchMissing: unavailable }).catch((e: unknown) => e);
    expect(error).to.include({ message: '503' });
    expect(await effects()).to.deep.equal([]);
    expect(pool.idleCount).to.equal(pool.totalCount);
    expect(await handle(eventOf(2), { fetchMissing })).to.have.length(2);
  });

  it('works with knex', async () => {
    const db = knex({ client: 'pg', connection: database.url });
    try {
      const insert = async (tx: typeof db, { id }: WebhookEvent) => {
        await tx('effects').insert({ event_id: id });
      };
      for (const sequence of [1, 1, 2]) await handleOnce(db, eventOf(sequence), insert);
      const failed = handleOnce(db, eventOf(3), () => Promise.reject(new Error('no')));
      expect(await failed.catch((error: unknown) => error)).to.include({ message: 'no' });
      expect(await effects()).to.deep.equal(['evt_pay_1_1', 'evt_pay_1_2']);
    } finally {
      await db.destroy();
    }
  });

  it('works with a store of one’s own', async () => {
    const last = new Map<string, number>();
    const store: EventStore<string[]> = {
      transaction: (use) => use([]),
      lock: (_, paymentId) => Promise.resolve({ sequence: last.get(paymentId) ?? 0 }),
      remember: async (_, { paymentId, sequence }) => void last.set(paymentId, sequence),
    };
    const seen: string[] = [];
    const note = async (_: string[], { id }: WebhookEvent) => void seen.push(id);
    for (const sequence of [1, 1, 2]) await handleOnce(store, eventOf(sequence), note);
    expect(seen).to.deep.equal(['evt_pay_1_1', 'evt_pay_1_2']);
  });

  it('rejects with a TypeError that names the argument, where it is none that can be meant', async () => {
    const thin = { id: 'evt_1', type: 'checkout.settled', link: 'https://pay.example/v1/events/evt_1' };
    const call = handleOnce as (...args: readonly unknown[]) => Promise<unknown>;
    for (const [args, message] of [
      [
        [undefined, eventOf(1), () => null],
        'db must be a pool of pg, a knex or an EventStore, not undefined',
      ],
      [[pool, thin, () => null], 'event must be a whole event: pass the event that verifyWebhook returned'],
      [
        [pool, undefined, () => null],
        'event must be a whole event: pass the event that verifyWebhook returned',
      ],
      [[pool, eventOf(1)], 'work must be a function of the transaction and the event, not undefined'],
    ] as const)
      expect(await call(...args).catch((error: unknown) => error))
        .to.be.instanceOf(TypeError)
        .with.property('message', message);
  });

  it('of a process that is killed at any step has each effect once, when the event is sent again', async function () {
    this.timeout(120_000);
    const event = eventOf(2);
    const expected = ['evt_pay_1_1', 'evt_pay_1_2'];
    const run = async (step: number) => {
      const env = {
        ...process.env,
        STEP: String(step),
        EVENT: JSON.stringify(event),
        MISSING: JSON.stringify([eventOf(1)]),
        DATABASE_URL: database.url,
      };
      const child = spawn(process.execPath, ['--import', 'tsx', CHILD], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      if (signal === null) expect(code).to.equal(0);
      return signal === 'SIGKILL';
    };
    let step = 0;
    let wasKilled: boolean;
    do {
      step += 1;
      await pool.query('TRUNCATE effects, handled_payment_events');
      wasKilled = await run(step);
      expect([[], expected], `killed at step ${step}`).to.deep.include(await effects());
      await handle(event, { fetchMissing: () => Promise.resolve([eventOf(1)]) });
      expect(await effects(), `sent again after step ${step}`).to.deep.equal(expected);
    } while (wasKilled && step < MOST_STEPS);
    // Before and after BEGIN, the lock's two statements, two effects, the mark, COMMIT; and after it all.
    expect(step).to.equal(2 * 7 + 1 + 1);
  });
});
