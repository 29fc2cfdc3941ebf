import { expect } from 'chai';
import { addApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { newWebhookSecret, secretBoxOf } from '../../../src/platform/secret-box.ts';
import { execute } from '../../../dev/embedded-postgres/databases.ts';
import { loadMigration } from '../../../src/platform/postgres/migrate.ts';
import { expectError, expectLimitHeaders } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('specification: Webhook configuration', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const put = (body: object, apiKey?: string) => harness.api('put', '/v1/webhooks/config', apiKey).send(body);
  const get = async (apiKey?: string) =>
    (await harness.api('get', '/v1/webhooks/config', apiKey).expect(200)).body;
  const config = { webhookUrl: 'https://shop.example/hooks', enabled: true };

  it('webhookUrl: the URL that receives webhook events; enabled: whether webhooks are sent', async () => {
    const { apiKey } = await harness.addMerchant();
    const { health, ...unset } = await get(apiKey);
    expect(health.state).to.equal('unused');
    expect(unset).to.deep.equal({
      webhookUrl: null,
      enabled: false,
      updatedAt: harness.ctx.now().toISOString(),
    });
    harness.advance(1);
    const answer = await put(config, apiKey).expect(200);
    expect(answer.text).to.equal(JSON.stringify({ ...config, updatedAt: harness.ctx.now().toISOString() }));
    expectLimitHeaders(answer);
    const untested = { ...health, state: 'untested' };
    expect(await get(apiKey)).to.deep.equal({ ...answer.body, health: untested });
  });

  it('can be disabled, with or without a URL', async () => {
    await put(config).expect(200);
    expect((await put({ ...config, enabled: false }).expect(200)).body).to.include({
      ...config,
      enabled: false,
    });
    expect((await put({ webhookUrl: null, enabled: false }).expect(200)).body).to.include({
      webhookUrl: null,
    });
    expect(await get()).to.include({ webhookUrl: null, enabled: false });
  });

  it('webhookUrl null while enabled: 400, and the configuration stays', async () => {
    await put(config).expect(200);
    expectError(harness, await put({ webhookUrl: null, enabled: true }), 400, {
      field: 'webhookUrl',
      constraint: 'type',
    });
    expect(await get()).to.include(config);
  });

  it('keeps a URL as it was written', async () => {
    for (const webhookUrl of [
      'https://Shop.Example:443/a/../b?x=%20&y=ü#z',
      `https://shop.example/${'a'.repeat(2027)}`,
      'http://127.0.0.1:8080/hooks',
    ])
      expect((await put({ webhookUrl, enabled: true }).expect(200)).body.webhookUrl).to.equal(webhookUrl);
  });

  it("is the merchant's own", async () => {
    await put(config).expect(200);
    const { apiKey } = await harness.addMerchant();
    await put({ webhookUrl: 'https://other.example/', enabled: true }, apiKey).expect(200);
    expect(await get()).to.include(config);
  });

  describe('GET /v1/webhooks/secrets', () => {
    const secrets = (apiKey?: string) => harness.api('get', '/v1/webhooks/secrets', apiKey);

    it('returns { secret, created_at, previous } with the secret that signs', async () => {
      const { apiKey, webhookSecret } = await harness.addMerchant();
      const answer = await secrets(apiKey).expect(200);
      expect(answer.text).to.equal(
        JSON.stringify({ secret: webhookSecret, created_at: harness.ctx.now().toISOString(), previous: [] }),
      );
      expect(webhookSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(answer.headers['cache-control']).to.equal('no-store');
      expectLimitHeaders(answer);
    });

    it('lists a rotated secret until its overlap ends', async () => {
      const { id, apiKey, webhookSecret } = await harness.addMerchant();
      harness.advance(60);
      const now = harness.ctx.now();
      const expiresAt = addSeconds(now, 3600);
      const next = newWebhookSecret();
      const encrypted = secretBoxOf(harness.ctx.config).encrypt(next, id);
      await harness.ctx.db.raw('UPDATE webhook_secrets SET expires_at = ? WHERE merchant_id = ?', [
        expiresAt,
        id,
      ]);
      await harness.ctx.db.raw(
        'INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext) VALUES (?, ?, ?, ?)',
        [id, now, encrypted.keyId, encrypted.ciphertext],
      );
      expect((await secrets(apiKey).expect(200)).body).to.deep.equal({
        secret: next,
        created_at: now.toISOString(),
        previous: [{ secret: webhookSecret, expires_at: expiresAt.toISOString() }],
      });
      harness.advance(3600);
      expect((await secrets(apiKey).expect(200)).body.previous).to.deep.equal([]);
    });

    it('needs webhooks:secrets, which a key that had webhooks:read before has', async () => {
      const { config, db, now } = harness.ctx;
      const { id } = await harness.addMerchant();
      const reader = await addApiKey(config, db, id, ['webhooks:read'], now());
      const other = await addApiKey(config, db, id, ['webhooks:write'], now());
      expectError(harness, await secrets(reader), 403);
      const { down, statements } = loadMigration('0019_webhook_secrets_permission');
      await execute(harness.ctx.config.databaseUrl, ...down, ...statements, ...statements);
      // Callers are cached for ten seconds.
      harness.advance(11);
      await secrets(reader).expect(200);
      expectError(harness, await secrets(other), 403);
    });

    it("is the merchant's own", async () => {
      const { apiKey } = await harness.addMerchant();
      expect((await secrets(apiKey)).body.secret).to.not.equal((await secrets()).body.secret);
    });
  });
});
