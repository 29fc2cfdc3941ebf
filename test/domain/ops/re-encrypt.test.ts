import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { reEncryptSecrets } from '../../../src/domain/ops/re-encrypt.ts';
import { SecretBoxError } from '../../../src/platform/secret-box.ts';
import { rotateSecret } from '../../../src/domain/webhooks/secrets/rotate.ts';
import { getWebhookSecrets } from '../../../src/domain/webhooks/secrets/read.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { IdempotencyClaim } from '../../../src/domain/api/endpoint.ts';
import { useTotp } from '../../../src/domain/people/factors/totp.ts';
import { joinDesk } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('rotating SECRETS_KEY', () => {
  let harness: Harness;
  let old: Context;
  let both: Context;
  let next: Context;
  beforeEach(async () => {
    harness = await createHarness();
    const [key] = harness.ctx.config.secretsKeys;
    if (key === undefined) throw new Error('the test has no key');
    const withKeys = (secretsKeys: readonly Buffer[]): Context => ({
      ...harness.ctx,
      config: { ...harness.ctx.config, secretsKeys },
    });
    const newKey = randomBytes(32);
    [old, both, next] = [withKeys([key]), withKeys([newKey, key]), withKeys([newKey])];
  });
  afterEach(() => harness.close());

  const claim = (key: string): IdempotencyClaim => ({
    merchantId: harness.merchant.id,
    method: 'POST',
    path: '/v1/webhooks/secrets/rotate',
    key,
    bodyHash: Buffer.from('x'),
  });
  const rotate = (ctx: Context, key: string | null = null) =>
    rotateSecret(ctx, { merchantId: harness.merchant.id }, {}, key === null ? null : claim(key));

  it('re-encrypts rotated secrets and stored replies, after which the old key is not needed', async () => {
    const other = await harness.addMerchant();
    const answer = await rotate(old, 'a');
    await rotate(both, 'b');
    const before = await getWebhookSecrets(both, harness.merchant.id);
    const failing = getWebhookSecrets(next, harness.merchant.id);
    expect(await failing.catch((error: unknown) => error)).to.be.instanceOf(SecretBoxError);

    expect(await reEncryptSecrets(both)).to.deep.equal({ secrets: 3, answers: 1 });
    expect(await getWebhookSecrets(next, harness.merchant.id)).to.deep.equal(before);
    expect((await getWebhookSecrets(next, other.id)).secret).to.equal(other.webhookSecret);
    const replayed = await rotate(next, 'a');
    expect([replayed.text, replayed.headers]).to.deep.equal([answer.text, { 'Idempotent-Replayed': 'true' }]);
    expect(await reEncryptSecrets(both)).to.deep.equal({ secrets: 0, answers: 0 });
    expect(await reEncryptSecrets(next)).to.deep.equal({ secrets: 0, answers: 0 });
  });

  it("re-encrypts the secrets of people's apps, whose codes go on to be right", async () => {
    const person = await joinDesk(harness, 'ann@shop.example');
    harness.advance(30);
    const given = { code: person.code(), now: harness.ctx.now() };
    const early: unknown = await useTotp(next, harness.ctx.db, person.id, given).catch(
      (error: unknown) => error,
    );
    expect(early).to.be.instanceOf(SecretBoxError);
    await reEncryptSecrets(both);
    expect(await useTotp(next, harness.ctx.db, person.id, given)).to.equal(true);
  });

  it('re-encrypts more than one batch while merchants rotate theirs, and loses none', async () => {
    const merchants = [];
    for (let count = 0; count < 30; count += 1) merchants.push(await harness.addMerchant());
    await harness.ctx.db.raw(
      `INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext, expires_at)
       SELECT s.merchant_id, s.created_at - n * interval '1 ms', s.key_id, s.ciphertext, ?
       FROM webhook_secrets s, generate_series(1, 40) AS n`,
      [harness.ctx.now()],
    );
    const [first, second] = await Promise.all([
      reEncryptSecrets(both),
      reEncryptSecrets(both),
      ...merchants.map(({ id }) => rotateSecret(both, { merchantId: id }, {}, null)),
    ] as const);
    expect(first.secrets + second.secrets).to.equal(31 * 41);
    for (const { id, webhookSecret } of merchants) {
      const { previous } = await getWebhookSecrets(next, id);
      expect(previous.map(({ secret }) => secret)).to.deep.equal([webhookSecret]);
    }
  });

  it('without the old key fails with the name of the key that is missing', async () => {
    const failure = await reEncryptSecrets(next).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(SecretBoxError);
    expect(String(failure)).to.match(/SECRETS_KEY lacks the key [0-9a-f]{8}/);
  });
});
