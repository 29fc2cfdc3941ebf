import { expect } from 'chai';
import { setEmail } from '../../../../src/domain/merchants/store.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { sendDisabledNotice } from '../../../../src/domain/webhooks/endpoints/notify-disabled.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { startMailServer, type MailServer } from '../../../support/mail-server.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { openShop } from '../../../support/shop.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';

const noticeJobs = sql<{ key: string }>(
  'test_notices',
  `SELECT key FROM scheduled_jobs WHERE job = 'webhook.tell-switched-off'`,
);

describe('the notice of a disabled endpoint', () => {
  let harness: Harness;
  let server: MailServer;
  let receiver: Receiver;
  beforeEach(async () => {
    server = await startMailServer();
    receiver = await startReceiver({ answer: () => ({ status: 410 }) });
    harness = await createHarness({ SMTP_URL: server.url, MAIL_FROM: 'Payments <pay@service.example>' });
    await setEmail(harness.ctx.db, harness.merchant.id, 'ops@shop.example');
  });
  afterEach(async () => {
    await harness.close();
    await receiver.close();
    await server.close();
  });

  const fail = async () => {
    const { db, now } = harness.ctx;
    await setWebhookConfig(db, harness.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
    await (await openShop(harness)).create();
  };

  it('is a mail that says where, when, why, and what to do', async () => {
    await fail();
    await harness.work();
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
    await harness.work();
    expect(server.mails).to.have.length(1);
  });

  it('is sent when the mail server accepts mail again; until then the job stays', async () => {
    server.refuse(true);
    await fail();
    const failure = await harness.work().then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).to.include('come again');
    expect(await run(harness.ctx.db, noticeJobs, [])).to.have.length(1);
    server.refuse(false);
    harness.advance(1);
    await harness.work();
    expect(server.mails).to.have.length(1);
    expect(await run(harness.ctx.db, noticeJobs, [])).to.deep.equal([]);
  });

  it('is not sent once the merchant has enabled the endpoint again', async () => {
    server.refuse(true);
    await fail();
    await harness.work().catch(() => undefined);
    server.refuse(false);
    const { db, now } = harness.ctx;
    await setWebhookConfig(db, harness.merchant.id, { webhookUrl: receiver.url, enabled: true }, now());
    await sendDisabledNotice(harness.ctx, harness.adapters, harness.merchant.id);
    expect(server.mails).to.deep.equal([]);
    expect(await run(harness.ctx.db, noticeJobs, [])).to.deep.equal([]);
  });

  it('is not sent where the merchant has no address', async () => {
    await harness.ctx.db.raw('UPDATE merchants SET contact_email = NULL');
    await fail();
    await harness.work();
    expect(server.mails).to.deep.equal([]);
    expect(await run(harness.ctx.db, noticeJobs, [])).to.deep.equal([]);
  });
});
