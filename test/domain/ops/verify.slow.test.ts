import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../src/domain/chain/simulator/market.ts';
import { INVARIANTS, OTHERS, verify } from '../../../src/domain/ops/verify/verify.ts';
import { recordAction } from '../../../src/domain/audit/record.ts';
import type { Offender } from '../../../src/domain/ops/verify/invariant.ts';
import { reportText, type Report } from '../../../src/domain/ops/verify/report.ts';
import { sweepEvents } from '../../../src/domain/events/sweep.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/endpoints/settings.ts';
import { selectMethodAt } from '../../support/select-method.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { buyByLink, createLink } from '../../support/links.ts';
import { addWallet } from '../../support/wallets.ts';
import { poisonShop } from '../../support/poison.ts';
import { openRealNetwork } from '../../support/real-network.ts';
import { openShop, type Shop } from '../../support/shop.ts';

const DAY_SECONDS = 86_400;

describe('verify', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'shop@example.com' });
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  const sql = (text: string) => harness.ctx.db.raw(text);
  const check = (options: { since?: Date; pagePayments?: number } = {}) =>
    verify(harness.ctx, { since: null, ...options });
  const found = (reports: readonly Report[], counts = (_one: Offender) => true) => {
    const all = reports.flatMap(({ invariants }) => invariants);
    const idsOfName = (name: string) =>
      new Set(
        all
          .filter((one) => one.name === name)
          .flatMap(({ examples }) => examples.filter(counts).map(({ id }) => id)),
      );
    const names = [...new Set(all.map(({ name }) => name))];
    return Object.fromEntries(
      names
        .map((name) => [name, [...idsOfName(name)].toSorted()] as const)
        .filter(([, ids]) => ids.length > 0),
    );
  };
  // Rows of payments that are gone are nobody's.
  const isSomebodys = ({ detail }: Offender) => !/^payment pay_\S+ does not exist/.test(detail);
  /** The names of what is broken, with the ids of the offenders: the same where each merchant is checked. */
  const broken = async () => {
    const whole = await check();
    const own: Report[] = [];
    for (const merchantId of await harness.ctx.db('merchants').pluck<string[]>('id'))
      own.push(await verify(harness.ctx, { since: null, merchantId }));
    expect(found(own), 'by merchant').to.deep.equal(found([whole], isSomebodys));
    return found([whole]);
  };
  const sync = () => syncNetwork(harness.ctx, harness.adapters, 'ethereum');
  const settled = async (body = {}) => {
    const id = await shop.create(body);
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    return id;
  };
  const processing = async () => {
    const id = await shop.create();
    await shop.pay(id);
    await sync();
    await shop.chain.mine('ethereum', 12, harness.ctx.now());
    await sync();
    return id;
  };
  const refunded = async () => {
    const id = await settled();
    await shop.refund(id, { amount: '1' });
    await harness.work();
    return id;
  };
  const underpaid = async () => {
    const id = await shop.create();
    await shop.pay(id, { amount: '1' });
    await sync();
    return id;
  };
  /** The network reports a transfer that cannot be applied at first. */
  const quarantine = async (id: string) => {
    const { ctx, poison, repair, countQuarantined } = poisonShop(harness);
    await poison([id]);
    await shop.pay(id);
    await syncNetwork(ctx, harness.adapters, 'ethereum');
    expect(await countQuarantined(id)).to.equal(1);
    await repair();
  };
  const twoEntries = async () => {
    const entry = { kind: 'command', actor: 'a', address: null, command: 'drain', details: {} } as const;
    for (const at of [harness.ctx.now(), harness.ctx.now()])
      await recordAction(harness.ctx.db, { at, merchantId: harness.merchant.id, ...entry });
    return '';
  };
  const receives = () =>
    setWebhookConfig(
      harness.ctx.db,
      harness.merchant.id,
      { webhookUrl: 'http://127.0.0.1:9/', enabled: true },
      harness.ctx.now(),
    );

  /**
   * For each fault: the invariant that must name it, what is prepared, and the statement that breaks it (ID
   * is the payment's). Others may name it as well.
   */
  const FAULTS: readonly (readonly [
    invariant: string,
    fault: string,
    prepare: () => Promise<string>,
    statement: string,
    offender?: string,
  ])[] = [
    ['received', 'a credit is changed', settled, `UPDATE transfers SET credit = credit - 1`],
    ['received', 'a transfer is deleted', settled, `DELETE FROM transfers`],
    ['received', 'a sum is changed', underpaid, `UPDATE payments SET amount_received = 2`],
    ['refunded', 'a refund is deleted', refunded, `DELETE FROM refunds`],
    ['refunded', 'more goes back than came', refunded, `UPDATE refunds SET amount = '11'`],
    ['refunded', 'nothing was refunded', settled, `UPDATE payments SET status = 'REFUNDED'`],
    ['settled', 'nothing was paid', settled, `UPDATE payments SET actually_paid = '0'`],
    [
      'settled',
      'it is refunded, and not said when it was settled',
      refunded,
      `UPDATE payments SET status = 'REFUNDED', actually_paid_currency = NULL`,
    ],
    ['conversions', 'coins are committed twice', settled, `UPDATE conversions SET amount = amount / 2`],
    ['conversions', 'a conversion is deleted', settled, `DELETE FROM conversions`],
    ['conversions', 'a refused conversion keeps coins', settled, `UPDATE conversions SET status = 'REFUSED'`],
    [
      'sales',
      'one has ended, and nobody knows what with',
      settled,
      `INSERT INTO sales (payment_id, number, merchant_id, status, created_at)
       SELECT c.payment_id, c.number, p.merchant_id, 'ENDED', c.created_at
       FROM conversions c JOIN payments p ON p.id = c.payment_id`,
    ],
    ['ledger', 'an entry is deleted', settled, `DELETE FROM ledger_entries WHERE kind = 'settled'`],
    ['ledger', 'an entry is changed', settled, `UPDATE ledger_entries SET amount = amount + 0.000001`],
    ['ledger', 'a refund is not posted', refunded, `DELETE FROM ledger_entries WHERE kind = 'refunded'`],
    [
      'ledger',
      'the coin is another',
      settled,
      `UPDATE ledger_entries SET coin = 'DAI' WHERE kind = 'received'`,
    ],
    [
      'balances',
      'the merchant sent more than was settled',
      refunded,
      `DELETE FROM ledger_entries WHERE kind = 'settled'`,
    ],
    [
      'balances',
      'more was converted than was held',
      settled,
      `DELETE FROM ledger_entries WHERE kind = 'received'`,
    ],
    [
      'balances',
      'a kind joins other accounts',
      settled,
      `UPDATE ledger_entries SET to_account = 'merchant' WHERE kind = 'converted'`,
    ],
    ['sums', 'an exception is lost', underpaid, `UPDATE payments SET exceptions = '{}'`],
    ['sums', 'an exception has no reason', settled, `UPDATE payments SET exceptions = '{overpaid}'`],
    ['sums', 'it is not fully funded', underpaid, `UPDATE payments SET fully_funded = true`],
    [
      'sums',
      'confirmed money is not converted',
      settled,
      `UPDATE transfers SET conversion = NULL, converted = 0`,
    ],
    [
      'sums',
      'the excess is owed',
      async () => {
        const id = await shop.create();
        await shop.pay(id, { amount: '20' });
        await shop.mine(12);
        return id;
      },
      `UPDATE payments SET policy = policy || '{"overpaid": "refund_excess"}';
       UPDATE transfers SET converted = 10.5`,
    ],
    ['sequences', 'the first event is deleted', settled, `DELETE FROM events WHERE sequence = 1`],
    ['sequences', 'there is a gap', settled, `DELETE FROM events WHERE sequence = 2`],
    ['sequences', 'the last event is deleted', settled, `DELETE FROM events WHERE sequence = 4`],
    ['sequences', 'there is no event', settled, `DELETE FROM events`],
    ['transitions', 'the status is written by hand', settled, `UPDATE payments SET status = 'FAILED'`],
    [
      'transitions',
      'a step is not of the table',
      settled,
      `UPDATE events SET body = replace(body, '"PROCESSING"', '"EXPIRED"') WHERE sequence = 3`,
    ],
    [
      'transitions',
      'an event is of another type',
      settled,
      `UPDATE events SET type = 'checkout.failed' WHERE sequence = 2`,
    ],
    [
      'transitions',
      'a payment begins with another status',
      settled,
      `UPDATE events SET body = replace(body, '"WAITING"', '"PENDING"') WHERE sequence = 1`,
    ],
    ['transitions', 'a body is cut', settled, `UPDATE events SET body = '{' WHERE sequence = 2`],
    [
      'events',
      'a body is that of another event',
      settled,
      `UPDATE events SET body = (SELECT body FROM events WHERE sequence = 1) WHERE sequence = 2`,
      `SELECT id FROM events WHERE sequence = 2`,
    ],
    [
      'events',
      "an event is another merchant's",
      settled,
      `UPDATE events SET merchant_id = 'mer_other' WHERE sequence = 2`,
      `SELECT id FROM events WHERE sequence = 2`,
    ],
    [
      'events',
      'the feed has a later one first',
      settled,
      `UPDATE events SET txid = '3' WHERE sequence = 3`,
      `SELECT id FROM events WHERE sequence = 3`,
    ],
    [
      'events',
      'its payment does not exist',
      settled,
      `UPDATE events SET payment_id = 'pay_Z' WHERE sequence = 4`,
      `SELECT id FROM events WHERE sequence = 4`,
    ],
    [
      'deliveries',
      'a delivery is deleted',
      settled,
      `DELETE FROM deliveries WHERE sequence = 2`,
      `SELECT id FROM events WHERE sequence = 2`,
    ],
    [
      'deliveries',
      'an event is never dispatched',
      () => shop.create(),
      `DELETE FROM scheduled_jobs WHERE job = 'event.fan-out'`,
      `SELECT id FROM events`,
    ],
    [
      'pending deliveries',
      'the job of the endpoint is deleted',
      async () => {
        await receives();
        return settled();
      },
      `DELETE FROM scheduled_jobs WHERE job = 'webhook.deliver'`,
      `SELECT id FROM deliveries WHERE status = 'pending'`,
    ],
    [
      'pending deliveries',
      'the event of one is deleted',
      async () => {
        await receives();
        return settled();
      },
      `DELETE FROM events WHERE sequence = 4`,
      `SELECT id FROM deliveries WHERE sequence = 4`,
    ],
    [
      'due work',
      'an expiry is missing',
      () => shop.create(),
      `DELETE FROM scheduled_jobs WHERE job = 'payment.expire'`,
    ],
    [
      'due work',
      'a requote is missing',
      async () => {
        const id = await shop.create();
        await selectMethodAt(harness, id, 'BTC', SIMULATED_RATES);
        return id;
      },
      `DELETE FROM scheduled_jobs WHERE job = 'payment.requote'`,
    ],
    [
      'due work',
      'transfers that are quarantined are never applied',
      async () => {
        const id = await shop.create();
        await quarantine(id);
        return id;
      },
      `DELETE FROM scheduled_jobs WHERE job = 'payment.apply-transfers'`,
    ],
    [
      'due work',
      'a settlement is missing',
      processing,
      `DELETE FROM scheduled_jobs WHERE job = 'payment.settle'`,
    ],
    [
      'due work',
      'a conversion has no outcome and no job',
      settled,
      `UPDATE conversions SET status = 'PENDING', finished_at = NULL`,
    ],
    [
      'due work',
      'a refund is never sent',
      async () => {
        const id = await settled();
        await shop.refund(id, { amount: '1' });
        return id;
      },
      `DELETE FROM scheduled_jobs WHERE job = 'refund.send'`,
    ],
    [
      'due work',
      'nobody looks at the network',
      async () => {
        const id = await shop.create();
        await shop.pay(id);
        await sync();
        return id;
      },
      `DELETE FROM scheduled_jobs WHERE job = 'chain.observe'`,
    ],
    [
      'due work',
      'a receipt is never sent',
      () => settled({ customer_email: 'ann@customer.example' }),
      `DELETE FROM scheduled_jobs WHERE job = 'receipt.send'`,
    ],
    [
      'due work',
      'a customer is never asked for an address',
      async () => {
        const id = await shop.create({ customer_email: 'ann@customer.example' });
        await shop.pay(id, { amount: '4' });
        await harness.work();
        harness.advance(3_601);
        await harness.work();
        return id;
      },
      `DELETE FROM scheduled_jobs WHERE job = 'address-request.send'`,
    ],
    [
      'due work',
      'a customer is never told of an address',
      () => settled({ customer_email: 'ann@customer.example' }),
      `INSERT INTO refund_addresses (payment_id, network, address, given_at)
       SELECT id, 'ethereum', '0x1', now() FROM payments`,
    ],
    [
      'scheduled jobs',
      'a job is never due',
      () => shop.create(),
      `UPDATE scheduled_jobs SET visible_at = 'infinity' WHERE job = 'payment.expire'`,
      `SELECT 'payment.expire ' || id AS id FROM payments`,
    ],
    [
      'scheduled jobs',
      'a job waits for a merchant that is gone',
      () => shop.create(),
      `UPDATE scheduled_jobs SET visible_at = 'infinity', turn_since = now(), turn_of = 'mer_gone'
       WHERE job = 'event.fan-out'`,
      `SELECT 'event.fan-out ' || id AS id FROM events`,
    ],
    [
      'scheduled jobs',
      'a test clock is gone',
      () => shop.create(),
      `UPDATE scheduled_jobs SET test_clock = 'pay_gone' WHERE job = 'payment.expire'`,
      `SELECT 'payment.expire ' || id AS id FROM payments`,
    ],
    [
      'idempotency keys',
      'a payment that was promised is gone',
      async () => {
        await harness
          .api('post', '/v1/payment')
          .set('Idempotency-Key', 'one')
          .send({ pay_amount: '10', order_id: 'a' })
          .expect(201);
        return '';
      },
      `UPDATE idempotency_keys SET body = regexp_replace(body, 'pay_.', 'pay_7')`,
      `SELECT concat_ws(' ', merchant_id, 'POST', '/v1/payment', 'one') AS id FROM idempotency_keys`,
    ],
    [
      'idempotency keys',
      'a reply is lost',
      async () => {
        await harness
          .api('post', '/v1/payment')
          .set('Idempotency-Key', 'one')
          .send({ pay_amount: '10', order_id: 'a' })
          .expect(201);
        return '';
      },
      `UPDATE idempotency_keys SET body = NULL, status = NULL`,
      `SELECT concat_ws(' ', merchant_id, 'POST', '/v1/payment', 'one') AS id FROM idempotency_keys`,
    ],
    [
      'payment links',
      'a link counts more than its payments hold',
      async () => {
        const link = await createLink(harness, { stock: 3 });
        await buyByLink(harness, link);
        return link.id;
      },
      `UPDATE payment_links SET taken = taken + 1`,
    ],
    [
      'wallets',
      'somebody has changed where the money goes',
      async () => (await addWallet(harness.ctx, harness.merchant.id)).id,
      `UPDATE wallets SET public_data = reverse(public_data)`,
    ],
    ...(
      [
        [
          'audit log',
          'what somebody did is rewritten',
          `UPDATE operator_actions SET actor = 'b' WHERE number = 2`,
          2,
        ],
        ['audit log', 'an entry is taken out', `DELETE FROM operator_actions WHERE number = 1`, 2],
        [
          'audit heads',
          'the latest entry is taken out',
          `DELETE FROM operator_actions WHERE number = 2`,
          null,
        ],
      ] as const
    ).map(([name, fault, statement, number]) => {
      const key = number === null ? '' : ` || ' ${number}'`;
      return [
        name,
        fault,
        twoEntries,
        `ALTER TABLE operator_actions DISABLE TRIGGER append_only; ${statement}`,
        `SELECT merchant_id${key} AS id FROM audit_heads`,
      ] as const;
    }),
    [
      'audit log',
      'its head is deleted',
      twoEntries,
      `DELETE FROM audit_heads`,
      `SELECT merchant_id || ' 1' AS id FROM operator_actions WHERE number = 1`,
    ],
    [
      'addresses',
      'a payment shows the address of somebody else',
      () => openRealNetwork(harness, shop).create(),
      `UPDATE quotes SET address = '0x${'ab'.repeat(20)}'`,
    ],
    [
      'addresses',
      'a payment has another index of its wallet',
      () => openRealNetwork(harness, shop).create(),
      `UPDATE payments SET deposit_index = deposit_index + 1`,
    ],
  ];

  for (const [invariant, fault, prepare, statement, offender] of FAULTS)
    it(`${invariant}: names the offender when ${fault}`, async () => {
      const id = await prepare();
      expect(await broken(), 'before').to.deep.equal({});
      await sql(statement.replaceAll('?', '\\?'));
      const ids = offender === undefined ? [id] : await idsOf(offender);
      expect(ids).to.have.lengthOf.at.least(1);
      expect((await broken())[invariant], 'after').to.include.members(ids);
    });

  const idsOf = async (text: string) => {
    const { rows } = (await sql(text)) as { rows: { id: string }[] };
    return rows.map(({ id }) => id);
  };

  it('has a fault for each of its invariants', () => {
    const names = [...INVARIANTS, ...OTHERS].map(({ name }) => name);
    expect(new Set(FAULTS.map(([name]) => name))).to.deep.equal(new Set(names));
    expect(new Set(names).size, 'names are unique').to.equal(names.length);
  });

  it('reads page by page, also the rows of payments that do not exist beyond the last', async () => {
    const ids = [];
    for (let i = 0; i < 7; i += 1) ids.push(await shop.create());
    await sql(`DELETE FROM scheduled_jobs WHERE job = 'payment.expire'`);
    for (const pagePayments of [1, 3, 7, 8]) {
      const { checked, invariants, ok } = await check({ pagePayments });
      expect(ok).to.equal(false);
      expect(checked).to.include({ payments: 7 });
      const dueWork = invariants.find(({ name }) => name === 'due work');
      expect(dueWork?.examples.map(({ id }) => id).sort()).to.deep.equal(ids.toSorted());
    }
  });

  it('counts all offenders, and names the first', async () => {
    const id = await shop.create();
    await sql(`
      INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object(
        'id', 'pay_01JH' || lpad(i::text, 22, '0'), 'token_id', 'old' || i))).*
      FROM payments p, generate_series(1, 30) AS i WHERE p.id = '${id}'`);
    const report = await check();
    const sequences = report.invariants.find(({ name }) => name === 'sequences');
    expect([sequences?.offenders, sequences?.examples.length]).to.deep.equal([30, 20]);
    const text = reportText(report);
    expect(text).to.match(/^BROKEN {2}/);
    expect(text).to.include('... and 10 more');
    expect(text).to.include('60 offenders: 31 payments');
  });

  it('reads only what was created since, where that is asked', async () => {
    await underpaid();
    await sql(`UPDATE payments SET exceptions = '{}'`);
    harness.advance(60);
    const since = harness.ctx.now();
    await shop.create();
    const { ok, checked } = await check({ since });
    expect([ok, checked]).to.deep.equal([true, { payments: 1 }]);
    expect((await check()).ok).to.equal(false);
  });

  it('counts parked jobs apart: they are no offenders', async () => {
    const id = await shop.create();
    await sql(`UPDATE scheduled_jobs SET failures = 30, visible_at = 'infinity', parked_at = now()
      WHERE key = '${id}'`);
    const report = await check();
    expect([report.ok, report.parked]).to.deep.equal([true, 1]);
    expect(reportText(report)).to.include('1 job parked');
  });

  it('misses nothing that retention has deleted, and still what it has not', async () => {
    const old = await settled();
    // The recurring sweep has marked this moment before the last events.
    harness.advance(1);
    await sweepEvents(harness.ctx);
    harness.advance(91 * DAY_SECONDS);
    const young = await settled();
    await sweepEvents(harness.ctx);
    expect(await idsOf(`SELECT id FROM events WHERE payment_id = '${old}'`)).to.deep.equal([]);
    expect(await broken()).to.deep.equal({});
    await sql(`DELETE FROM deliveries WHERE payment_id = '${old}'`);
    expect(await broken()).to.deep.equal({});
    await sql(`DELETE FROM events WHERE payment_id = '${young}' AND sequence = 1`);
    expect(await broken()).to.deep.equal({ sequences: [young] });
  });

  it('finds no fault while payments move beside it', async () => {
    await receives();
    const moving = (async () => {
      for (let i = 0; i < 6; i += 1) {
        const ids = [await shop.create({ customer_email: 'ann@customer.example' }), await shop.create()];
        for (const id of ids) await shop.pay(id);
        await shop.mine(12);
        await shop.refund(ids[0] ?? '', { amount: '1' });
      }
      return 'done' as const;
    })();
    let runs = 0;
    for (; (await Promise.race([moving, Promise.resolve('moving')])) === 'moving'; runs += 1)
      expect(await broken()).to.deep.equal({});
    expect(runs).to.be.at.least(5);
  });
});
