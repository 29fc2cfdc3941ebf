import { expect } from 'chai';
import { createHandlers } from '../../../../src/background/workers.ts';
import { dropFence, raiseNotes } from '../../../../src/domain/ops/move/fence.ts';
import { isOf } from '../../../../src/domain/ops/move/tables/table.ts';
import { MERCHANT_TABLES } from '../../../../src/domain/ops/move/tables/tables.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

/**
 * The tables that no merchant takes along, with the reason. Of people see MERCHANT_TABLES: whoever belongs to
 * a merchant.
 */
const CELL_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: 'what the database has been migrated to',
  merchant_moves: 'the moves themselves',
  merchant_copies: 'the same',
  copied_payments: 'the same',
  touched_payments: 'the same',
  processes: 'what runs in the cell',
  worker_beats: 'what runs in the cell',
  worker_drain: 'whether its workers rest',
  feed_epochs: 'names the order of the events of this database',
  event_marks: 'dates the transactions of this database',
  rates: 'read from the market by each cell',
  hourly_rates: 'read from the market by each cell',
  person_sessions: 'whoever is signed in signs in again where their merchant is now',
  sign_in_buckets: 'guesses that are left, of whoever guesses here',
  passkey_challenges: 'for minutes, of a page of this cell',
  password_links: 'for an hour, of a page of this cell',
  flushes: "transactions of the cell's own account, each of the money of several merchants",
  payout_intents: "what the cell's signer was asked to pay: no merchant moves before it is paid",
  payout_stops: 'the same',
  payouts: 'what its signer has signed',
  payout_accounts: 'what its signer pays from',
};

/** Tables with payments that are copied in the stop alone, with the reason. */
const LATE_TABLES: Readonly<Record<string, string>> = {
  link_holds: 'rows of minutes, of payments that are open',
};

/** Whose a job is, by what its key begins with (MERCHANT_TABLES, scheduled_jobs). */
const JOBS = {
  ofMerchants: [
    'address-request.send',
    'event.fan-out',
    'payment.apply-transfers',
    'payment.end-holds',
    'payment.expire',
    'payment.requote',
    'payment.sell',
    'payment.settle',
    'receipt.send',
    'refund-address.ask',
    'refund-address.tell',
    'refund.offer',
    'refund.send',
    'sandbox.autopay',
    'wallet.tell',
    'wallet.use',
    'webhook.deliver',
    'webhook.tell-switched-off',
  ],
  // Of a network, whose sync is the cell's but for that of a test clock; and of people, who sign in anywhere.
  ofCells: ['chain.observe', 'device.tell', 'passkey.cloned', 'password.mail'],
};

describe('the tables of a merchant that moves', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  it('are all tables of the database but those of the cell', async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { name: string }[] }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const known = [...MERCHANT_TABLES.map(({ name }) => name), ...Object.keys(CELL_TABLES)];
    expect(rows.map(({ name }) => name).filter((name) => !name.startsWith('bullmq'))).to.have.members(known);
    expect(new Set(known)).to.have.property('size', known.length);
  });

  it('stand behind those that they refer to', async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { child: string; parent: string }[] }>(
      `SELECT DISTINCT conrelid::regclass::text AS child, confrelid::regclass::text AS parent
       FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid`,
    );
    const place = (table: string) => MERCHANT_TABLES.findIndex(({ name }) => name === table);
    const early = rows.filter(({ child, parent }) => place(child) !== -1 && place(child) < place(parent));
    expect(early).to.deep.equal([]);
  });

  it('are noted, and copied again, by payment wherever they hang on one', async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { name: string }[] }>(
      `WITH RECURSIVE hanging AS (
         SELECT table_name::text AS name FROM information_schema.columns
         WHERE table_schema = current_schema() AND column_name IN ('payment_id', 'refund_id', 'delivery_id')
         UNION
         SELECT c.conrelid::regclass::text FROM pg_constraint c JOIN hanging h
           ON c.confrelid = to_regclass(h.name) OR c.confrelid = 'payments'::regclass
         WHERE c.contype = 'f'
       ) SELECT DISTINCT name FROM hanging WHERE NOT EXISTS (
         SELECT FROM pg_inherits WHERE inhrelid = to_regclass(name))`,
    );
    const theirs = MERCHANT_TABLES.filter(({ hangs }) => hangs !== undefined).map(({ name }) => name);
    const hanging = rows
      .map(({ name }) => name)
      .filter((name) => (CELL_TABLES[name] ?? LATE_TABLES[name]) === undefined);
    expect(theirs).to.have.members([...hanging, 'payments', 'sim_transfers']);
    await raiseNotes(harness.ctx.db, harness.merchant.id, () => Promise.resolve());
    const { rows: noted } = await harness.ctx.db.raw<{ rows: { name: string; events: number }[] }>(
      // pg_trigger.h: 4 is INSERT, 8 DELETE, 16 UPDATE.
      `SELECT tgrelid::regclass::text AS name, bit_or(tgtype::int) & 28 AS events FROM pg_trigger
       WHERE tgname LIKE 'moving %' AND tgparentid = 0 GROUP BY 1`,
    );
    await dropFence(harness.ctx.db, harness.merchant.id);
    // The terms follow from their payment.
    const written = theirs.filter((name) => name !== 'payment_terms').map((name) => ({ name, events: 28 }));
    expect(noted).to.have.deep.members(written);
  });

  it('are asked for a merchant by a condition that each of them takes', async () => {
    for (const table of MERCHANT_TABLES)
      await harness.ctx.db.raw(
        `SELECT count(*) FROM ${table.name} t WHERE ${isOf(table, `'${harness.merchant.id}'`)}`,
      );
  });

  it('leave out every column that the database numbers by itself', async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { table: string; column: string }[] }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = current_schema()
         AND (is_identity = 'YES' OR column_default LIKE 'nextval%' OR data_type = 'xid8')`,
    );
    const copied = rows.filter(({ table, column }) => {
      const known = MERCHANT_TABLES.find(({ name }) => name === table);
      return known !== undefined && known.assigned?.includes(column) !== true;
    });
    expect(copied).to.deep.equal([]);
  });

  it('hold the jobs of merchants: each kind of job is known to be theirs, or the cell’s', () => {
    const once = [...createHandlers(harness.adapters).values()].filter(
      ({ job }) => job.everySeconds === null,
    );
    expect(once.map(({ job }) => job.name)).to.have.members([...JOBS.ofMerchants, ...JOBS.ofCells]);
  });
});
