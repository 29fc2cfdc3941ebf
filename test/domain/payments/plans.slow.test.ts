import { expect } from 'chai';
import { createHandlers } from '../../../src/background/workers.ts';
import { expirePayments } from '../../../src/domain/payments/processing/expire.ts';
import { simulatedExchange } from '../../../src/domain/adapters.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { requestRefund } from '../../../src/domain/payments/refunds/request.ts';
import { setRefundAddress } from '../../../src/domain/payments/refunds/refund-address.ts';
import type { RefundBody } from '../../../src/domain/payments/refunds/schemas.ts';
import { readRefunds } from '../../../src/domain/payments/refunds/store.ts';
import { sendRefunds } from '../../../src/domain/payments/refunds/send.ts';
import { requotePayments } from '../../../src/domain/payments/processing/requote.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { readPayments } from '../../../src/domain/payments/lifecycle/store.ts';
import { pagesOfMerchant } from '../../../src/domain/ops/verify/pages/payments.ts';
import { INVARIANTS, OTHERS } from '../../../src/domain/ops/verify/verify.ts';
import { isolateJobs } from '../../../src/domain/sandbox/test-clock/isolate.ts';
import { deliverDue } from '../../../src/domain/webhooks/deliveries/deliver.ts';
import type { WebhookClient } from '../../../src/domain/webhooks/client/client.ts';
import { dispatchEvents } from '../../../src/domain/events/dispatch.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import type { Context } from '../../../src/platform/context.ts';
import { openDb, run, sql, type Db, type Tx } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { singleStatementsOf } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/**
 * Rows of every growing table. A statement that reads a share of them would later read a share of millions.
 */
const MANY = 20_000;
const BATCH = 100;
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TABLES = [
  'payments',
  'quotes',
  'transfers',
  'events',
  'deliveries',
  'delivery_attempts',
  'refunds',
  'refund_addresses',
  'conversions',
  'ledger_entries',
  'scheduled_jobs',
  'chain_cursors',
];

const idsOf = sql<{ id: string }>(
  'test_ids_of',
  'SELECT id FROM payments WHERE status = $1 ORDER BY id DESC LIMIT $2',
);

