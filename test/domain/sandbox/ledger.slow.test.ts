import { expect } from 'chai';
import type { LedgerEntry } from '../../../src/domain/payments/ledger/ledger.ts';
import { STATUSES } from '../../../src/domain/payments/lifecycle/states.ts';
import { readPayments } from '../../../src/domain/payments/lifecycle/store.ts';
import { plain } from '../../../src/platform/values/money.ts';
import { checkInvariants } from '../../support/invariants.ts';
import { postScenario } from '../../support/scenarios.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const transfer = (at: string, amount?: string, coin?: string) => ({
  at,
  do: 'transfer',
  ...(amount && { amount }),
  ...(coin && { coin }),
});
const refund = (at: string, amount?: string) => ({ at, do: 'refund', ...(amount && { amount }) });
const replace = (at: string, which?: number) => ({ at, do: 'replace', ...(which && { transfer: which }) });

/** A script for each way in which money can move, and its entries: `kind amount coin from>to`. */
const STORIES: readonly [what: string, script: object[], policy: object, entries: string[]][] = [
  ['nothing came', [], {}, []],
  ['paid', [transfer('1m')], {}, ['received 10 USDC customer>held', ...settled('10')]],
  [
    'paid in three coins',
    [transfer('1m', '4'), transfer('2m', '3', 'USDT'), transfer('3m', '3', 'DAI')],
    {},
    [
      'received 4 USDC customer>held',
      'received 3 USDT customer>held',
      'received 3 DAI customer>held',
      'converted 4 USDC held>converted',
      'settled 4 USDC converted>merchant',
      'converted 3 USDT held>converted',
      'settled 3 USDC converted>merchant',
      'converted 3 DAI held>converted',
      'settled 3 USDC converted>merchant',
    ],
  ],
  ['seen, and dropped before it confirmed: nothing is booked', [transfer('1m'), replace('2m')], {}, []],
  [
    'one of two dropped, the other refunded once the payment expired',
    [transfer('1m', '4'), transfer('1m', '6'), replace('2m', 1), refund('2h')],
    {},
    ['received 6 USDC customer>held', 'refunded 6 USDC held>customer'],
  ],
  [
    'expired, sent back',
    [transfer('1m', '4'), refund('2h')],
    {},
    ['received 4 USDC customer>held', 'refunded 4 USDC held>customer'],
  ],
  [
    'late, sent back by the policy',
    [transfer('61m')],
    { late: 'refund' },
    ['received 10 USDC customer>held', 'refunded 10 USDC held>customer'],
  ],
  [
    'too much, sent back by the policy',
    [transfer('1m', '12')],
    { overpaid: 'refund_excess' },
    ['received 12 USDC customer>held', ...settled('10'), 'refunded 2 USDC held>customer'],
  ],
  [
    'settled, more came, part of it went back, then all',
    [transfer('1m'), transfer('1h', '3'), refund('2h', '5'), refund('3h')],
    {},
    [
      'received 10 USDC customer>held',
      ...settled('10'),
      'received 3 USDC customer>held',
      ...settled('3'),
      'refunded 5 USDC merchant>customer',
      'refunded 8 USDC merchant>customer',
    ],
  ],
  [
    'settled, half of it dropped, the other half refunded: the loss stays visible',
    [transfer('1m', '4'), transfer('1m', '6'), replace('1h', 1), refund('2h')],
    {},
    [
      'received 10 USDC customer>held',
      ...settled('10'),
      'reversed 4 USDC held>customer',
      'refunded 6 USDC merchant>customer',
    ],
  ],
  [
    'conversion failed, sent back',
    [transfer('1m'), { at: '1m', do: 'fail_conversion' }, refund('1h')],
    {},
    ['received 10 USDC customer>held', 'refunded 10 USDC held>customer'],
  ],
  [
    'reorganised',
    [transfer('1m'), { at: '2m', do: 'reorg', depth: 6 }],
    {},
    ['received 10 USDC customer>held', ...settled('10')],
  ],
];

function settled(amount: string): string[] {
  return [`converted ${amount} USDC held>converted`, `settled ${amount} USDC converted>merchant`];
}

describe('the ledger of a payment', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(async () => {
    await checkInvariants(harness.ctx.db);
    await harness.close();
  });

  const entriesOf = (id: string) =>
    harness.ctx.db<LedgerEntry>('ledger_entries').where({ payment_id: id }).orderBy('id');
  for (const [what, script, policy, expected] of STORIES)
    it(what, async () => {
      const { report } = await postScenario(harness, { payment: { pay_amount: '10', policy }, script });
      const entries = await entriesOf(report.payment.id);
      expect(
        entries.map(
          ({ kind, amount, coin, from_account, to_account }) =>
            `${kind} ${plain(amount)} ${coin} ${from_account}>${to_account}`,
        ),
      ).to.deep.equal(expected);
    });

  it('balances and agrees with the payment after each step of a script that visits every status', async () => {
    const seen = new Set<string>();
    for (const script of [
      [transfer('1m'), refund('1h')],
      [transfer('1m', '4'), transfer('90m')],
      [transfer('1m'), replace('100s')],
    ]) {
      const created = await harness
        .api('post', '/v1/payment')
        .send({ pay_amount: '10', order_id: 'o' })
        .expect(201);
      const { id } = created.body as { id: string };
      for (const step of script as { do: string; amount?: string }[]) {
        if (step.do === 'transfer')
          await harness
            .api('post', `/v1/sandbox/payments/${id}/transfers`)
            .send(step.amount === undefined ? {} : { amount: step.amount })
            .expect(201);
        if (step.do === 'refund') await harness.api('post', `/v1/payment/${id}/refund`).send({}).expect(201);
        for (let minute = 0; minute < 4; minute += 1) {
          await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1m' }).expect(200);
          const [payment] = await readPayments(harness.ctx.db, [id]);
          if (payment === undefined) throw new Error('the payment does not exist');
          seen.add(payment.status);
          await checkInvariants(harness.ctx.db);
        }
        await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '61m' }).expect(200);
        const [payment] = await readPayments(harness.ctx.db, [id]);
        seen.add(payment?.status ?? '');
      }
    }
    expect(STATUSES.filter((status) => seen.has(status))).to.include.members([
      'PENDING',
      'SETTLED',
      'REFUNDED',
      'EXPIRED',
    ]);
  });

  it('an entry moves an amount above zero from one account to another', async () => {
    const insert = (from: string, to: string, amount: string) =>
      harness.ctx.db.raw(
        `INSERT INTO ledger_entries (payment_id, kind, from_account, to_account, coin, network, amount, created_at)
         SELECT id, 'received', ?, ?, 'USDC', 'ethereum', ?::numeric, now() FROM payments LIMIT 1`,
        [from, to, amount],
      );
    for (const [from, to, amount] of [
      ['held', 'held', '1'],
      ['customer', 'held', '0'],
      ['customer', 'held', '-1'],
      ['customer', 'held', 'NaN'],
      ['customer', 'bank', '1'],
    ] as const)
      expect(
        await insert(from, to, amount).then(
          () => 'inserted',
          () => 'refused',
        ),
        amount,
      ).to.equal('refused');
  });
});
