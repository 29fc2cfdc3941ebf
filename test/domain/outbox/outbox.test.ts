import { expect } from 'chai';
import { recordEvents, type EventRecord } from '../../../src/domain/outbox/outbox.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { statementsOf } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const stored = sql<EventRecord & { body: string }>('test_stored', 'SELECT * FROM events ORDER BY id');
const due = sql<{ key: string }>(
  'test_fan_outs',
  `SELECT key FROM scheduled_jobs WHERE job = 'event.fan-out' ORDER BY key`,
);

describe('recording events', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const event = (id: string, sequence = 1, paymentId = id): EventRecord => ({
    id: `evt_${id}`,
    paymentId: `pay_${paymentId}`,
    merchantId: harness.merchant.id,
    sequence,
    type: 'checkout.created',
    callbackUrl: null,
    body: `{"né":"☂\\u0000 ${id}","spaces":  1}`,
    createdAt: harness.ctx.now(),
    testClock: null,
  });
  const record = (events: readonly EventRecord[]) =>
    harness.ctx.db.transaction((tx) => recordEvents(tx, events));

  it("stores the bytes unchanged and schedules the dispatch of each, in the caller's transaction", async () => {
    const events = ['a', 'b', 'c'].map((id) => event(id));
    const sent = await statementsOf(() => record(events));
    expect(sent).to.deep.equal(['BEGIN;', 'record_events', 'COMMIT;']);
    expect((await run(harness.ctx.db, stored, [])).map(({ body }) => body)).to.deep.equal(
      events.map(({ body }) => body),
    );
    expect((await run(harness.ctx.db, due, [])).map(({ key }) => key)).to.deep.equal([
      'evt_a',
      'evt_b',
      'evt_c',
    ]);
  });

  it('of an empty set runs no statement', async () => {
    expect(await statementsOf(() => record([]))).to.deep.equal(['BEGIN;', 'COMMIT;']);
  });

  it('rejects a second event with the same sequence of a payment, and the whole set with it', async () => {
    await record([event('a')]);
    const failure = record([event('x'), event('y', 1, 'a')]);
    expect(await failure.catch((error: Error & { code?: string }) => error.code)).to.equal('23505');
    expect(await run(harness.ctx.db, stored, [])).to.have.length(1);
    expect(await run(harness.ctx.db, due, [])).to.have.length(1);
  });
});