describe(`with ${MANY} payments, a batch of ${BATCH}`, () => {
  let harness: Harness;
  let shop: Shop;
  before(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    await harness.work();
    await setWebhookConfig(
      harness.ctx.db,
      harness.merchant.id,
      { webhookUrl: 'http://127.0.0.1:9/', enabled: true },
      harness.ctx.now(),
    );
    const id = await shop.create();
    await shop.pay(id);
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    // As many rows in one statement take longer than any of the service's own may.
    const url = harness.ctx.config.databaseUrl;
    const db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 60_000, name: 'fixture' });
    await multiply(db, id);
    await db.destroy();
  });
  after(() => harness.close());

  const ids = async (status: string, count = BATCH) =>
    (await run(harness.ctx.db, idsOf, [status, count])).map(({ id }) => id);
  /**
   * Asserts that no statement of `work` reads many more rows than it returns, whichever plan Postgres
   * chooses.
   */
  const expectNarrow = async (work: (ctx: Context) => Promise<unknown>) => {
    const plans = await explain(harness.ctx.db, (tx) => work({ ...harness.ctx, db: tx }));
    expect(plans.length).to.be.at.least(2);
    for (const plan of plans)
      for (const table of TABLES)
        expect(rowsRead(plan, table), `${table}: ${plan}`).to.be.at.most(BATCH * 10);
  };

  /** Sends the full amount to many payments, in one statement. */
  const payAll = (ctx: Context, waiting: readonly string[]) =>
    shop.chain.send(
      ctx.db,
      // The addresses that `multiply` created.
      waiting.map((id) => ({
        network: 'ethereum',
        coin: 'USDC',
        amount: '10.50',
        address: `0x${id.slice(-22)}`,
      })),
      ctx.now(),
    );
  const statuses = async (ctx: Context, some: readonly string[]) =>
    new Set((await readPayments(ctx.db, some)).map(({ status }) => status));
  const afterBlocks = (ctx: Context, blocks: number): Context => {
    const then = new Date(ctx.now().getTime() + blocks * 12_000);
    return { ...ctx, now: () => then };
  };

  it('expires by its keys', async () => {
    const waiting = await ids('WAITING');
    await expectNarrow((ctx) =>
      expirePayments({ ...ctx, now: () => new Date('2027-01-01') }, harness.adapters, waiting),
    );
  });

  it('requotes by its keys', async () => {
    const waiting = await ids('WAITING');
    await expectNarrow(async (ctx) => {
      await ctx.db('payments').whereIn('id', waiting).update({ amount_received: '0' });
      await ctx.db('quotes').whereIn('payment_id', waiting).update({ locked_until: ctx.now() });
      await requotePayments(ctx, harness.adapters, waiting);
      const [left] = await ctx
        .db('quotes')
        .whereIn('payment_id', waiting)
        .whereNotNull('locked_until')
        .count();
      expect(left).to.deep.equal({ count: '0' });
    });
  });

  it('is seen, confirmed, settled, refunded and dispatched by its keys', async () => {
    const waiting = await ids('WAITING');
    await expectNarrow(async (ctx) => {
      await payAll(ctx, waiting);
      await syncNetwork(ctx, harness.adapters, 'ethereum');
      const later = afterBlocks(ctx, 13);
      await syncNetwork(later, harness.adapters, 'ethereum');
      await settlePayments(later, { exchange: simulatedExchange }, waiting);
      expect(await statuses(ctx, waiting)).to.deep.equal(new Set(['SETTLED']));
      const events = (await run(ctx.db, eventsOf, [waiting])).map(({ id }) => id);
      await dispatchEvents(later, events.slice(0, BATCH));
      await deliverDue(later, unreachable, harness.merchant.id);
      const [without = '', ...refunded] = waiting.slice(0, 4);
      const refund = async (id: string, body: RefundBody) => {
        const answer = await requestRefund(later, harness.adapters, shop.caller, id, { body, claim: null });
        return JSON.parse(answer.text) as { id: string; status: string };
      };
      for (const id of refunded) {
        const accepted = await refund(id, { address: ADDRESS });
        await sendRefunds(later, harness.adapters, [accepted.id]);
      }
      const waits = await refund(without, {});
      expect(waits.status).to.equal('NEEDS_ADDRESS');
      const given = { network: 'ethereum', address: ADDRESS } as const;
      const [payment] = await readPayments(ctx.db, [without]);
      if (payment === undefined) throw new Error('the payment does not exist');
      await setRefundAddress(ctx.db as Tx, payment, given, later.now());
      await sendRefunds(later, harness.adapters, [waits.id]);
      await readRefunds(ctx.db, without);
      expect(await statuses(ctx, [without, ...refunded])).to.deep.equal(new Set(['REFUNDED']));
    });
  });

  it('moves the jobs of one payment to its test clock by its keys', async () => {
    const [id = ''] = await ids('WAITING', 1);
    const jobs = [...createHandlers({ ...harness.adapters, webhooks: unreachable }).keys()];
    await expectNarrow(async (ctx) => {
      await isolateJobs(ctx.db as Tx, id, { jobs, systemNow: ctx.systemNow() });
      expect(await ctx.db('scheduled_jobs').where({ test_clock: id }).pluck('job')).to.deep.equal([
        'payment.expire',
      ]);
    });
  });

  const kept = ({ config }: Context) => ({
    wholeFrom: '',
    deliveredFrom: '0',
    deliveredPayments: '',
    config,
  });
  for (const { name, find } of INVARIANTS)
    it(`is searched for ${name} page by page`, async () => {
      const page = (await ids('WAITING', 2 * BATCH)).slice(BATCH).toSorted();
      const [first = '', last = ''] = [page[0], page.at(-1)];
      const range = { after: first, until: last, ids: [], merchantId: null };
      await expectNarrow((ctx) => find(ctx.db as Tx, { ...range, ...kept(ctx) }));
    });

  for (const { name, find } of INVARIANTS)
    it(`is searched for ${name} by the payments of a merchant`, async () => {
      const own = {
        after: '',
        until: '',
        ids: await ids('WAITING', BATCH),
        merchantId: shop.caller.merchantId,
      };
      await expectNarrow((ctx) => find(ctx.db as Tx, { ...own, ...kept(ctx) }));
    });

  it('is found as a page of the payments of a merchant', async () => {
    const pages = pagesOfMerchant(shop.caller.merchantId, BATCH);
    await expectNarrow(async (ctx) => {
      const { next } = await pages.read(ctx.db as Tx, pages.first);
      expect((await pages.read(ctx.db as Tx, next ?? [])).ids).to.have.length(BATCH);
    });
  });

  for (const { name, read, first } of OTHERS)
    it(`is searched for ${name} page by page`, async () => {
      const middle = name === 'scheduled jobs' ? ['payment.expire', `pay_01KF${'0'.repeat(18)}5000`] : first;
      await expectNarrow((ctx) =>
        read(ctx.db as Tx, middle, BATCH, { merchantId: null, config: ctx.config }),
      );
      const { merchantId } = shop.caller;
      await expectNarrow((ctx) => read(ctx.db as Tx, middle, BATCH, { merchantId, config: ctx.config }));
    });

  it('needs the same few statements as one payment', async () => {
    const waiting = await ids('WAITING', BATCH + 1);
    const trips = async (batch: readonly string[]) => {
      const { ctx } = harness;
      await payAll(ctx, batch);
      const seen = await singleStatementsOf(() => syncNetwork(ctx, harness.adapters, 'ethereum'));
      harness.advance(12 * 13);
      const confirmed = await singleStatementsOf(() => syncNetwork(ctx, harness.adapters, 'ethereum'));
      const settled = await singleStatementsOf(() =>
        settlePayments(ctx, { exchange: simulatedExchange }, batch),
      );
      expect(await statuses(ctx, batch)).to.deep.equal(new Set(['SETTLED']));
      // Statements on the simulated chain's own tables are excluded: a real chain has a node instead.
      return [seen, confirmed, settled].map((sent) =>
        sent.filter((name) => !name.startsWith('sim_') && !/^[A-Z]/.test(name)),
      );
    };
    const [seen, confirmed, settled] = await trips(waiting.slice(0, BATCH));
    const move = ['lock_payments_to_move', 'apply_transitions', 'record_events'];
    const syncing = [
      'chain_cursor',
      'advance_chain_cursor',
      'owners_of_addresses',
      'confirmable_payments',
      'lock_payments',
      'transfers_of_payments',
      'payments_with_quarantined_transfers',
      'locked_quotes',
      'upsert_transfers',
      'confirm_transfers',
      'transfers_of_payments',
      'open_refunds',
    ];
    // What ends the hold of an unmined transfer is scheduled when it is seen, and cancelled when it is mined.
    expect(seen).to.deep.equal([...syncing, ...move, 'schedule_jobs']);
    expect(confirmed).to.deep.equal([
      ...syncing,
      'update_money',
      ...move,
      'insert_ledger_entries',
      'cancel_jobs',
    ]);
    expect(settled).to.deep.equal([
      'lock_payments',
      'payments_with_quarantined_transfers',
      'transfers_of_payments',
      'last_conversions',
      'insert_conversions',
      'pending_conversions',
      'finish_jobs',
      'lock_payments',
      'finish_conversions',
      'insert_ledger_entries',
      'pending_conversions',
      'transfers_of_payments',
      ...move,
    ]);
    const one = await trips(waiting.slice(BATCH));
    // One alone is locked, too: its update would wait for the row, and read other tables as they were before.
    expect(one).to.deep.equal([seen, confirmed, settled]);
  });
});

