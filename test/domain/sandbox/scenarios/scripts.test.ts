import { expect } from 'chai';
import { countRows, expectError } from '../../../support/http.ts';
import { deliveriesOf, eventsOf, postScenario } from '../../../support/scenarios.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const PAYMENT = { pay_amount: '10.00' };
const PAY = { at: '1m', do: 'transfer' };

describe('a script', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const scenario = (body: object) => harness.api('post', '/v1/sandbox/scenarios').send(body);
  const others = async () => {
    const tables = ['ledger_entries', 'sim_heads', 'chain_cursors', 'delivery_attempts'];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    const { rows } = (await harness.ctx.db.raw(`SELECT ${counts.join(', ')}`)) as { rows: object[] };
    return { ...(await countRows(harness)), ...rows[0] };
  };

  const FAULTS: [what: string, steps: unknown[], field: string, constraint: string][] = [
    ['an unknown `do`', [PAY, PAY, { at: '1m', do: 'dance' }], 'script.2.do', 'enum'],
    ['no `do`', [PAY, { at: '1m' }], 'script.1.do', 'required'],
    ['no `at`', [{ do: 'transfer' }], 'script.0.at', 'required'],
    ['words as `at`', [{ at: 'one minute', do: 'transfer' }], 'script.0.at', 'pattern'],
    ['a negative `at`', [{ at: '-1m', do: 'transfer' }], 'script.0.at', 'pattern'],
    ['an `at` that leaves the calendar', [{ at: '9999d', do: 'transfer' }], 'script.0.at', 'pattern'],
    ['an extra field', [{ ...PAY, depth: 2 }], 'script.0.depth', 'additionalProperties'],
    ['a number as amount', [{ ...PAY, amount: 5 }], 'script.0.amount', 'type'],
    ['an amount of nothing', [{ ...PAY, amount: '0.00' }], 'script.0.amount', 'pattern'],
    ['a depth of nothing', [PAY, { at: '2m', do: 'reorg', depth: 0 }], 'script.1.depth', 'minimum'],
    ['no depth', [PAY, { at: '2m', do: 'reorg' }], 'script.1.depth', 'required'],
    ['an unknown answer', [{ at: '0s', do: 'webhook', answer: 'maybe' }], 'script.0.answer', 'type'],
    ['no step at all', ['transfer'], 'script.0', 'type'],
    ['too many steps', Array.from({ length: 201 }, () => PAY), 'script', 'maxItems'],
    [
      'a coin that does not live there',
      [{ ...PAY, coin: 'BTC', network: 'tron' }],
      'script.0.network',
      'enum',
    ],
    ['more decimals than the coin has', [PAY, { ...PAY, amount: '0.0000001' }], 'script.1', 'multipleOf'],
    ['a word as speed_up', [{ at: '1m', do: 'replace', speed_up: 'yes' }], 'script.0.speed_up', 'type'],
    ['a refund of nothing', [{ at: '1m', do: 'refund' }], 'script.0', 'refund_not_allowed'],
    ['a refund that is too large', [PAY, { at: '1h', do: 'refund', amount: '10.01' }], 'script.1', 'maximum'],
    ['nothing to replace', [PAY, { at: '30s', do: 'replace' }], 'script.1', 'nothing_to_replace'],
    ['no such transfer', [PAY, { at: '2m', do: 'replace', transfer: 2 }], 'script.1', 'nothing_to_replace'],
    [
      'a transfer that was replaced already',
      [PAY, { at: '2m', do: 'replace' }, { at: '3m', do: 'replace', transfer: 1 }],
      'script.2',
      'nothing_to_replace',
    ],
  ];
  for (const [what, steps, field, constraint] of FAULTS)
    it(`with ${what}: 400 names ${field}, and nothing of it remains`, async () => {
      const before_ = await others();
      expectError(harness, await scenario({ payment: PAYMENT, script: steps }), 400, { field, constraint });
      expect(await others()).to.deep.equal(before_);
    });

  it('the message of a step that cannot be run names its time and ends once', async () => {
    const { body } = await scenario({ payment: PAYMENT, script: [{ ...PAY, amount: '0.0000001' }] });
    expect(body.message).to.equal(
      'script.0 cannot be played at 1m: amount must have at most 6 decimals: ' +
        'USDC on ethereum has no smaller unit.',
    );
  });

  it('an invalid field outside the script is named too', async () => {
    const faults: [object, string, string][] = [
      [{}, 'payment', 'required'],
      [{ payment: PAYMENT }, 'script', 'required'],
      [{ story: 'paid', script: [] }, 'script', 'not'],
      [{ story: 'payed' }, 'story', 'enum'],
      [{ payment: {}, script: [] }, 'payment.pay_amount', 'required'],
      [{ payment: { ...PAYMENT, callback: 'x' }, script: [] }, 'payment.callback', 'additionalProperties'],
      [{ payment: PAYMENT, script: [], sed: 'a' }, 'sed', 'additionalProperties'],
      [{ story: 'paid', ids: 'some' }, 'ids', 'enum'],
      [{ story: 'paid', seed: '' }, 'seed', 'minLength'],
    ];
    for (const [body, field, constraint] of faults)
      expectError(harness, await scenario(body), 400, { field, constraint });
  });

  it('runs its steps in the order of their times, steps of the same time in the written order', async () => {
    const inOrder = [
      { at: '1m', do: 'transfer', amount: '4.00' },
      { at: '1m', do: 'transfer', amount: '7.00' },
      { at: '2m', do: 'replace', transfer: 1 },
    ];
    const { report } = await postScenario(harness, { payment: PAYMENT, script: inOrder });
    expect(eventsOf(report)).to.deep.equal([
      '0:00:00 created WAITING',
      '0:01:00 pending PENDING underpaid',
      '0:01:00 pending PENDING overpaid',
      '0:02:00 pending PENDING replaced underpaid',
      '1:00:00 failed EXPIRED replaced underpaid',
    ]);
    expect(report.payment.amount_received).to.equal('7');
    const [first, second, last] = inOrder;
    const shuffled = await postScenario(harness, { payment: PAYMENT, script: [last, first, second] });
    expect(eventsOf(shuffled.report)).to.deep.equal(eventsOf(report));
  });

  it('speeds up a transfer, which stays replaced, and returns the same bytes each time', async () => {
    const body = {
      payment: PAYMENT,
      script: [PAY, { at: '1m', do: 'replace', transfer: 1, speed_up: true }],
      ids: 'stable',
    };
    const [first, second] = [await postScenario(harness, body), await postScenario(harness, body)];
    expect(first.report.payment.amount_received).to.equal('10.00');
    expect(second.text).to.equal(first.text);
    const again = [...body.script, { at: '2m', do: 'replace', transfer: 1, speed_up: true }];
    const answer = await scenario({ ...body, script: again });
    expectError(harness, answer, 400, { field: 'script.2', constraint: 'nothing_to_replace' });
  });

  it('accepts any coin and network, mines at once, and syncs all networks of the payment', async () => {
    const { report } = await postScenario(harness, {
      payment: { ...PAYMENT, order_id: 'my own', metadata: { sku: '1' } },
      script: [
        { at: '1m', do: 'transfer', amount: '4.00', coin: 'USDT', network: 'tron' },
        { at: '1m', do: 'transfer', amount: '6.00', coin: 'USDC', network: 'ethereum' },
        { at: '2m', do: 'mine', blocks: 20 },
      ],
    });
    expect(eventsOf(report).slice(2)).to.deep.equal([
      '0:01:00 pending PENDING',
      '0:02:00 processing PROCESSING',
      '0:02:00 settled SETTLED',
    ]);
    expect(report.payment).to.include({
      order_id: 'my own',
      actually_paid: '10.00',
      actually_paid_currency: 'USDC',
    });
  });

  it('the step seed determines random values from then on', async () => {
    const script = (seed: string) => [
      { at: '0s', do: 'webhook', answer: 500 },
      { at: '1s', do: 'seed', seed },
    ];
    const [a, b] = [
      await postScenario(harness, { payment: PAYMENT, script: script('a'), ids: 'stable' }),
      await postScenario(harness, { payment: PAYMENT, script: script('b'), ids: 'stable' }),
    ];
    expect(deliveriesOf(b.report).slice(0, 2)).to.deep.equal(deliveriesOf(a.report).slice(0, 2));
    expect(deliveriesOf(b.report)[2]).to.not.equal(deliveriesOf(a.report)[2]);
  });

  it('a receiver that never responds gets eleven attempts, then the delivery fails', async () => {
    const { report } = await postScenario(harness, {
      payment: { ...PAYMENT, expiration_minutes: 1440 },
      script: [{ at: '0s', do: 'webhook', answer: 'timeout' }],
    });
    const first = report.deliveries.filter(({ sequence }) => sequence === 1);
    expect(first.map(({ attempt, error }) => [attempt, error])).to.deep.equal(
      Array.from({ length: 11 }, (_, i) => [i + 1, 'timeout']),
    );
    expect(first.at(-1)?.next_attempt_at).to.equal(null);
  });

  it('an Idempotency-Key runs the scenario once', async () => {
    const once = (body: object) => scenario(body).set('Idempotency-Key', 'story-1');
    const first = await once({ story: 'paid' }).expect(200);
    const before_ = await others();
    const again = await once({ story: 'paid' }).expect(200);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(again.text).to.equal(first.text);
    await once({ story: 'overpaid' }).expect(409);
    expect(await others()).to.deep.equal(before_);
  });

  it('the same key twice at once leaves one payment', async () => {
    const before_ = await countRows(harness);
    const [a, b] = await Promise.all([
      scenario({ story: 'paid' }).set('Idempotency-Key', 'both'),
      scenario({ story: 'paid' }).set('Idempotency-Key', 'both'),
    ]);
    expect([a.status, b.status]).to.deep.equal([200, 200]);
    expect(b.text).to.equal(a.text);
    expect((await countRows(harness)).payments).to.equal((before_.payments ?? 0) + 1);
  });
});
