import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { resealSecrets } from '../../../src/domain/webhooks/reseal.ts';
import { SecretBoxError } from '../../../src/domain/webhooks/secrets.ts';
import { rotateSecret } from '../../../src/domain/webhooks/rotate.ts';
import { getWebhookSecrets } from '../../../src/domain/webhooks/settings.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { IdempotencyClaim } from '../../../src/platform/endpoint.ts';
import { createWorld, type World } from '../../support/world.ts';

describe('rotating SECRETS_KEY', () => {
  let world: World;
  let old: Context;
  let both: Context;
  let next: Context;
  beforeEach(async () => {
    world = await createWorld();
    const [key] = world.ctx.config.secretsKeys;
    if (key === undefined) throw new Error('the test has no key');
    const withKeys = (secretsKeys: readonly Buffer[]): Context => ({
      ...world.ctx,
      config: { ...world.ctx.config, secretsKeys },
    });
    const newKey = randomBytes(32);
    [old, both, next] = [withKeys([key]), withKeys([newKey, key]), withKeys([newKey])];
  });
  afterEach(() => world.close());

  const claim = (key: string): IdempotencyClaim => ({
    merchantId: world.merchant.id,
    method: 'POST',
    path: '/v1/webhooks/secrets/rotate',
    key,
    bodyHash: Buffer.from('x'),
  });
  const rotate = (ctx: Context, key: string | null = null) =>
    rotateSecret(ctx, { merchantId: world.merchant.id }, {}, key === null ? null : claim(key));

  it('reseals what is under another key, with rotated secrets and kept answers; then the old key is needed no more', async () => {
    const other = await world.addMerchant();
    const answer = await rotate(old, 'a');
    await rotate(both, 'b');
    const before = await getWebhookSecrets(both, world.merchant.id);
    const refused = getWebhookSecrets(next, world.merchant.id);
    expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(SecretBoxError);

    expect(await resealSecrets(both)).to.deep.equal({ secrets: 3, answers: 1 });
    expect(await getWebhookSecrets(next, world.merchant.id)).to.deep.equal(before);
    expect((await getWebhookSecrets(next, other.id)).secret).to.equal(other.webhookSecret);
    const replayed = await rotate(next, 'a');
    expect([replayed.text, replayed.headers]).to.deep.equal([answer.text, { 'Idempotent-Replayed': 'true' }]);
    expect(await resealSecrets(both)).to.deep.equal({ secrets: 0, answers: 0 });
    expect(await resealSecrets(next)).to.deep.equal({ secrets: 0, answers: 0 });
  });

  it('reseals more than one statement takes, while merchants rotate theirs, and loses none', async () => {
    const merchants = [];
    for (let count = 0; count < 30; count += 1) merchants.push(await world.addMerchant());
    await world.ctx.db.raw(
      `INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext, expires_at)
       SELECT s.merchant_id, s.created_at - n * interval '1 ms', s.key_id, s.ciphertext, ?
       FROM webhook_secrets s, generate_series(1, 40) AS n`,
      [world.ctx.now()],
    );
    const [first, second] = await Promise.all([
      resealSecrets(both),
      resealSecrets(both),
      ...merchants.map(({ id }) => rotateSecret(both, { merchantId: id }, {}, null)),
    ] as const);
    expect(first.secrets + second.secrets).to.equal(31 * 41);
    for (const { id, webhookSecret } of merchants) {
      const { previous } = await getWebhookSecrets(next, id);
      expect(previous.map(({ secret }) => secret)).to.deep.equal([webhookSecret]);
    }
  });

  it('without the old key fails with the name of the key that is missing', async () => {
    const failure = await resealSecrets(next).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(SecretBoxError);
    expect(String(failure)).to.match(/SECRETS_KEY lacks the key [0-9a-f]{8}/);
  });
});
