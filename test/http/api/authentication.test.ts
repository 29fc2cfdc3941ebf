import { expect } from 'chai';
import { addApiKey, revokeApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { PERMISSIONS, type Permission } from '../../../src/domain/api/endpoint.ts';
import { newApiKey } from '../../../src/platform/values/cells.ts';
import { CONTRACT_ENDPOINTS } from '../../support/documents.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import {
  countRows,
  createPayment,
  expectError,
  ORDER,
  send,
  withoutPlace,
  type Listening,
} from '../../support/http.ts';
import { recordQueries } from '../../support/statements.ts';
import type { Harness } from '../../support/harness.ts';
import { servedHarness } from '../../support/served-harness.ts';

const MISSING = `pay_${'0'.repeat(26)}`;

/** What each endpoint needs (contract, "Endpoints"); GET /v1/status needs no key. */
const NEEDS = CONTRACT_ENDPOINTS.filter(({ needsKey }) => needsKey).map(
  ({ method, path, permissions }) =>
    [
      method.toLowerCase() as 'get' | 'post' | 'put',
      path.replace(':id', MISSING),
      permissions as Permission[],
    ] as const,
);

describe('specification: Authentication', () => {
  let harness: Harness;
  let server: Listening;
  servedHarness((opened) => ({ harness, server } = opened));

  it('is asked for by every endpoint but GET /v1/status and the public keys', () => {
    const asking = ENDPOINTS.filter(({ auth }) => auth === 'required').map(({ method, path }) => [
      method,
      path,
    ]);
    expect(asking).to.have.deep.members(
      NEEDS.map(([method, path]) => [method, path.replace(MISSING, ':id')]),
    );
    const open = ENDPOINTS.filter(({ auth }) => auth !== 'required').map(({ path }) => path);
    expect(open).to.deep.equal(['/v1/status', '/v1/webhooks/jwks/:merchant_id']);
  });

  describe('a missing or invalid key: 401 on every endpoint, before anything else is looked at', () => {
    const KEYS: readonly [name: string, key: (() => string) | null][] = [
      ['missing', null],
      ['empty', () => ''],
      ['unknown', () => newApiKey('test')],
      ['without its prefix', () => harness.merchant.apiKey.slice(3)],
      ['with a letter less', () => harness.merchant.apiKey.slice(0, -1)],
      ['with a letter more', () => `${harness.merchant.apiKey}A`],
      ['in the wrong case', () => harness.merchant.apiKey.toUpperCase()],
      ['with Bearer before it', () => `Bearer ${harness.merchant.apiKey}`],
      ['very long', () => `sk_${'a'.repeat(5_000)}`],
      ["the merchant's id", () => harness.merchant.id],
      ['the webhook secret', () => harness.merchant.webhookSecret],
    ];
    for (const [name, key] of KEYS)
      it(name, async () => {
        const before_ = await countRows(harness);
        for (const [method, path] of NEEDS) {
          const request = harness.api(method, path, key === null ? null : key());
          expectError(
            harness,
            await (method === 'get' ? request : request.type('text/plain').send('{')),
            401,
          );
        }
        expect(await countRows(harness)).to.deep.equal(before_);
      });

    it('given twice', async () => {
      const { apiKey } = harness.merchant;
      expectError(harness, await send(server, 'GET', '/v1/payments', { 'X-API-Key': [apiKey, apiKey] }), 401);
    });
    it('in the query', async () => {
      expectError(
        harness,
        await harness.api('get', `/v1/payments?api_key=${harness.merchant.apiKey}`, null),
        401,
      );
    });
    it('in Authorization', async () => {
      const { apiKey } = harness.merchant;
      expectError(
        harness,
        await harness.api('get', '/v1/payments', null).set('Authorization', `Bearer ${apiKey}`),
        401,
      );
    });
    it('says which of them it is: no key, one in Authorization, none that is a key, or an unknown one', async () => {
      const messageOf = async (headers: Record<string, string>) =>
        (await send(server, 'GET', '/v1/payments', headers)).body.message as string;
      const unknown = newApiKey('test');
      expect(await messageOf({})).to.match(/^There is no X-API-Key header\./);
      for (const scheme of ['Bearer', 'Basic'])
        expect(await messageOf({ Authorization: `${scheme} ${harness.merchant.apiKey}` })).to.match(
          /^Authorization is not read\. .* X-API-Key\.$/,
        );
      expect(await messageOf({ 'X-API-Key': '$KEY' })).to.match(
        /^X-API-Key holds no key: one begins with sk_/,
      );
      expect(await messageOf({ 'X-API-Key': unknown, Authorization: 'Bearer x' })).to.equal(
        'The key in X-API-Key is unknown, or was revoked, or has expired.',
      );
    });
    it('does not distinguish a revoked key from one that never was', async () => {
      const { id } = await harness.addMerchant();
      const { config, db, now } = harness.ctx;
      const revoked = await addApiKey(config, db, id, PERMISSIONS, now());
      await db.transaction((tx) => revokeApiKey(tx, id, revoked, now()));
      const answers = [revoked, newApiKey('test')].map((key) => harness.api('get', '/v1/payments', key));
      const [first, second] = (await Promise.all(answers)).map(({ body }) => withoutPlace(body));
      expect(first).to.deep.equal(second);
    });
  });

  it('takes the header in any case, and white space around the key', async () => {
    const { apiKey } = harness.merchant;
    expect((await send(server, 'GET', '/v1/payments', { 'x-Api-KEY': ` ${apiKey} ` })).status).to.equal(200);
  });

  it('takes a key as soon as it exists, also when it was tried before', async () => {
    const key = newApiKey('test');
    await harness.api('get', '/v1/payments', key).expect(401);
    const { config, db, now } = harness.ctx;
    const added = await addApiKey(config, db, harness.merchant.id, PERMISSIONS, now());
    await harness.api('get', '/v1/payments', added).expect(200);
    await harness.api('get', '/v1/payments').expect(200);
  });

  it('refuses a revoked key: 401 after the 10 s that a process remembers it', async () => {
    const { id, apiKey } = await harness.addMerchant();
    await harness.api('get', '/v1/payments', apiKey).expect(200);
    await harness.ctx.db.transaction((tx) => revokeApiKey(tx, id, apiKey, harness.ctx.now()));
    await harness.api('get', '/v1/payments', apiKey).expect(200);
    harness.advance(10);
    expectError(harness, await harness.api('get', '/v1/payments', apiKey), 401);
    expectError(harness, await harness.api('get', '/v1/payments', apiKey), 401);
  });

  it('asks Postgres for a key once in 10 s', async () => {
    const { apiKey } = await harness.addMerchant();
    const ask = () => harness.api('get', '/v1/webhooks/config', apiKey).expect(200);
    expect(await recordQueries(ask)).to.have.length(2);
    harness.advance(9.999);
    expect(await recordQueries(ask)).to.have.length(1);
    harness.advance(0.001);
    expect(await recordQueries(ask)).to.have.length(2);
  });

  it('asks Postgres nothing for what cannot be a key', async () => {
    const texts = await recordQueries(() => harness.api('get', '/v1/payments', 'sk_short').expect(401));
    expect(texts).to.deep.equal([]);
  });

  describe('a key without the permission: 403, before validation', () => {
    for (const [method, path, permissions] of NEEDS)
      it(`${method.toUpperCase()} ${path.replace(MISSING, ':id')} needs ${permissions.join(' and ')}, and nothing else`, async () => {
        for (const permission of permissions) {
          const without = await harness.addMerchant({
            permissions: PERMISSIONS.filter((other) => other !== permission),
          });
          const before_ = await countRows(harness);
          const invalid = harness.api(method, `${path}?bogus=1`, without.apiKey);
          const answer = await (method === 'get'
            ? invalid
            : invalid.type('text/plain').send('{'.repeat(200_000)));
          expectError(harness, answer, 403);
          expect(answer.body.message).to.include(permission);
          expect(await countRows(harness)).to.deep.equal(before_);
        }

        const only = await harness.addMerchant({ permissions });
        const allowed = harness.api(method, path, only.apiKey);
        const { status } = await (method === 'get' ? allowed : allowed.send({}));
        // 201: an endpoint that needs no body; 415: one that takes a file.
        expect(status).to.be.oneOf([200, 201, 400, 404, 415]);
      });

    it('a key may have no permission at all: then it is known, and may do nothing', async () => {
      const { id, apiKey } = await harness.addMerchant({ permissions: [] });
      for (const [method, path] of NEEDS) expectError(harness, await harness.api(method, path, apiKey), 403);
      const { body } = await harness.api('get', '/v1/status', apiKey).expect(200);
      expect(body).to.include({ authenticated: true, merchant_id: id });
    });
  });

  describe("another merchant's payment: 404, the same bytes as one that does not exist", () => {
    for (const [method, pathOf] of [
      ['get', (id: string) => `/v1/payment/${id}`],
      ['post', (id: string) => `/v1/payment/${id}/refund`],
      ['post', (id: string) => `/v1/sandbox/payments/${id}/transfers`],
      ['post', (id: string) => `/v1/sandbox/payments/${id}/replace`],
    ] as const)
      it(`${method.toUpperCase()} ${pathOf(':id')}`, async () => {
        const { id } = await createPayment(harness);
        const stranger = await harness.addMerchant();
        const before_ = await countRows(harness);
        const ask = (asked: string) => {
          const request = harness
            .api(method, pathOf(asked), stranger.apiKey)
            .set('Idempotency-Key', 'stranger');
          return method === 'get' ? request : request.send({});
        };
        const hidden = await ask(id);
        const missing = await ask(MISSING);
        expectError(harness, hidden, 404);
        expect(withoutPlace(hidden.body)).to.deep.equal(withoutPlace(missing.body));
        expect(await countRows(harness)).to.deep.equal(before_);
      });

    it('is not in the list', async () => {
      await createPayment(harness);
      const stranger = await harness.addMerchant();
      const mine = await createPayment(harness, ORDER, stranger.apiKey);
      const { body } = await harness.api('get', '/v1/payments', stranger.apiKey).expect(200);
      expect(body.data).to.deep.equal([mine]);
      expect(body.pagination.total).to.equal(1);
    });
  });
});
