import { expect } from 'chai';
import { addApiKey, findCaller, revokeApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { createMerchant, listMerchants } from '../../../src/domain/merchants/store.ts';
import { getWebhookSecrets } from '../../../src/domain/webhooks/secrets/read.ts';
import { PERMISSIONS } from '../../../src/domain/api/endpoint.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const SHOP = { name: 'Shop', currency: 'USDT', network: 'tron', permissions: PERMISSIONS };

describe('merchants', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const callerOf = (key: string) => findCaller(harness.ctx.db, hashApiKey(key));
  const revoke = (merchantId: string, key: string) =>
    harness.ctx.db.transaction((tx) => revokeApiKey(tx, merchantId, key, harness.ctx.now()));

  it('are created with a key that is theirs, a webhook secret, and where they settle', async () => {
    const made = await createMerchant(harness.ctx, SHOP);
    expect(made.merchantId).to.match(/^mer_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(made.apiKey).to.match(/^sk_test_[A-Za-z0-9_-]{32}$/);
    expect(made.webhookSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await callerOf(made.apiKey)).to.deep.equal({
      merchantId: made.merchantId,
      settlementCurrency: 'USDT',
      settlementNetwork: 'tron',
      permissions: [...PERMISSIONS],
      mode: 'test',
      policy: {},
    });
    expect((await getWebhookSecrets(harness.ctx, made.merchantId)).secret).to.equal(made.webhookSecret);
  });

  it('cannot settle in a coin that does not live on the network, and nothing is stored of those who try', async () => {
    for (const [currency, network] of [
      ['BTC', 'tron'],
      ['usdt', 'tron'],
      ['USDT', 'constructor'],
      ['', ''],
    ] as const) {
      const failure = createMerchant(harness.ctx, { ...SHOP, currency, network });
      expect(await failure.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    }
    expect(await listMerchants(harness.ctx.db)).to.have.length(1);
  });

  it('neither key nor secret can be read from the database', async () => {
    const made = await createMerchant(harness.ctx, SHOP);
    for (const table of ['merchants', 'api_keys', 'webhook_secrets']) {
      const { rows } = await harness.ctx.db.raw<{ rows: { row: string }[] }>(
        `SELECT t::text AS row FROM ${table} t`,
      );
      const text = rows.map(({ row }) => row).join('\n');
      for (const secret of [made.apiKey, made.webhookSecret]) {
        expect(text).to.not.include(secret.slice(14));
        expect(text).to.not.include(Buffer.from(secret).toString('hex'));
      }
    }
  });

  it('may have several keys, each with its own permissions, that end one by one', async () => {
    const { merchantId, apiKey } = await createMerchant(harness.ctx, SHOP);
    const reader = await addApiKey(
      harness.ctx.config,
      harness.ctx.db,
      merchantId,
      ['payments:read'],
      harness.ctx.now(),
    );
    expect((await callerOf(reader))?.permissions).to.deep.equal(['payments:read']);
    expect(await revoke(merchantId, reader.slice(0, 13))).to.equal(1);
    expect(await callerOf(reader)).to.equal(null);
    expect(await revoke(merchantId, reader)).to.equal(0);
    expect((await callerOf(apiKey))?.permissions).to.deep.equal([...PERMISSIONS]);
    expect(await revoke(merchantId, apiKey)).to.equal(1);
    expect(await callerOf(apiKey)).to.equal(null);
  });

  it("cannot end another merchant's key", async () => {
    const [one, other] = [await createMerchant(harness.ctx, SHOP), await createMerchant(harness.ctx, SHOP)];
    expect(await revoke(one.merchantId, other.apiKey)).to.equal(0);
    expect((await callerOf(other.apiKey))?.merchantId).to.equal(other.merchantId);
  });

  it('are listed oldest first, with what may be seen of their keys', async () => {
    harness.advance(1);
    const { merchantId, apiKey } = await createMerchant(harness.ctx, SHOP);
    harness.advance(1);
    await addApiKey(harness.ctx.config, harness.ctx.db, merchantId, [], harness.ctx.now());
    await revoke(merchantId, apiKey);
    const [first, second] = await listMerchants(harness.ctx.db);
    expect(first?.merchant_id).to.equal(harness.merchant.id);
    expect(second).to.include({ merchant_id: merchantId, name: 'Shop', currency: 'USDT', network: 'tron' });
    expect(second?.keys.map(({ revoked, permissions }) => [revoked, permissions.length])).to.deep.equal([
      [true, PERMISSIONS.length],
      [false, 0],
    ]);
    expect(second?.keys[0]?.prefix).to.equal(apiKey.slice(0, 13));
  });

  it('with a permission that this version does not know are treated as if they lacked it', async () => {
    const { apiKey } = await createMerchant(harness.ctx, SHOP);
    await harness.ctx.db.raw(`UPDATE api_keys SET permissions = '{payments:read,root}'`);
    expect((await callerOf(apiKey))?.permissions).to.deep.equal(['payments:read']);
  });
});
