import { expect } from 'chai';
import { setEmail } from '../../../src/domain/merchants/store.ts';
import { setWebhookConfig } from '../../../src/domain/webhooks/settings.ts';
import { tellOfSwitchOff } from '../../../src/domain/webhooks/tell-switched-off.ts';
import { run, sql } from '../../../src/platform/db.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { openShop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

const tellings = sql<{ key: string }>(
  'test_tellings',
  `SELECT key FROM due_work WHERE job = 'webhook.tell-switched-off'`,
);

describe('an endpoint that was switched off', () => {
  let world: World;
  let server: MailServer;
  let receiver: Receiver;
  beforeEach(async () => {
    server = await startMailServer();
    receiver = await startReceiver({ answer: () => ({ status: 410 }) });
    world = await createWorld({ SMTP_URL: server.url, MAIL_FROM: 'Payments <pay@service.example>' });
    await setEmail(world.ctx.db, world.merchant.id, 'ops@shop.example');
  });
  afterEach(async () => {
    await world.close();
    await receiver.close();
    await server.close();
  });

  const fail = async () => {
    const { db, now } = world.ctx;
    await setWebhookConfig(db, world.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
    await (await openShop(world)).create();
  };

  it('is told of by mail: to whom it concerns, where, when, why, and what to do', async () => {
    await fail();
    await world.work();
    const [mail, ...others] = server.mails;
    expect(others).to.deep.equal([]);
    expect(mail).to.include({ from: 'pay@service.example' });
    expect(mail?.to).to.deep.equal(['ops@shop.example']);
    for (const text of [
      'Subject: Webhooks of Shop are switched off',
      receiver.url,
      '410 Gone',
      '2026-01-31T12:00:00',
    ])
      expect(mail?.source).to.include(text);
    expect(mail?.source).to.include('PUT /v1/webhooks/config').and.include('POST /v1/webhooks/redeliver');
    await world.work();
    expect(server.mails).to.have.length(1);
  });

  it('is told of when the mail server takes mail again; until then the work stays', async () => {
    server.refuse(true);
    await fail();
    const failure = await world.work().then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).to.include('come again');
    expect(await run(world.ctx.db, tellings, [])).to.have.length(1);
    server.refuse(false);
    world.advance(1);
    await world.work();
    expect(server.mails).to.have.length(1);
    expect(await run(world.ctx.db, tellings, [])).to.deep.equal([]);
  });

  it('is not told of once the merchant has switched it on again', async () => {
    server.refuse(true);
    await fail();
    await world.work().catch(() => undefined);
    server.refuse(false);
    const { db, now } = world.ctx;
    await setWebhookConfig(db, world.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
    await tellOfSwitchOff(world.ctx, world.merchant.id);
    expect(server.mails).to.deep.equal([]);
    expect(await run(world.ctx.db, tellings, [])).to.deep.equal([]);
  });

  it('is told of to nobody where the merchant has no address', async () => {
    await world.ctx.db.raw('UPDATE merchants SET contact_email = NULL');
    await fail();
    await world.work();
    expect(server.mails).to.deep.equal([]);
    expect(await run(world.ctx.db, tellings, [])).to.deep.equal([]);
  });
});
