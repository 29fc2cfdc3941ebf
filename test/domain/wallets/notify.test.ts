import { expect } from 'chai';
import { setEmail } from '../../../src/domain/merchants/store.ts';
import { endWallet } from '../../../src/domain/wallets/set.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { accountKey, TREASURY, useWallet } from '../../support/wallets.ts';

describe('the notice of a changed wallet', () => {
  let harness: Harness;
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailServer();
    harness = await createHarness({ SMTP_URL: server.url });
  });
  afterEach(async () => {
    await harness.close();
    await server.close();
  });

  it('is a mail for each change, to where mails of the merchant go', async () => {
    const { ctx, merchant } = harness;
    await setEmail(ctx.db, merchant.id, 'owner@shop.example');
    const { id } = await useWallet(ctx, merchant.id, { kind: 'forwarder' });
    await harness.work();
    await endWallet(ctx, id);
    await harness.work();
    expect(server.mails.flatMap(({ to }) => to)).to.deep.equal([
      'owner@shop.example',
      'owner@shop.example',
      'owner@shop.example',
    ]);
    const sources = server.mails.map(({ source }) => source);
    for (const change of ['set', 'confirmed', 'retired'])
      expect(
        sources.filter((source) => source.includes(`Subject: A wallet of Shop was ${change}`)),
      ).to.have.lengthOf(1);
    for (const source of sources)
      expect(source).to.include(id).and.include(TREASURY).and.include('call the operator');
  });

  it('shows of an extended public key only what distinguishes it', async () => {
    const { ctx, merchant } = harness;
    await setEmail(ctx.db, merchant.id, 'owner@shop.example');
    await useWallet(ctx, merchant.id, { value: accountKey(50) });
    await harness.work();
    const [mail] = server.mails;
    expect(mail?.source).to.include(accountKey(50).slice(0, 8)).and.not.include(accountKey(50).slice(8, 20));
  });

  it('waits for the mail server, and is sent once', async () => {
    const { ctx, merchant } = harness;
    await setEmail(ctx.db, merchant.id, 'owner@shop.example');
    server.refuse(true);
    await useWallet(ctx, merchant.id);
    await harness.work().catch(() => undefined);
    expect(server.mails).to.deep.equal([]);
    server.refuse(false);
    harness.advance(1);
    await harness.work();
    await harness.work();
    expect(server.mails).to.have.lengthOf(2);
  });

  it('is not sent without an address', async () => {
    await useWallet(harness.ctx, harness.merchant.id);
    await useWallet(harness.ctx, null);
    await harness.work();
    expect(server.mails).to.deep.equal([]);
    expect(await harness.ctx.db('scheduled_jobs').where({ job: 'wallet.tell' })).to.deep.equal([]);
  });

  it('of the default goes to the live merchants that use it, once it is confirmed', async () => {
    const { ctx } = harness;
    const email = (name: string) => ({ email: `${name}@shop.example` });
    await harness.addMerchant({ mode: 'live', ...email('without') });
    const own = await harness.addMerchant({ mode: 'live', ...email('own') });
    await harness.addMerchant(email('test'));
    await useWallet(ctx, own.id);
    await harness.work();
    const before = server.mails.length;
    await useWallet(ctx, null);
    await harness.work();
    const told = server.mails.slice(before);
    expect(told.map(({ to }) => to)).to.deep.equal([['without@shop.example']]);
    expect(told[0]?.source).to.include('was confirmed').and.include('of the service');
  });
});
