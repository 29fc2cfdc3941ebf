import { expect } from 'chai';
import { endWallet } from '../../src/domain/wallets/set.ts';
import { createHarness, type Harness, type TestMerchant } from '../support/harness.ts';
import { accountKey, addWallet, TREASURY, useWallet } from '../support/wallets.ts';

interface Listed {
  readonly data: readonly Record<string, unknown>[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}

describe('GET /v1/wallets', () => {
  let harness: Harness;
  let merchant: TestMerchant;
  before(async () => (harness = await createHarness()));
  beforeEach(async () => (merchant = await harness.addMerchant({ mode: 'live' })));
  after(() => harness.close());

  const list = async (query = '', key = merchant.apiKey) =>
    (await harness.api('get', `/v1/wallets${query}`, key).expect(200)).body as Listed;

  it("lists the merchant's wallets with their states, newest first", async () => {
    const { ctx } = harness;
    const retired = await useWallet(ctx, merchant.id);
    await endWallet(ctx, retired.id);
    harness.advance(1);
    const used = await useWallet(ctx, merchant.id, { kind: 'forwarder' });
    harness.advance(1);
    const pending = await addWallet(ctx, merchant.id);
    const { data, pagination } = await list();
    expect(data.map(({ id, state, kind }) => [id, state, kind])).to.deep.equal([
      [pending.id, 'pending', 'xpub'],
      [used.id, 'in_use', 'forwarder'],
      [retired.id, 'retired', 'xpub'],
    ]);
    expect(pagination).to.deep.equal({ limit: 20, has_more: false, next_cursor: null });
    expect(data[1]).to.deep.equal({
      id: used.id,
      kind: 'forwarder',
      state: 'in_use',
      networks: ['ethereum', 'polygon', 'base', 'arbitrum', 'optimism', 'bnb'],
      unaudited: true,
      public_key: null,
      treasury: TREASURY,
      created_at: used.created_at.toISOString(),
      confirmed_at: used.confirmed_at?.toISOString(),
      retired_at: null,
    });
  });

  it('shows no public key as a whole, and nothing that is stored beside it', async () => {
    const key = accountKey(70);
    await addWallet(harness.ctx, merchant.id, { value: key });
    const text = JSON.stringify(await list());
    expect(text).to.include(`${key.slice(0, 8)}...${key.slice(-4)}`);
    expect(text)
      .to.not.include(key.slice(8, 20))
      .and.not.match(/mac|key_id|next_index/);
  });

  it("shows neither another merchant's wallets nor the installation's", async () => {
    const other = await harness.addMerchant({ mode: 'live' });
    await useWallet(harness.ctx, other.id);
    await useWallet(harness.ctx, null);
    expect((await list()).data).to.deep.equal([]);
    expect((await list('', harness.merchant.apiKey)).data).to.deep.equal([]);
    expect((await list('', other.apiKey)).data).to.have.lengthOf(1);
  });

  it('is walked by its cursor, and refuses one of another list', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      harness.advance(1);
      ids.unshift((await addWallet(harness.ctx, merchant.id)).id);
    }
    const found: unknown[] = [];
    for (let query = '?limit=2'; ;) {
      const { data, pagination } = await list(query);
      found.push(...data.map(({ id }) => id));
      if (pagination.next_cursor === null) break;
      query = `?limit=2&cursor=${pagination.next_cursor}`;
    }
    expect(found).to.deep.equal(ids);
    for (const query of ['?cursor=bWVyXzE', '?limit=0', '?limit=101', '?merchant=x'])
      await harness.api('get', `/v1/wallets${query}`, merchant.apiKey).expect(400);
  });

  it('says of a wallet whose row was changed that it is refused, and nothing of what stands there', async () => {
    const { ctx } = harness;
    const wallet = await useWallet(ctx, merchant.id, { kind: 'forwarder' });
    for (const change of [{ public_data: '{}' }, { public_data: 'x' }, { kind: 'xpub', public_data: '0x' }]) {
      await ctx.db('wallets').where({ id: wallet.id }).update(change);
      const [shown] = (await list()).data;
      expect(shown).to.include({ id: wallet.id, state: 'refused', public_key: null, treasury: null });
    }
    // Of a release that is newer than this one.
    await ctx.db('wallets').where({ id: wallet.id }).update({ kind: 'gold' });
    expect((await list()).data).to.deep.equal([]);
  });

  it('needs wallets:read', async () => {
    const { apiKey } = await harness.addMerchant({ mode: 'live', permissions: ['payments:read'] });
    await harness.api('get', '/v1/wallets', apiKey).expect(403);
    await harness.api('get', '/v1/wallets', null).expect(401);
  });

  it('is all there is: no request sets a wallet', async () => {
    for (const method of ['post', 'put', 'delete', 'patch'] as const)
      await harness.api(method, '/v1/wallets', merchant.apiKey).expect(405);
  });
});
