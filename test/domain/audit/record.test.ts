import { expect } from 'chai';
import { recordAction } from '../../../src/domain/audit/record.ts';
import { verify } from '../../../src/domain/ops/verify/verify.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';

describe('the audit log', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
  });
  afterEach(() => harness.close());

  const write = (merchantId: string | null, command = 'drain') =>
    recordAction(harness.ctx.db, {
      at: harness.ctx.now(),
      merchantId,
      kind: 'command',
      actor: 'ann@host',
      address: null,
      command,
      details: { on: true, reason: 'new disk' },
    });
  const rows = () =>
    harness.ctx
      .db('operator_actions')
      .orderBy(['merchant_id', 'number'])
      .select<{ merchant_id: string; number: string; hash: Buffer }[]>('merchant_id', 'number', 'hash');
  const broken = async () =>
    (await verify(harness.ctx, { since: null })).invariants
      .filter(({ offenders }) => offenders > 0)
      .map(({ name }) => name);

  it('numbers the entries of each merchant, and of the installation, without a gap, however many write at once', async () => {
    const { id } = harness.merchant;
    await Promise.all(Array.from({ length: 20 }, (_, i) => write(i % 2 === 0 ? id : null)));
    const numbers = (of: string, all: Awaited<ReturnType<typeof rows>>) =>
      all.filter(({ merchant_id }) => merchant_id === of).map(({ number }) => Number(number));
    const all = await rows();
    for (const of of ['installation', id])
      expect(numbers(of, all)).to.deep.equal(Array.from({ length: 10 }, (_, i) => i + 1));
    expect(new Set(all.map(({ hash }) => hash.toString('hex'))).size).to.equal(20);
    expect(await broken()).to.deep.equal([]);
  });

  it('has what a key changes at its merchant, with the key in part and the address, once for a repeated request', async () => {
    const url = 'https://shop.example/hooks/a-token';
    await harness.api('put', '/v1/webhooks/config').send({ webhookUrl: url, enabled: true }).expect(200);
    const body = { url };
    const make = () =>
      harness.api('post', '/v1/webhooks/endpoints').set('Idempotency-Key', 'one').send(body).expect(201);
    const { id } = (await make()).body as { id: string };
    await make();
    await harness.api('put', `/v1/webhooks/endpoints/${id}`).send({ url, enabled: false }).expect(200);
    await harness.api('post', `/v1/webhooks/endpoints/${id}/secrets/rotate`).send({}).expect(200);
    await harness.api('post', '/v1/webhooks/endpoints/enable').send({ id }).expect(200);
    await harness.api('delete', `/v1/webhooks/endpoints/${id}`).expect(200);
    await harness.api('post', '/v1/webhooks/secrets/rotate').send({}).expect(200);
    await harness.api('post', '/v1/webhooks/signing-keys').send({}).expect(201);
    const tea = { title: 'Tea', prices: [{ amount: '1' }] };
    const link = (await harness.api('post', '/v1/links').send(tea).expect(201)).body as { id: string };
    await harness.api('post', `/v1/links/${link.id}/archive`).expect(200);
    harness.advance(1);
    await harness.api('post', `/v1/links/${link.id}/archive`).expect(200);
    await harness.api('put', '/v1/checkout/appearance').send({}).expect(200);
    await harness.api('delete', '/v1/checkout/logo').expect(200);
    const written = await harness.ctx
      .db('operator_actions')
      .where({ merchant_id: harness.merchant.id })
      .orderBy('number')
      .select<{ kind: string; actor: string; address: string; command: string; details: object }[]>();
    expect(written.map(({ command }) => command)).to.deep.equal([
      'webhook configuration',
      'webhook endpoint registered',
      'webhook endpoint',
      'webhook secret rotated',
      'webhook endpoint enabled',
      'webhook endpoint deleted',
      'webhook secret rotated',
      'webhook signing key rotated',
      'payment link created',
      'payment link archived',
      'checkout appearance',
      'checkout logo',
    ]);
    for (const entry of written)
      expect(entry).to.include({
        kind: 'key',
        actor: harness.merchant.apiKey.slice(0, 13),
        address: '127.0.0.1',
      });
    expect(written[2]?.details).to.deep.include({
      before: { enabled: true, receiver: 'shop.example' },
      after: { enabled: false, receiver: 'shop.example' },
    });
    expect(JSON.stringify(written)).to.not.match(/a-token|whsec_/);
    expect(await broken()).to.deep.equal([]);
  });

  it('has what a key has sent again, and nothing of the payments that it makes and reads', async () => {
    const url = 'http://127.0.0.1:1024/';
    await harness.api('put', '/v1/webhooks/config').send({ webhookUrl: url, enabled: true }).expect(200);
    const { id } = (
      await harness.api('post', '/v1/payment').send({ pay_amount: '1', order_id: 'a' }).expect(201)
    ).body as { id: string };
    await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by: '1s' }).expect(200);
    const { data } = (await harness.api('get', '/v1/webhooks/deliveries').expect(200)).body as {
      data: { id: string }[];
    };
    await harness.api('post', `/v1/webhooks/deliveries/${data[0]?.id}/redeliver`).send({}).expect(202);
    await harness.api('post', '/v1/webhooks/redeliver').send({ from_date: '2026-01-31' }).expect(202);
    const written = await harness.ctx.db('operator_actions').orderBy('number').pluck('command');
    expect(written).to.deep.equal(['webhook configuration', 'webhook redelivered', 'webhooks replayed']);
  });

  it('has what a key does with payments and webhooks, once for each that changes something', async () => {
    const post = (path: string, status: number, body: object = {}) =>
      harness.api('post', path).send(body).expect(status);
    const url = 'https://shop.example/';
    await harness.api('put', '/v1/webhooks/config').send({ webhookUrl: url, enabled: true }).expect(200);
    const cancelled = await createPayment(harness);
    for (let i = 0; i < 2; i += 1) await post(`/v1/payment/${cancelled.id}/cancel`, 200);
    const refunded = await createPayment(harness);
    await pay(harness, refunded.id);
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    await post(`/v1/payment/${refunded.id}/refund`, 409, { address, to_sender: true });
    await post(`/v1/payment/${refunded.id}/refund`, 201, { amount: '1', address, reason: 'late' });
    const ofCancelled = { payment_id: cancelled.id };
    const delivery = await harness.ctx.db('deliveries').where(ofCancelled).first<{ id: string }>('id');
    await post(`/v1/webhooks/deliveries/${delivery?.id}/redeliver`, 202, { to: 'listeners' });
    await post('/v1/webhooks/redeliver', 202, { from_date: '2026-01-01' });
    const written = await harness.ctx
      .db('operator_actions')
      .where({ kind: 'key' })
      .orderBy('number')
      .select<{ command: string; details: Record<string, unknown> }[]>();
    expect(written.map(({ command, details }) => [command, details.payment_id])).to.deep.equal([
      ['webhook configuration', undefined],
      ['payment cancelled', cancelled.id],
      ['refund accepted', refunded.id],
      ['webhook redelivered', cancelled.id],
      ['webhooks replayed', undefined],
    ]);
    expect(JSON.stringify(written)).to.not.include(address).and.not.include('late');
    expect(await broken()).to.deep.equal([]);
  });

  for (const statement of [
    `UPDATE operator_actions SET actor = 'bob@host'`,
    `UPDATE operator_actions SET actor = 'bob@host' WHERE false`,
    'DELETE FROM operator_actions',
    'TRUNCATE operator_actions',
  ])
    it(`refuses ${statement}`, async () => {
      await write(null);
      const refused: unknown = await harness.ctx.db.raw(statement).catch((error: unknown) => error);
      expect(String(refused)).to.include('append-only');
      expect(await rows()).to.have.lengthOf(1);
    });

  it('chains what the previous release writes as well', async () => {
    await harness.ctx.db.raw(
      `INSERT INTO operator_actions (at, actor, command, details) VALUES ('2026-01-01', 'a', 'drain', '{}')`,
    );
    await write(null);
    expect((await rows()).map(({ merchant_id, number }) => [merchant_id, number])).to.deep.equal([
      ['installation', '1'],
      ['installation', '2'],
    ]);
    expect(await broken()).to.deep.equal([]);
  });

  for (const [fault, statement, found] of [
    [
      'an entry that was changed',
      `UPDATE operator_actions SET details = '{}' WHERE number = 2`,
      ['audit log'],
    ],
    ['an entry that is gone', 'DELETE FROM operator_actions WHERE number = 2', ['audit log']],
    ['a first entry that is gone', 'DELETE FROM operator_actions WHERE number = 1', ['audit log']],
    ['a last entry that is gone', 'DELETE FROM operator_actions WHERE number = 3', ['audit heads']],
    ['all entries gone', 'DELETE FROM operator_actions', ['audit heads']],
  ] as const)
    it(`shows verify ${fault}, past the trigger`, async () => {
      for (const merchantId of [null, null, null]) await write(merchantId);
      await harness.ctx.db.raw(`ALTER TABLE operator_actions DISABLE TRIGGER append_only; ${statement}`);
      expect(await broken()).to.deep.equal(found);
    });
});
