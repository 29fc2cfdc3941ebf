import { expect } from 'chai';
import { PERMISSIONS } from '../../../src/domain/api/endpoint.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { hiddenField, joinDesk, PASSWORD, type DeskPerson } from '../../support/desk.ts';

describe('the API keys at the desk', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example');
  });
  afterEach(() => harness.close());

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/developers/keys${rest}`;
  const keyIn = (text: string) => /sk_test_[\w-]{32}/.exec(text)?.[0] ?? null;
  const formOf = async (person = ann) => ({
    form: hiddenField((await person.get(page('/new'))).text, 'form'),
    'payments:read': 'on',
    days: '',
  });
  const create = async (fields: Record<string, string> = {}, person = ann) =>
    person.post(page('/new'), { ...(await formOf(person)), ...fields });
  const statusOf = async (key: string | null, path = '/v1/payments') =>
    (await harness.api('get', path, key)).status;
  const entries = () => harness.ctx.db('operator_actions').where('command', 'like', 'API key%').select();

  it('are made with the rights that are chosen, and work at once', async () => {
    const { status, text } = await create({ name: 'Till 2' });
    const key = keyIn(text);
    expect([status, await statusOf(key)]).to.deep.equal([200, 200]);
    const refused = await harness.api('post', '/v1/payment', key).send({ pay_amount: '1', order_id: '1' });
    expect(refused.status).to.equal(403);
    const list = (await ann.get(page())).text;
    expect(list)
      .to.include('Till 2')
      .and.include(`${key?.slice(0, 13)}…`);
  });

  it('are shown once: neither a reload, nor a list, nor the audit log, nor a table has one again', async () => {
    const fields = { ...(await formOf()), name: 'Shop' };
    const first = await ann.post(page('/new'), fields);
    const key = keyIn(first.text) ?? expect.fail('no key');
    expect(first.headers['cache-control']).to.equal('no-store');
    expect(first.location).to.equal(undefined);
    const again = await ann.post(page('/new'), fields);
    expect(again.text).to.include('was shown already').and.not.include(key);
    expect(keyIn(again.text)).to.equal(null);
    for (const path of [page(), `/dashboard/${harness.merchant.id}/audit`])
      expect(keyIn((await ann.get(path)).text), path).to.equal(null);
    const tables = await harness.ctx.db('pg_tables').where({ schemaname: 'public' }).select('tablename');
    for (const { tablename } of tables as { tablename: string }[])
      expect(JSON.stringify(await harness.ctx.db(tablename).select()), tablename).to.not.include(key);
    expect(await harness.ctx.db('api_keys').where({ name: 'Shop' }).select()).to.have.lengthOf(1);
  });

  it('say who has made them, and an owner who takes somebody their rights is told of those left behind', async () => {
    const bob = await joinDesk(harness, 'bob@shop.example', { role: 'developer' });
    const key = keyIn((await create({ name: 'Of Bob' }, bob)).text);
    const people = `/dashboard/${harness.merchant.id}/people`;
    expect((await ann.get(page())).text).to.include('bob@shop.example');
    const changed = await ann.post(`${people}/${bob.id}/role`, { role: 'read-only' });
    expect(changed.location).to.equal(`${page()}?of=${bob.id}`);
    const removed = await ann.post(`${people}/${bob.id}/remove`);
    expect(removed.location).to.equal(`${page()}?of=${bob.id}`);
    const told = 'Keys that bob@shop.example has made still work';
    expect((await ann.get(`${page()}?of=${bob.id}`)).text).to.include(told);
    expect(await statusOf(key), 'until an owner decides').to.equal(200);
    await ann.post(page(`/${key?.slice(0, 13)}/revoke`));
    expect((await ann.get(`${page()}?of=${bob.id}`)).text).to.not.include(told);
    const eve = await joinDesk(harness, 'eve@shop.example', { role: 'developer' });
    expect((await ann.post(`${people}/${eve.id}/remove`)).location).to.equal(`${people}?said=removed`);
  });

  it('are refused when they have ended, with a cached key as well', async () => {
    const key = keyIn((await create({ days: '1' })).text);
    harness.advance(86_399);
    expect(await statusOf(key)).to.equal(200);
    harness.advance(1);
    expect(await statusOf(key)).to.equal(401);
  });

  it('are refused from an address that is not on their list, also as a valid key', async () => {
    const elsewhere = keyIn((await create({ addresses: '192.0.2.1, 2001:db8::/32' })).text);
    const refused = await harness.api('get', '/v1/payments', elsewhere);
    expect([refused.status, (refused.body as { message: string }).message]).to.deep.equal([
      403,
      'The API key may not be used from the address 127.0.0.1.',
    ]);
    const { last_used_at } = await harness.ctx
      .db('api_keys')
      .where({ key_hash: hashApiKey(elsewhere ?? '') })
      .first<{ last_used_at: Date | null }>('last_used_at');
    expect(last_used_at).to.equal(null);
    expect(await statusOf(keyIn((await create({ addresses: '127.0.0.0/8' })).text))).to.equal(200);
  });

  it('say what is wrong with a form, which keeps what was entered', async () => {
    for (const [fields, part] of [
      [{ 'payments:read': '' }, 'Choose at least one right.'],
      [{ addresses: 'home' }, 'These are no addresses'],
      [{ addresses: '0.0.0.0/0' }, 'These are no addresses'],
      [{ addresses: Array.from({ length: 21 }, (_, i) => `10.0.0.${i}`).join(' ') }, 'at most 20'],
      [{ name: 'x'.repeat(101) }, 'at most 100'],
    ] as const) {
      const { status, text } = await create({ name: 'Kept', ...fields });
      expect([status, text.includes(part)], part).to.deep.equal([400, true]);
      expect(text).to.include('name' in fields ? 'x'.repeat(101) : 'value="Kept"');
    }
    expect(await harness.ctx.db('api_keys').select()).to.have.lengthOf(1);
  });

  it('get no right that who makes them has not', async () => {
    const dora = await joinDesk(harness, 'dora@shop.example', { role: 'developer' });
    const all = Object.fromEntries(PERMISSIONS.map((permission) => [permission, 'on']));
    expect((await dora.get(page('/new'))).text).to.not.include('refunds:write');
    await create({ ...all, name: 'By Dora' }, dora);
    const { permissions } = await harness.ctx
      .db('api_keys')
      .where({ name: 'By Dora' })
      .first<{ permissions: string[] }>('permissions');
    expect(permissions).to.include('payments:write').and.not.include('refunds:write');
  });

  it('are revoked after a page that asks, and refused then', async () => {
    const key = keyIn((await create()).text) ?? '';
    const prefix = key.slice(0, 13);
    expect((await ann.get(page(`/${prefix}/revoke`))).text).to.include(`Revoke ${prefix}…?`);
    expect((await ann.post(page(`/${prefix}/revoke`))).location).to.equal(page(`?was=${prefix}`));
    harness.advance(10);
    expect(await statusOf(key)).to.equal(401);
    expect((await ann.post(page(`/${prefix}/revoke`))).status).to.equal(404);
    expect((await ann.post(page(`/${harness.merchant.apiKey}/revoke`))).status).to.equal(404);
    expect((await ann.get(page(`?was=${prefix}`))).text).to.include(`The key ${prefix} was revoked.`);
  });

  it('are taken from other addresses within ten seconds of a change, which is written down', async () => {
    const key = keyIn((await create({ addresses: '127.0.0.1' })).text) ?? '';
    const prefix = key.slice(0, 13);
    const own = page(`/${prefix}/addresses`);
    const change = (addresses: string) => ann.post(own, { addresses });
    expect(await statusOf(key)).to.equal(200);
    expect((await ann.get(own)).text).to.include('127.0.0.1</textarea>');
    const changed = await change('192.0.2.1, 10.0.0.0/8');
    expect(changed.location).to.equal(page(`?from=${prefix}`));
    expect((await ann.get(page(`?from=${prefix}`))).text)
      .to.include(`The addresses of ${prefix} were changed.`)
      .and.include('10.0.0.0/8');
    harness.advance(10);
    expect(await statusOf(key)).to.equal(403);
    const wrong = await change('home');
    expect([wrong.status, wrong.text.includes('home</textarea>')]).to.deep.equal([400, true]);
    expect(await change('')).to.include({ status: 303 });
    harness.advance(10);
    expect(await statusOf(key)).to.equal(200);
    const written = (await entries()) as { command: string; actor: string; details: object }[];
    expect(written.slice(1).map(({ command, actor, details }) => [command, actor, details])).to.deep.equal(
      [
        [['127.0.0.1'], ['192.0.2.1', '10.0.0.0/8']],
        [['192.0.2.1', '10.0.0.0/8'], null],
      ].map(([before, after]) => ['API key addresses changed', ann.id, { key: prefix, before, after }]),
    );
  });

  it('keep their addresses once they have ended, and are opened by nobody whose role may less', async () => {
    const ending = keyIn((await create({ days: '1', addresses: '10.0.0.1' })).text)?.slice(0, 13) ?? '';
    const refunds = keyIn((await create({ 'refunds:write': 'on', addresses: '10.0.0.1' })).text) ?? '';
    const dora = await joinDesk(harness, 'dora@shop.example', { role: 'developer' });
    const path = page(`/${refunds.slice(0, 13)}/addresses`);
    for (const refused of [await dora.get(path), await dora.post(path, { addresses: '' })]) {
      expect(refused.status).to.equal(403);
      expect(refused.text)
        .to.include('This key may do more than your role may.')
        .and.not.include('<textarea');
    }
    harness.advance(86_400);
    await ann.post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    await ann.post('/dashboard/second-factor', { code: ann.code() });
    expect((await ann.post(page(`/${ending}/addresses`), { addresses: '' })).status).to.equal(404);
    const stored = await harness.ctx.db('api_keys').whereNotNull('allowed_addresses').pluck('visible_prefix');
    expect(stored).to.have.members([ending, refunds.slice(0, 13)]);
  });

  it('are in the audit log with who made and revoked them, and never whole', async () => {
    const key = keyIn((await create({ days: '30', addresses: '10.0.0.1' })).text) ?? '';
    await ann.post(page(`/${key.slice(0, 13)}/revoke`));
    const found = (await entries()) as { command: string; actor: string; details: Record<string, unknown> }[];
    expect(found.map(({ command, actor }) => [command, actor])).to.deep.equal([
      ['API key created', ann.id],
      ['API key revoked', ann.id],
    ]);
    expect(found[0]?.details).to.include({ key: key.slice(0, 13), expires_at: '2026-03-02T12:00:00.000Z' });
  });

  it('are listed with the latest that were revoked, however many those are', async () => {
    await harness.ctx.db.raw(
      `INSERT INTO api_keys (key_hash, merchant_id, visible_prefix, permissions, created_at, revoked_at)
       SELECT sha256(convert_to(n::text, 'UTF8')), ?, 'sk_test_' || lpad(n::text, 5, '0'), '{}', ?, ?
       FROM generate_series(1, 3000) n`,
      [harness.merchant.id, harness.ctx.now(), harness.ctx.now()],
    );
    const { text } = await ann.get(page());
    expect(text.match(/<tr>/g)).to.have.lengthOf.below(600);
    expect(text)
      .to.include(`${harness.merchant.apiKey.slice(0, 13)}…`)
      .and.include('Revoked');
    harness.advance(30 * 86_400 + 1);
    await ann.post('/dashboard/second-factor', { code: ann.code() });
    const later = await joinDesk(harness, 'later@shop.example');
    expect((await later.get(page())).text.match(/<tr>/g)).to.have.lengthOf(2);
  });

  it('are at most a hundred', async () => {
    for (let i = 1; i < 100; i += 1) expect(keyIn((await create()).text), String(i)).to.not.equal(null);
    const full = await create();
    expect([full.status, keyIn(full.text)]).to.deep.equal([400, null]);
    expect(full.text).to.include('There are 100 keys already');
  });
});
