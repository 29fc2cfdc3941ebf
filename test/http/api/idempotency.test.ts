import { expect } from 'chai';
import { addApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { sweepOnce } from '../../../src/domain/idempotency/sweep.ts';
import {
  countRows,
  createPayment,
  expectError,
  ORDER,
  pay,
  send,
  type Answer,
  type Listening,
} from '../../support/http.ts';
import type { Harness } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

const HOUR = 3600;

describe('Idempotency-Key', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened), { SIMULATOR_BLOCK_SECONDS: '1' });

  let last = 0;
  const newKey = () => `key-${(last += 1)}`;
  const post = (key: string, body: object | string = ORDER, path = '/v1/payment', apiKey?: string) =>
    harness.api('post', path, apiKey).set('Idempotency-Key', key).type('application/json').send(body);
  const expectReplay = (replay: Answer, first: Answer) => {
    expect(first.headers).to.not.have.property('idempotent-replayed');
    expect([replay.status, replay.text]).to.deep.equal([first.status, first.text]);
    expect(replay.headers['idempotent-replayed']).to.equal('true');
    expect(replay.headers['content-type']).to.equal(first.headers['content-type']);
  };
  /** How many rows `work` adds. */
  const added = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
    const before_ = await countRows(harness);
    await work();
    const after_ = await countRows(harness);
    const changed = Object.entries(after_).filter(([table, count]) => count !== before_[table]);
    return Object.fromEntries(changed.map(([table, count]) => [table, count - (before_[table] ?? 0)]));
  };

  it('the same key and body: the same status and bytes again, and nothing done twice', async () => {
    const key = newKey();
    const first = await post(key).expect(201);
    harness.advance(60);
    expect(await added(async () => expectReplay(await post(key), first))).to.deep.equal({});
  });

  it('answers what was answered then, also when the payment has moved since', async () => {
    const key = newKey();
    const first = await post(key);
    harness.advance(HOUR);
    await harness.work();
    expect((await harness.api('get', `/v1/payment/${first.body.id}`)).body.status).to.equal('EXPIRED');
    expectReplay(await post(key), first);
  });

  it('neither the order of keys nor spacing nor the way numbers and letters are written makes another body', async () => {
    const key = newKey();
    const first = await post(
      key,
      '{"pay_amount":"1","order_id":"é","expiration_minutes":60,"metadata":{"a":"1","b":"2"}}',
    );
    expect(first.status).to.equal(201);
    const same =
      ' {\n"metadata" : {"b":"2",\t"a":"1"}, "order_id":"\\u00e9", "expiration_minutes":6e1, "pay_amount":"1" } ';
    expectReplay(await post(key, same), first);
  });

  it('another body: 409, and nothing stored', async () => {
    const key = newKey();
    const first = await post(key);
    for (const other of [
      { ...ORDER, pay_amount: '10.5' },
      { ...ORDER, order_id: 'order 2' },
      { ...ORDER, expiration_minutes: 60 },
      { ...ORDER, metadata: {} },
    ])
      expect(await added(async () => expectError(harness, await post(key, other), 409))).to.deep.equal({});
    expectReplay(await post(key), first);
  });

  describe('its scope', () => {
    it('is the merchant', async () => {
      const key = newKey();
      const first = await post(key);
      const other = await harness.addMerchant();
      const theirs = await post(key, { ...ORDER, order_id: 'theirs' }, '/v1/payment', other.apiKey);
      expect(theirs.status).to.equal(201);
      expect(theirs.headers).to.not.have.property('idempotent-replayed');
      expect(theirs.body.id).to.not.equal(first.body.id);
    });

    it('is the path', async () => {
      const key = newKey();
      const one = await post(key);
      const two = await createPayment(harness);
      const transfers = `/v1/sandbox/payments/${one.body.id}/transfers`;
      const sent = await post(key, { amount: '1' }, transfers).expect(201);
      expect(sent.body.payment_id).to.equal(one.body.id);
      const other = await post(key, { amount: '2' }, `/v1/sandbox/payments/${two.id}/transfers`).expect(201);
      expect(other.body.payment_id).to.equal(two.id);
    });

    it('is the path that was meant, however it was written', async () => {
      const key = newKey();
      const first = await post(key);
      const headers = {
        'X-API-Key': harness.merchant.apiKey,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      };
      for (const path of ['/v1/payment/', '/V1/Payment', '/v1/payment?'])
        expectReplay(await send(server, 'POST', path, headers, JSON.stringify(ORDER)), first);
      const id = String(first.body.id);
      const transfers = `/v1/sandbox/payments/${id}/transfers`;
      const sent = await post(key, {}, transfers).expect(201);
      const escaped = transfers.replace('pay_', '%70ay%5F');
      expectReplay(await send(server, 'POST', escaped, headers, '{}'), sent);
    });

    it('is not the key of the API: another key of the same merchant replays', async () => {
      const key = newKey();
      const first = await post(key);
      const second = await addApiKey(
        harness.ctx.config,
        harness.ctx.db,
        harness.merchant.id,
        ['payments:write'],
        harness.ctx.now(),
      );
      expectReplay(await post(key, ORDER, '/v1/payment', second), first);
    });

    it('applies to POST only: GET and PUT ignore it', async () => {
      const key = newKey();
      const config = (enabled: boolean) =>
        harness
          .api('put', '/v1/webhooks/config')
          .set('Idempotency-Key', key)
          .send({ webhookUrl: 'https://shop.example/', enabled });
      expect((await config(true).expect(200)).body.enabled).to.equal(true);
      expect((await config(false).expect(200)).body.enabled).to.equal(false);
      await harness.api('get', '/v1/payments').set('Idempotency-Key', 'not valid').expect(200);
    });
  });

  describe('a request that failed stores nothing: the key works afterwards', () => {
    const works = async (key: string) => {
      const answer = await post(key);
      expect(answer.status).to.equal(201);
      expect(answer.headers).to.not.have.property('idempotent-replayed');
    };
    it('validation', async () => {
      const key = newKey();
      await post(key, { ...ORDER, pay_amount: '0' }).expect(400);
      await post(key, '{').expect(400);
      await works(key);
    });
    it('authentication', async () => {
      const key = newKey();
      await harness.api('post', '/v1/payment', null).set('Idempotency-Key', key).send(ORDER).expect(401);
      await works(key);
    });
    it('permission', async () => {
      const key = newKey();
      const reader = await addApiKey(
        harness.ctx.config,
        harness.ctx.db,
        harness.merchant.id,
        ['payments:read'],
        harness.ctx.now(),
      );
      await post(key, ORDER, '/v1/payment', reader).expect(403);
      await works(key);
    });
    it('content type, size', async () => {
      const key = newKey();
      await post(key, 'x').type('text/plain').expect(415);
      await post(key, { order_id: 'x'.repeat(200_000) }).expect(413);
      await works(key);
    });
    it('a refund that is not possible yet', async () => {
      const key = newKey();
      const { id } = await createPayment(harness);
      await post(key, {}, `/v1/payment/${id}/refund`).expect(409);
      await pay(harness, id);
      await post(key, { amount: '11' }, `/v1/payment/${id}/refund`).expect(400);
      const accepted = await post(key, {}, `/v1/payment/${id}/refund`).expect(201);
      expectReplay(await post(key, {}, `/v1/payment/${id}/refund`), accepted);
    });
  });

  describe('malformed: 400', () => {
    const constraint = { field: 'Idempotency-Key', constraint: 'pattern' };
    for (const [name, key] of [
      ['empty', ''],
      ['of 256 characters', 'k'.repeat(256)],
      ['with a space inside', 'a b'],
      ['with a tab inside', 'a\tb'],
      ['beyond ASCII', 'é'],
    ] as const)
      it(name, async () => {
        const headers = { 'X-API-Key': harness.merchant.apiKey, 'Content-Type': 'application/json' };
        const request = () =>
          send(server, 'POST', '/v1/payment', { ...headers, 'Idempotency-Key': key }, JSON.stringify(ORDER));
        expect(await added(async () => expectError(harness, await request(), 400, constraint))).to.deep.equal(
          {},
        );
      });
    it('given twice', async () => {
      const headers = {
        'X-API-Key': harness.merchant.apiKey,
        'Content-Type': 'application/json',
        'Idempotency-Key': ['a', 'b'],
      };
      expectError(
        harness,
        await send(server, 'POST', '/v1/payment', headers, JSON.stringify(ORDER)),
        400,
        constraint,
      );
    });
    it('but not with 255 visible characters of any kind', async () => {
      const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
      const first = await post(all.repeat(3).slice(0, 255)).expect(201);
      expectReplay(await post(all.repeat(3).slice(0, 255)), first);
    });
  });

  describe('many identical requests at once: it is done once, and all answers are equal', () => {
    const race = async (path: string, body: object): Promise<Answer[]> => {
      const key = newKey();
      return Promise.all(Array.from({ length: 50 }, () => post(key, body, path)));
    };
    const expectEqual = (answers: readonly Answer[]) => {
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.have.property('size', 1);
      expect(answers[0]?.status).to.equal(201);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).to.have.length(1);
    };

    it('50 POST /v1/payment give one payment', async () => {
      const rows = await added(async () => expectEqual(await race('/v1/payment', ORDER)));
      expect(rows).to.deep.equal({
        payments: 1,
        events: 1,
        quotes: 1,
        scheduled_jobs: 2,
        idempotency_keys: 1,
      });
    });

    it('50 refunds give one refund', async () => {
      const { id } = await createPayment(harness);
      await pay(harness, id);
      const rows = await added(async () =>
        expectEqual(await race(`/v1/payment/${id}/refund`, { amount: '1' })),
      );
      expect(rows).to.deep.equal({ refunds: 1, scheduled_jobs: 1, idempotency_keys: 1 });
    });

    it('50 sandbox transfers give one transfer', async () => {
      const { id } = await createPayment(harness);
      await harness.work();
      const rows = await added(async () =>
        expectEqual(await race(`/v1/sandbox/payments/${id}/transfers`, { amount: '1' })),
      );
      expect(rows).to.include({ sim_transfers: 1, idempotency_keys: 1 });
    });

    it('25 with one body and 25 with another: one body wins, the others conflict', async () => {
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => post(key, { ...ORDER, order_id: `order ${index % 2}` })),
      );
      const counts = [201, 409].map((wanted) => answers.filter(({ status }) => status === wanted).length);
      expect(counts).to.deep.equal([25, 25]);
      const created = answers.filter(({ status }) => status === 201);
      expect(new Set(created.map(({ text }) => text))).to.have.property('size', 1);
    });
  });

  describe('is kept', () => {
    it('24 hours at least, and swept after', async () => {
      const key = newKey();
      const first = await post(key).expect(201);
      harness.advance(24 * HOUR);
      await harness.work();
      expectReplay(await post(key), first);
      harness.advance(HOUR + 1);
      expect(await sweepOnce(harness.ctx)).to.be.greaterThan(0);
      const again = await post(key).expect(201);
      expect(again.body.id).to.not.equal(first.body.id);
      expect(again.headers).to.not.have.property('idempotent-replayed');
    });

    it('by a sweep that comes round every hour by itself', async () => {
      await post(newKey()).expect(201);
      harness.advance(27 * HOUR);
      await harness.work();
      expect((await countRows(harness)).idempotency_keys).to.equal(0);
    });

    it('in chunks: a sweep takes away more than one chunk holds', async () => {
      await harness.ctx.db.raw(
        `INSERT INTO idempotency_keys (merchant_id, key, method, path, body_hash, status, body, created_at)
         SELECT 'mer_1', n::text, 'POST', '/v1/payment', '', 201, '', ?::timestamptz - n * interval '1 second'
         FROM generate_series(1, 12000) n`,
        [harness.ctx.now()],
      );
      harness.advance(25 * HOUR - 2000);
      expect(await sweepOnce(harness.ctx)).to.equal(10_000);
      expect((await countRows(harness)).idempotency_keys).to.equal(2_000);
    });
  });
});