const eventsOf = sql<{ id: string }>(
  'test_events_of_payments',
  `SELECT id FROM events WHERE payment_id = ANY ($1) AND sequence > 1`,
);
/** Without a network: responses do not affect plans. */
const unreachable: WebhookClient = {
  post: () =>
    Promise.resolve({
      ok: false,
      statusCode: 500,
      errorClass: 'status',
      errorDetail: 'answered 500',
      remoteAddress: null,
      durationMs: 1,
      retryAfter: null,
      excerpt: null,
    }),
  close: () => Promise.resolve(),
};

/**
 * Copies the payment and its rows many times; the copied transfers are confirmed, the copied payments
 * WAITING.
 */
async function multiply(db: Db, id: string): Promise<void> {
  const copies = `generate_series(1, ${MANY}) AS i`;
  const suffix = `lpad(i::text, 22, '0')`;
  const copy = (table: string, changed: string, where: string) =>
    db.raw(
      `INSERT INTO ${table} OVERRIDING USER VALUE SELECT (jsonb_populate_record(r, jsonb_build_object(${changed}))).* FROM ${table} r, ${copies} WHERE ${where}`,
    );
  await copy(
    'payments',
    `'id', 'pay_01KF' || ${suffix}, 'token_id', 'copy' || i, 'status', 'WAITING', 'fully_funded', false`,
    `r.id = '${id}'`,
  );
  await copy(
    'quotes',
    `'payment_id', 'pay_01KF' || ${suffix}, 'address', '0x' || ${suffix}`,
    `r.payment_id = '${id}'`,
  );
  await copy(
    'transfers',
    `'payment_id', 'pay_01KF' || ${suffix}, 'tx_hash', 'copy' || i, 'block_height', 0, 'confirmed_at', now(), 'amount', '0.0001', 'credit', '0.0001'`,
    `r.payment_id = '${id}'`,
  );
  await copy(
    'events',
    `'id', 'evt_01KF' || ${suffix}, 'payment_id', 'pay_01KF' || ${suffix}`,
    `r.payment_id = '${id}' AND r.sequence = 1`,
  );
  await db.raw(
    `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status, created_at)
     SELECT 'dlv_01KF' || ${suffix}, 'evt_copy' || i, 'mer_1', 'pay_01KF' || ${suffix}, 'mer_1', 1, '', 'delivered', now() FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO delivery_attempts (delivery_id, number, url, started_at, duration_ms)
     SELECT 'dlv_01KF' || ${suffix}, 1, '', now(), 1 FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO refunds (id, payment_id, amount, currency, source, coin, network, coin_amount, status, created_at)
     SELECT 'ref_01KF' || ${suffix}, 'pay_01KF' || ${suffix}, '1', 'USDC', 'held', 'USDC', 'ethereum', '1',
       'COMPLETED', now() FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO refund_addresses (payment_id, network, address)
     SELECT 'pay_01KF' || ${suffix}, 'polygon', '0x' FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO conversions (payment_id, number, coin, network, amount, credit, status, created_at, finished_at)
     SELECT 'pay_01KF' || ${suffix}, 1, 'USDC', 'ethereum', 1, 1, 'CONVERTED', now(), now() FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO ledger_entries (payment_id, kind, from_account, to_account, coin, network, amount, created_at)
     SELECT 'pay_01KF' || ${suffix}, 'received', 'customer', 'held', 'USDC', 'ethereum', 1, now() FROM ${copies}`,
  );
  await db.raw(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at) SELECT 'payment.expire', 'pay_01KF' || ${suffix}, now(), now() FROM ${copies}`,
  );
  // Each isolated payment has its own cursors.
  await db.raw(
    `INSERT INTO chain_cursors (chain, cursor, head) SELECT 'ethereum/pay_01KF' || ${suffix}, '0', 0 FROM ${copies}`,
  );
  await db.raw('ANALYZE');
}
