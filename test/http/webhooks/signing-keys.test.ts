import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import type { Jwks, SigningKeys } from '../../../src/domain/webhooks/signing-keys/schemas.ts';
import { verifyWebhook } from '../../../src/sdk/index.ts';
import { configure } from '../../support/deliveries.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop, type Shop } from '../../support/shop.ts';

const HOUR = 3600;

describe('ed25519 signatures of webhooks', () => {
  let harness: Harness;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
    receiver = await startReceiver();
    await configure(harness, receiver.url);
    await harness.work();
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const rotate = async (body: object = {}) =>
    (await harness.api('post', '/v1/webhooks/signing-keys').send(body).expect(201)).body as SigningKeys;
  const keys = async () =>
    (await harness.api('get', '/v1/webhooks/signing-keys').expect(200)).body as SigningKeys;
  const jwks = async ({ jwks_url }: SigningKeys) => {
    const response = await harness.api('get', new URL(jwks_url).pathname, null).expect(200);
    expect(response.headers['cache-control']).to.equal('public, max-age=300');
    return response.body as Jwks;
  };
  const deliver = async () => {
    await shop.create();
    await harness.work();
    const request = receiver.requests.at(-1);
    if (request === undefined) throw new Error('nothing was delivered');
    return { headers: request.headers, rawBody: String(request.rawBody), now: harness.ctx.now() };
  };
  const versions = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['webhook-signature']).replaceAll(/,[^ ]*/g, '');

  it('stand beside those of secrets once a merchant has a key pair, and verify with the public key alone', async () => {
    expect((await keys()).keys).to.deep.equal([]);
    expect(versions(await deliver())).to.equal('v1');
    const made = await rotate();
    expect(made).to.deep.equal(await keys());
    const request = await deliver();
    expect(versions(request)).to.equal('v1 v1a');
    const [key] = made.keys;
    const publicKeys = key?.public_key ?? '';
    expect(verifyWebhook({ ...request, publicKeys })).to.include({ ok: true });
    expect(verifyWebhook({ ...request, secrets: harness.merchant.webhookSecret })).to.include({ ok: true });
    const altered = { ...request, rawBody: request.rawBody.replace('10.50', '99.50') };
    expect(verifyWebhook({ ...altered, publicKeys })).to.include({ ok: false, reason: 'no_match' });
    const old = { ...request, now: new Date(request.now.getTime() + 301_000) };
    expect(verifyWebhook({ ...old, publicKeys })).to.include({ ok: false, reason: 'timestamp_too_old' });
  });

  it('verify with the key set that anybody reads, by the cryptography of Node alone', async () => {
    const made = await rotate();
    const { headers, rawBody } = await deliver();
    const set = await jwks(made);
    expect(set.keys.map(({ kid }) => kid)).to.deep.equal(made.keys.map(({ kid }) => kid));
    const [jwk] = set.keys;
    const signature = /v1a,(\S+)/.exec(String(headers['webhook-signature']))?.[1] ?? '';
    const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${rawBody}`;
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    expect(verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))).to.equal(true);
    expect(verify(null, Buffer.from(`${content} `), key, Buffer.from(signature, 'base64'))).to.equal(false);
  });

  it('are of one merchant: the keys of another verify nothing, and an unknown one has none', async () => {
    await rotate();
    const request = await deliver();
    const other = await harness.addMerchant();
    const theirs = await harness.api('post', '/v1/webhooks/signing-keys', other.apiKey).send({}).expect(201);
    expect(verifyWebhook({ ...request, publicKeys: theirs.body.keys[0].public_key })).to.include({
      ok: false,
      reason: 'no_match',
    });
    for (const id of ['mer_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nobody'])
      expect((await harness.api('get', `/v1/webhooks/jwks/${id}`, null).expect(200)).body).to.deep.equal({
        keys: [],
      });
  });

  it('of the old and the new key overlap as long as the merchant asks', async () => {
    const [old] = (await rotate()).keys;
    const made = await rotate({ overlap_hours: 2 });
    expect(made.keys).to.have.length(2);
    const request = await deliver();
    expect(versions(request)).to.equal('v1 v1a v1a');
    expect(verifyWebhook({ ...request, publicKeys: old?.public_key ?? '' }).ok).to.equal(true);
    harness.advance(2 * HOUR + 1);
    const later = await deliver();
    expect(versions(later)).to.equal('v1 v1a');
    expect(verifyWebhook({ ...later, publicKeys: old?.public_key ?? '' }).ok).to.equal(false);
    expect((await jwks(made)).keys).to.have.length(1);
  });

  it('leave no private key in any reply', async () => {
    await rotate();
    const texts = [
      JSON.stringify(await rotate()),
      JSON.stringify(await keys()),
      JSON.stringify(await jwks(await keys())),
    ];
    for (const text of texts) expect(text).not.to.match(/whsk_|"d"/);
  });

  it('are verified without any key only by mistake: a TypeError', async () => {
    const request = await deliver();
    expect(() => verifyWebhook({ ...request, publicKeys: [] })).to.throw(TypeError);
    expect(() => verifyWebhook({ ...request, publicKeys: 'whpk_AAAA' })).to.throw(TypeError, 'whpk_');
  });
});
