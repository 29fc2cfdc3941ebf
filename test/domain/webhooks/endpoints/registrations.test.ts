import { expect } from 'chai';
import { lockMerchant } from '../../../../src/domain/merchants/store.ts';
import { changeEndpoint } from '../../../../src/domain/webhooks/registrations/change.ts';
import { MAX_AT_ORIGIN } from '../../../../src/domain/webhooks/registrations/schemas.ts';
import type { Tx } from '../../../../src/platform/postgres/db.ts';
import { newId } from '../../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { waitingFor } from '../../../support/locks.ts';

describe('a change of a registered endpoint', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const caller = () => ({ merchantId: harness.merchant.id });
  const register = async (url: string, on: Tx | typeof harness.ctx.db = harness.ctx.db) => {
    const [id, now] = [newId('whe', harness.ctx.now()), harness.ctx.now()];
    const row = { id, merchant_id: harness.merchant.id, url, payload: 'full', is_enabled: true };
    await on('endpoint_registrations').insert({ ...row, created_at: now, updated_at: now });
    return id;
  };
  const rowOf = (id: string) =>
    harness.ctx.db('endpoint_registrations').where({ id }).first<Record<string, unknown>>();
  const pause = (id: string) =>
    changeEndpoint(harness.ctx, caller(), id, ({ url, event_types, description, payload }) => ({
      url,
      event_types,
      description,
      payload,
      enabled: false,
    }));
  const move = (id: string, url: string) => changeEndpoint(harness.ctx, caller(), id, () => ({ url }));

  it('finds what another one, for which it waits, has set', async () => {
    const id = await register('https://receiver.example/old');
    const url = 'https://receiver.example/new';
    const change = async (tx: Tx) => {
      await lockMerchant(tx, harness.merchant.id);
      await tx('endpoint_registrations').where({ id }).update({ url });
    };
    await waitingFor(harness.ctx.db, change, () => pause(id));
    expect(await rowOf(id)).to.include({ url, is_enabled: false });
  });

  it('to an origin finds the last place there taken by another one, for which it waits', async () => {
    const id = await register('https://receiver.example/hooks');
    for (let at = 1; at < MAX_AT_ORIGIN; at += 1) await register(`https://full.example/${at}`);
    const last = async (tx: Tx) => {
      await lockMerchant(tx, harness.merchant.id);
      await register('https://full.example/last', tx);
    };
    const refused = await waitingFor(harness.ctx.db, last, () =>
      move(id, 'https://full.example/late').catch((error: unknown) => error),
    );
    expect(refused).to.include({ code: 'too_many_endpoints' });
    expect(await rowOf(id)).to.include({ url: 'https://receiver.example/hooks' });
  });

  it('of one that is deleted meanwhile changes nothing of it', async () => {
    const id = await register('https://receiver.example/hooks');
    const remove = (tx: Tx) =>
      tx('endpoint_registrations').where({ id }).update({ deleted_at: harness.ctx.now() });
    const refused = await waitingFor(harness.ctx.db, remove, () =>
      move(id, 'https://receiver.example/new').catch((error: unknown) => error),
    );
    expect(refused).to.include({ code: 'endpoint_not_found' });
    expect(await rowOf(id)).to.include({ url: 'https://receiver.example/hooks' });
  });
});
