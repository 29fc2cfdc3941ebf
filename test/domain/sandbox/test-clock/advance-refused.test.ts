import { expect } from 'chai';
import { ADVANCE_SECONDS, advanceBudget } from '../../../../src/domain/sandbox/budgets/budget.ts';
import { advance as advanceClock } from '../../../../src/domain/sandbox/test-clock/advance.ts';
import { createPayment, expectError } from '../../../support/http.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

describe('advancing a test clock is refused, or done once', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const advance = async (id: string, by: string): Promise<{ now: string }> =>
    (await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by }).expect(200)).body;
  const status = async (id: string) =>
    (await harness.api('get', `/v1/payment/${id}`).expect(200)).body.status as string;

  it('two at once: one advances the clock, the other gets 409', async () => {
    const { id } = await createPayment(harness);
    const answers = await Promise.all(
      ['1h', '1h'].map((by) => harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    if (refused !== undefined) expectError(harness, refused, 409);
    expect((await advance(id, '0s')).now).to.equal('2026-01-31T13:00:00.000Z');
  });

  it('a clock that a dead process froze runs again after a minute, and the workers run its jobs', async () => {
    const { id } = await createPayment(harness, { expiration_minutes: 5 });
    await advance(id, '4m');
    const until = new Date(harness.ctx.systemNow().getTime() + 60_000);
    await harness.ctx.db.raw('UPDATE payments SET clock_frozen_until = ? WHERE id = ?', [until, id]);
    expectError(
      harness,
      await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1m' }),
      409,
    );
    harness.advance(61);
    await harness.work();
    expect(await status(id)).to.equal('EXPIRED');
    await advance(id, '1m');
  });

  it('an Idempotency-Key advances once', async () => {
    const { id } = await createPayment(harness);
    const once = (by: string) =>
      harness.api('post', `/v1/sandbox/payments/${id}/advance`).set('Idempotency-Key', 'k').send({ by });
    const first = await once('1h').expect(200);
    const again = await once('1h').expect(200);
    expect(again.text).to.equal(first.text);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    await once('2h').expect(409);
    expect((await advance(id, '0s')).now).to.equal('2026-01-31T13:00:00.000Z');
  });

  it("another merchant's payment, and an unknown one: 404", async () => {
    const stranger = await harness.addMerchant();
    const { id } = await createPayment(harness, {}, stranger.apiKey);
    for (const unknown of [id, 'pay_01KG9YS7G08NQGSFTSQVTPRG9P', 'x'])
      expectError(
        harness,
        await harness.api('post', `/v1/sandbox/payments/${unknown}/advance`).send({ by: '1m' }),
        404,
      );
  });

  it('an invalid duration: 400', async () => {
    const { id } = await createPayment(harness);
    for (const by of ['', '1', '-1m', '1.5h', '61 m', '1w', '1000d', '100000000s', '1m\n'])
      expectError(
        harness,
        await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by }),
        400,
        {
          field: 'by',
          constraint: 'pattern',
        },
      );
    const path = `/v1/sandbox/payments/${id}/advance`;
    expectError(harness, await harness.api('post', path).send({}), 400, {
      field: 'by',
      constraint: 'required',
    });
    expectError(harness, await harness.api('post', path).send({ by: 60 }), 400, {
      field: 'by',
      constraint: 'type',
    });
    for (let year = 0; year < 3; year += 1) await advance(id, '999d');
    const tooFar = await harness.api('post', path).send({ by: '999d' });
    expectError(harness, tooFar, 400, { field: 'by', constraint: 'maximum' });
  });

  it('an advance that takes too long stops, and says where the clock stands', async () => {
    const { id } = await createPayment(harness);
    const { ctx, sandbox, merchant } = harness;
    if (sandbox === null) throw new Error('the sandbox is off');
    let asked = 0;
    // The time is used up before the job of the deadline.
    const milliseconds = () => ((asked += 1) > 2 ? ADVANCE_SECONDS * 1000 + 1 : 0);
    const budget = advanceBudget({ isAbandoned: () => false, isRepeatable: false, milliseconds });
    const request = { body: { by: '2h' }, claim: null, budget };
    const error = await advanceClock(ctx, sandbox, { merchantId: merchant.id }, id, request).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.deep.include({ status: 400, details: { field: 'by', constraint: 'seconds' } });
    const { now } = await advance(id, '0s');
    expect(error).to.have.property('message').that.includes(`stopped at ${now}`);
    expect(await status(id)).to.equal('WAITING');
    await advance(id, '1h');
    expect(await status(id)).to.equal('EXPIRED');
  });

  it('an advance ends when its client has left, unless its key lets the client ask again', async () => {
    const { ctx, sandbox, merchant } = harness;
    if (sandbox === null) throw new Error('the sandbox is off');
    for (const isRepeatable of [false, true]) {
      const { id } = await createPayment(harness);
      const budget = advanceBudget({ isAbandoned: () => true, isRepeatable });
      const request = { body: { by: '2h' }, claim: null, budget };
      await advanceClock(ctx, sandbox, { merchantId: merchant.id }, id, request).catch(() => undefined);
      expect(await status(id)).to.equal(isRepeatable ? 'EXPIRED' : 'WAITING');
    }
  });
});
