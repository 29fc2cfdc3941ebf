import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { sweepSecrets } from '../../../src/domain/webhooks/secrets/rotate.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { createPayment, expectError, expectLimitHeaders } from '../../support/http.ts';
import { startReceiver, type ReceivedRequest } from '../../support/receivers.ts';
import { createHarness, type TestMerchant, type Harness } from '../../support/harness.ts';

const HOUR = 3600;

interface Secrets {
  readonly secret: string;
  readonly created_at: string;
  readonly previous: { secret: string; expires_at: string }[];
}

describe('POST /v1/webhooks/secrets/rotate', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    merchant = await harness.addMerchant();
  });
  after(() => harness.close());

  const post = (body?: object, key?: string) => {
    const request = harness.api('post', '/v1/webhooks/secrets/rotate', merchant.apiKey);
    if (key !== undefined) request.set('Idempotency-Key', key);
    return body === undefined ? request : request.send(body);
  };
  const rotate = async (body?: object) => (await post(body).expect(200)).body as Secrets;
  const secrets = async (apiKey = merchant.apiKey) =>
    (await harness.api('get', '/v1/webhooks/secrets', apiKey).expect(200)).body as Secrets;
  const hence = (seconds: number) => addSeconds(harness.ctx.now(), seconds).toISOString();

  it('puts a new secret in force, keeps the old one for 24 hours, and returns what GET does', async () => {
    harness.advance(60);
    const answer = await post().expect(200);
    expectLimitHeaders(answer);
    expect(answer.headers['cache-control']).to.equal('no-store');
    const { secret, ...rest } = answer.body as Secrets;
    expect(secret)
      .to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .and.not.equal(merchant.webhookSecret);
    expect(rest).to.deep.equal({
      created_at: hence(0),
      previous: [{ secret: merchant.webhookSecret, expires_at: hence(24 * HOUR) }],
    });
    expect(await secrets()).to.deep.equal(answer.body);
    harness.advance(24 * HOUR);
    expect(await secrets()).to.deep.equal({ ...answer.body, previous: [] });
  });

  for (const [hours, previous] of [
    [0, []],
    [1, [HOUR]],
    [168, [168 * HOUR]],
  ] as const)
    it(`overlap_hours ${hours}: the old secret ends then`, async () => {
      const rotated = await rotate({ overlap_hours: hours });
      expect(rotated.previous.map(({ expires_at }) => expires_at)).to.deep.equal(previous.map(hence));
    });

  for (const [body, field, constraint] of [
    [{ overlap_hours: -1 }, 'overlap_hours', 'minimum'],
    [{ overlap_hours: 169 }, 'overlap_hours', 'maximum'],
    [{ overlap_hours: 1.5 }, 'overlap_hours', 'type'],
    [{ overlap_hours: '24' }, 'overlap_hours', 'type'],
    [{ overlap_hours: null }, 'overlap_hours', 'type'],
    [{ overlap: 1 }, 'overlap', 'additionalProperties'],
    [[], 'body', 'type'],
  ] as const)
    it(`${JSON.stringify(body)}: 400, and nothing rotated`, async () => {
      expectError(harness, await post(body), 400, { field, constraint });
      expect((await secrets()).secret).to.equal(merchant.webhookSecret);
    });

  it('twice within an overlap keeps both old secrets, newest first, each to its own end', async () => {
    const first = await rotate({ overlap_hours: 3 });
    harness.advance(HOUR);
    const second = await rotate({ overlap_hours: 1 });
    expect(second.previous).to.deep.equal([
      { secret: first.secret, expires_at: hence(HOUR) },
      { secret: merchant.webhookSecret, expires_at: hence(2 * HOUR) },
    ]);
  });

  it('at once, ten times: ten rotations one after the other, and one secret in force', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post()));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    const made = answers.map(({ body }) => (body as Secrets).secret);
    const { secret, previous } = await secrets();
    expect(previous).to.have.length(10);
    expect([secret, ...previous.map((old) => old.secret)]).to.have.members([merchant.webhookSecret, ...made]);
  });

  it('without overlap ends every older secret at once', async () => {
    await rotate({ overlap_hours: 24 });
    harness.advance(1);
    await rotate({ overlap_hours: 1 });
    harness.advance(1);
    expect((await rotate({ overlap_hours: 0 })).previous).to.deep.equal([]);
  });

  it('an eleventh time within the overlap ends the oldest secret', async () => {
    const made: string[] = [];
    for (let times = 0; times < 11; times += 1) made.push((await rotate()).secret);
    const { secret, previous } = await secrets();
    expect([secret, ...previous.map((old) => old.secret)]).to.deep.equal(made.reverse());
  });

  it("does not change other merchants' secrets, and does not block payments", async () => {
    const other = await harness.addMerchant();
    const open = await harness.ctx.db.transaction();
    try {
      await open.raw('SELECT FROM merchants WHERE id = ? FOR NO KEY UPDATE', [merchant.id]);
      await createPayment(harness, {}, merchant.apiKey);
    } finally {
      await open.rollback();
    }
    await rotate();
    expect((await secrets(other.apiKey)).secret).to.equal(other.webhookSecret);
  });

  it('signs deliveries as the contract says: by the new secret, or both, until the overlap ends', async () => {
    const receiver = await startReceiver();
    try {
      await harness
        .api('put', '/v1/webhooks/config', merchant.apiKey)
        .send({ webhookUrl: receiver.url, enabled: true })
        .expect(200);
      const delivered = async () => {
        await createPayment(harness, {}, merchant.apiKey);
        await harness.work();
        return receiver.requests.at(-1) ?? expect.fail('nothing was delivered');
      };
      const signers = (request: ReceivedRequest) => ({
        own: candidates.filter(
          (secret) => hmacOf(request, secret) === request.headers['x-webhook-signature'],
        ),
        standard: candidates.filter((secret) => isStandard(request, secret)),
        signatures: String(request.headers['webhook-signature']).split(' ').length,
      });
      const old = merchant.webhookSecret;
      const candidates = [old];
      expect(signers(await delivered())).to.deep.equal({ own: [old], standard: [old], signatures: 1 });
      const { secret } = await rotate({ overlap_hours: 2 });
      candidates.unshift(secret);
      expect(signers(await delivered())).to.deep.equal({
        own: [secret],
        standard: [secret, old],
        signatures: 2,
      });
      harness.advance(2 * HOUR);
      expect(signers(await delivered())).to.deep.equal({ own: [secret], standard: [secret], signatures: 1 });
      const { secret: third } = await rotate({ overlap_hours: 0 });
      candidates.unshift(third);
      expect(signers(await delivered())).to.deep.equal({ own: [third], standard: [third], signatures: 1 });
    } finally {
      await receiver.close();
    }
  });

  it('secrets that have ended are deleted an hour later', async () => {
    await rotate({ overlap_hours: 0 });
    harness.advance(HOUR);
    await sweepSecrets(harness.ctx);
    const rows = async () =>
      (
        await harness.ctx.db.raw<{ rows: object[] }>('SELECT FROM webhook_secrets WHERE merchant_id = ?', [
          merchant.id,
        ])
      ).rows.length;
    expect(await rows()).to.equal(2);
    harness.advance(1);
    await harness.work();
    harness.advance(HOUR);
    await harness.work();
    expect(await rows()).to.equal(1);
  });

  describe('with an Idempotency-Key', () => {
    it('rotates once: the same bytes again, also after another rotation', async () => {
      const first = await post({}, 'one').expect(200);
      await rotate();
      harness.advance(HOUR);
      const again = await post({}, 'one').expect(200);
      expect(again.text).to.equal(first.text);
      expect(again.headers['idempotent-replayed']).to.equal('true');
      expect((await secrets()).previous).to.have.length(2);
    });

    it('rotates once when two requests come at the same instant', async () => {
      const [a, b] = await Promise.all([post({}, 'same'), post({}, 'same')]);
      expect([a.status, b.status, b.text]).to.deep.equal([200, 200, a.text]);
      expect((await secrets()).previous).to.have.length(1);
    });

    it('and another body: 409', async () => {
      await post({}, 'other').expect(200);
      expectError(harness, await post({ overlap_hours: 0 }, 'other'), 409);
    });

    it('leaves no secret in plain text in any table', async () => {
      const { body } = await post({}, 'plain').expect(200);
      const { secret, previous } = body as Secrets;
      const stored = await everything(harness);
      expect(stored).to.include('/v1/webhooks/secrets/rotate');
      for (const text of [secret, ...previous.map((old) => old.secret)])
        for (const form of formsOf(text)) expect(stored.includes(form), form).to.equal(false);
    });
  });
});

function hmacOf({ headers, rawBody }: ReceivedRequest, secret: string): string {
  const timestamp = String(headers['x-webhook-timestamp']);
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
}

function isStandard({ headers, rawBody }: ReceivedRequest, secret: string): boolean {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, rawBody.toString());
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

/** Every row of every table as text; bytea comes as hex. */
async function everything({ ctx }: Harness): Promise<string> {
  const tables = await ctx.db.raw<{ rows: { name: string }[] }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await ctx.db.raw<{ rows: { text: string }[] }>(`SELECT t::text AS text FROM ${name} t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

/** The secret as text, as bytes and as the key that it stands for. */
function formsOf(secret: string): string[] {
  const encoded = secret.replace('whsec_', '');
  return [
    encoded,
    Buffer.from(encoded).toString('hex'),
    Buffer.from(encoded, 'base64').toString('hex'),
    Buffer.from(secret).toString('base64').slice(0, 60),
  ];
}
