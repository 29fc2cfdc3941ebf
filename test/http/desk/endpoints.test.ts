import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { waitingFor } from '../../support/locks.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';

describe('the endpoints at the desk', () => {
  let harness: Harness;
  let receiver: Receiver;
  let status: number;
  let ann: DeskPerson;
  beforeEach(async () => {
    status = 200;
    harness = await createHarness();
    receiver = await startReceiver({ answer: () => ({ status }) });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'developer' });
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/developers/endpoints${rest}`;
  const settings = (more: Record<string, string> = {}) => ({ url: receiver.url, payload: 'full', ...more });
  /** Adds an endpoint, and returns its page. */
  const add = async (more?: Record<string, string>) => {
    const { location = '' } = await ann.post(page('/new'), settings(more));
    return location.split('?')[0] ?? '';
  };
  const pay = async () => {
    await createPayment(harness);
    await harness.work();
  };
  const commands = async () =>
    (await harness.ctx.db('operator_actions').where({ actor: ann.id }).orderBy('number').select('command'))
      .map(({ command }: { command: string }) => command)
      .filter((command) => command.startsWith('webhook'));

  it('have the default URL, which is set, and then gets events', async () => {
    expect((await ann.get(page())).text)
      .to.include('has no URL yet')
      .and.include(page('/default'));
    const saved = await ann.post(page('/default'), { url: receiver.url });
    expect(saved.location).to.equal(page('/default?said=saved'));
    await pay();
    expect(receiver.requests).to.have.lengthOf(1);
    const { text } = await ann.get(page());
    expect(text).to.include(receiver.url).and.include('healthy');
    expect(await commands()).to.deep.equal(['webhook configuration']);
  });

  it('are added with types of events, a note and a content, and changed', async () => {
    const one = await add({ 'checkout.settled': 'on', description: 'Books' });
    expect(one).to.match(/endpoints\/whe_\w{26}$/);
    const read = async () =>
      (await harness.ctx.db('endpoint_registrations').first()) as Record<string, unknown>;
    expect(await read()).to.deep.include({ event_types: ['checkout.settled'], description: 'Books' });
    await ann.post(one, settings({ url: `${receiver.url}/2`, payload: 'thin' }));
    expect(await read()).to.deep.include({
      url: `${receiver.url}/2`,
      event_types: null,
      description: null,
      payload: 'thin',
    });
    expect(await commands()).to.deep.equal(['webhook endpoint registered', 'webhook endpoint']);
  });

  it('are added once by a form that is sent twice', async () => {
    const fields = settings({ form: 'x'.repeat(32) });
    const [first, second] = [await ann.post(page('/new'), fields), await ann.post(page('/new'), fields)];
    expect(first.location).to.equal(second.location);
    expect(await harness.ctx.db('endpoint_registrations').select()).to.have.lengthOf(1);
  });

  it('say what is wrong with a URL, and keep what was entered', async () => {
    for (const url of ['', 'ftp://receiver.example', 'https://user:secret@receiver.example', 'x"><b>']) {
      const { status: refused, text } = await ann.post(page('/new'), settings({ url, description: 'Kept' }));
      expect(refused, url).to.equal(400);
      expect(text).to.include('role="alert"').and.include('value="Kept"').and.not.include('<b>');
    }
    expect((await ann.post(page('/default'), { url: 'nowhere' })).status).to.equal(400);
    expect(await commands()).to.deep.equal([]);
  });

  it('are paused, which makes events wait, and resumed, which sends them', async () => {
    await ann.post(page('/default'), { url: receiver.url });
    const one = await add();
    for (const path of [page('/default'), one]) await ann.post(`${path}/pause`);
    expect((await ann.get(page())).text).to.include('paused by you');
    await pay();
    expect(receiver.requests).to.have.lengthOf(0);
    for (const path of [page('/default'), one])
      expect((await ann.post(`${path}/resume`)).location).to.equal(page('?said=resumed'));
    await pay();
    expect(receiver.requests).to.have.lengthOf(2);
    expect((await commands()).filter((command) => command === 'webhook endpoint')).to.have.lengthOf(2);
  });

  it('keep a pause when their settings are saved', async () => {
    const one = await add();
    await ann.post(`${one}/pause`);
    await ann.post(one, settings({ description: 'Later' }));
    const row = await harness.ctx.db('endpoint_registrations').first<{ is_enabled: boolean }>('is_enabled');
    expect(row?.is_enabled).to.equal(false);
  });

  it('say why one is switched off, and switch it on again: the default, a further one, or of a payment', async () => {
    status = 410;
    await ann.post(page('/default'), { url: receiver.url });
    const one = await add({ url: `${receiver.url}/own` });
    await createPayment(harness, { callback_url: `${receiver.url}/callback?order=1` });
    await pay();
    const offIn = async () =>
      (await harness.ctx.db('webhook_endpoints').whereNotNull('disabled_at').select()).length;
    expect(await offIn()).to.equal(3);
    expect((await ann.get(one)).text).to.include('It answered 410 Gone.');
    expect((await ann.get(page())).text.match(/Switch on again/g)).to.have.lengthOf(3);
    for (const [path, fields] of [
      [page('/default'), {}],
      [one, {}],
      [page('/default'), { url: `${receiver.url}/callback` }],
    ] as const)
      expect((await ann.post(`${path}/switch-on`, fields)).location).to.equal(page('?said=switchedOn'));
    expect(await offIn()).to.equal(0);
  });

  it('say that what should be switched on again is no URL', async () => {
    for (const url of ['nowhere', 'ftp://receiver.example', 'https://', 'x'.repeat(3_000)]) {
      const { status: refused, text } = await ann.post(page('/default/switch-on'), { url });
      expect([refused, text.includes('role="alert">url ')], url).to.deep.equal([400, true]);
    }
  });

  it('keep a URL that is set while the default one is paused', async () => {
    await ann.post(page('/default'), { url: receiver.url });
    const moved = `${receiver.url}/moved`;
    const { db } = harness.ctx;
    const paused = await waitingFor(
      db,
      (tx) => tx('merchants').where({ id: harness.merchant.id }).update({ webhook_url: moved }),
      () => ann.post(page('/default/pause')),
    );
    expect(paused.location).to.equal(page('?said=paused'));
    const row = await db('merchants').where({ id: harness.merchant.id }).first<Record<string, unknown>>();
    expect(row).to.include({ webhook_url: moved, webhooks_enabled: false });
    const entry = await db('operator_actions')
      .where({ command: 'webhook configuration' })
      .orderBy('number', 'desc')
      .first<{ details: Record<string, unknown> }>('details');
    const { host } = new URL(receiver.url);
    expect(entry?.details).to.deep.equal({
      enabled: false,
      receiver: host,
      before: { enabled: true, receiver: host },
    });
  });

  it('are deleted after a page that asks; the default one is not', async () => {
    const one = await add();
    expect((await ann.get(`${one}/delete`)).text).to.include('Delete this endpoint?');
    expect((await ann.post(`${one}/delete`)).location).to.equal(page('?said=removed'));
    expect((await ann.get(one)).status).to.equal(404);
    expect((await ann.post(page('/default/delete'))).status).to.equal(404);
    expect(await commands()).to.deep.equal(['webhook endpoint registered', 'webhook endpoint deleted']);
  });

  it('show their secret to who has just proven that it is them, and write that down', async () => {
    const one = await add();
    const secretOf = async (path: string) =>
      /whsec_[\w+/=]+/.exec((await ann.get(`${path}/secret`)).text.replaceAll('&#61;', '='))?.[0];
    expect(await secretOf(page('/default'))).to.equal(harness.merchant.webhookSecret);
    const own = await secretOf(one);
    expect(own)
      .to.match(/^whsec_/)
      .and.not.equal(harness.merchant.webhookSecret);
    expect((await ann.get(one)).text).to.not.include('whsec_');
    expect(await commands()).to.deep.equal([
      'webhook endpoint registered',
      'webhook secret shown',
      'webhook secret shown',
    ]);
  });

  it('get a new secret, once by a form that is sent twice; the old one goes on for as long as is chosen', async () => {
    const fields = { overlap: '1', form: 'y'.repeat(32) };
    for (let i = 0; i < 2; i += 1)
      expect((await ann.post(page('/default/secret'), fields)).location).to.equal(
        page('/default/secret?said=rotated'),
      );
    const rows = await harness.ctx.db('webhook_secrets').orderBy('created_at').select('expires_at');
    expect(
      rows.map(({ expires_at }: { expires_at: Date | null }) => expires_at?.toISOString() ?? null),
    ).to.deep.equal(['2026-01-31T13:00:00.000Z', null]);
    const { text } = await ann.get(page('/default/secret'));
    expect(text.match(/whsec_/g)).to.have.lengthOf(2);
  });

  it('are read by support, which changes none and sees no secret', async () => {
    const one = await add();
    const sue = await joinDesk(harness, 'sue@shop.example', { role: 'support' });
    const { status: read, text } = await sue.get(one);
    expect(read).to.equal(200);
    expect(text)
      .to.not.include('<form method="post" action="' + one)
      .and.not.include('/secret');
    expect((await sue.get(`${one}/secret`)).status).to.equal(403);
  });
});
