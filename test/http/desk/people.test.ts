import { expect } from 'chai';
import { recordAction } from '../../../src/domain/audit/record.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { invitePath, joinDesk, openBrowser, PASSWORD } from '../../support/desk.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';

describe('the people of a merchant', () => {
  let harness: Harness;
  let mail: MailServer;
  beforeEach(async () => {
    mail = await startMailServer();
    harness = await createHarness({ SMTP_URL: mail.url, MAIL_FROM: 'desk@service.example' });
  });
  afterEach(async () => {
    await harness.close();
    await mail.close();
  });

  const page = (tab = 'people') => `/dashboard/${harness.merchant.id}/${tab}`;
  const rolesOf = async () => {
    const rows = await harness.ctx
      .db('memberships')
      .join('people', 'people.id', 'person_id')
      .orderBy('email')
      .select<{ email: string; role: string }[]>('email', 'role');
    return Object.fromEntries(rows.map(({ email, role }) => [email, role]));
  };

  it('are invited by mail, with a link that opens an account', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const sent = await ann.post(`${page()}/invite`, { email: 'bob@shop.example', role: 'support' });
    expect(sent.text).to.include('It was mailed to').and.not.include('/dashboard/invitations/');
    const [received] = mail.mails;
    expect(received?.to).to.deep.equal(['bob@shop.example']);
    const source = received?.source.replaceAll(/=\r\n/g, '') ?? '';
    const [path = ''] = /\/dashboard\/invitations\/[\w-]{32}/.exec(source) ?? [];
    expect((await openBrowser(harness).post(path, { password: PASSWORD })).status).to.equal(303);
    expect(await rolesOf()).to.deep.equal({ 'ann@shop.example': 'owner', 'bob@shop.example': 'support' });
  });

  it('are invited by a link that the owner gives on, where no mail server takes the mail', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    mail.refuse(true);
    const made = await ann.post(`${page()}/invite`, { email: 'bob@shop.example', role: 'support' });
    expect(made.text)
      .to.include('No mail could be sent')
      .and.match(/\/dashboard\/invitations\/[\w-]{32}/);
  });

  it('are not invited twice, with no mail address, in no role, or in any number', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const invited = async (email: string, role = 'support') =>
      (await ann.post(`${page()}/invite`, { email, role })).status;
    expect(await invited('ANN@shop.example')).to.equal(400);
    expect(await invited('nobody')).to.equal(400);
    expect(await invited('bob@shop.example', 'god')).to.equal(400);
    for (let i = 0; i < 50; i += 1) await invitePath(harness, `p${i}@shop.example`);
    expect(await invited('bob@shop.example')).to.equal(400);
    expect(mail.mails).to.have.lengthOf(0);
  });

  it('get another role or none from an owner, at once', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example', { role: 'developer' });
    expect((await bob.get(page('audit'))).status).to.equal(403);
    expect((await ann.post(`${page()}/${bob.id}/role`, { role: 'owner' })).status).to.equal(303);
    expect((await bob.get(page('audit'))).status).to.equal(200);
    expect((await ann.post(`${page()}/${bob.id}/remove`)).status).to.equal(303);
    expect((await bob.get(page('audit'))).status).to.equal(404);
    expect(await rolesOf()).to.deep.equal({ 'ann@shop.example': 'owner' });
  });

  it('keep an owner: the last one can neither leave nor change, and two cannot remove each other', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    expect((await ann.post(`${page()}/${ann.id}/remove`)).status).to.equal(400);
    expect((await ann.post(`${page()}/${ann.id}/role`, { role: 'support' })).status).to.equal(400);
    const bob = await joinDesk(harness, 'bob@shop.example');
    const answers = await Promise.all([
      ann.post(`${page()}/${bob.id}/remove`),
      bob.post(`${page()}/${ann.id}/remove`),
    ]);
    expect(answers.map(({ status }) => status)).to.have.members([303, 404]);
    expect(Object.values(await rolesOf())).to.deep.equal(['owner']);
  });

  it('withdraw an invitation, after which its link does not work', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const path = await invitePath(harness, 'bob@shop.example');
    const open = await harness.ctx.db('invitations').first<{ id: string }>('id');
    expect((await ann.get(page())).text).to.include('bob@shop.example');
    expect((await ann.post(`${page()}/invitations/${open?.id}/withdraw`)).status).to.equal(303);
    expect((await openBrowser(harness).get(path)).status).to.equal(404);
  });

  it('are in the audit log with what they did, from where, before and after', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example', { role: 'support' });
    await ann.post(`${page()}/${bob.id}/role`, { role: 'developer' });
    const { text } = await ann.get(page('audit'));
    for (const part of [
      'role changed',
      'before: support',
      'after: developer',
      'invitation accepted',
      '127.0.0.1',
    ])
      expect(text).to.include(part);
    const rows = await harness.ctx
      .db('operator_actions')
      .orderBy('number')
      .select('number', 'actor', 'merchant_id');
    expect(rows.map(({ number }: { number: string }) => number)).to.deep.equal(['1', '2', '3', '4', '5']);
    expect(new Set(rows.map(({ merchant_id }: { merchant_id: string }) => merchant_id))).to.deep.equal(
      new Set([harness.merchant.id]),
    );
  });

  it('write no line of the audit log with a name, and turn none around', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    await recordAction(harness.ctx.db, {
      at: harness.ctx.now(),
      merchantId: harness.merchant.id,
      kind: 'person',
      actor: ann.id,
      address: '127.0.0.1',
      command: 'API key created',
      details: { name: 'x\nafter: owner', to: ['\u202eevil'] },
    });
    const { text } = await ann.get(page('audit'));
    expect(text).to.include('name: x\\u{a}after: owner').and.include('to: [&#34;\\u{202e}evil&#34;]');
    expect(text).to.not.include('\u202e');
  });

  it('may write any text into names and addresses, which no page takes for markup', async () => {
    const name = '<script>alert(1)</script>"\'';
    const merchant = await harness.addMerchant({ name });
    const agent = '"><script>alert(2)</script>';
    const ann = await joinDesk(harness, `"'><b>@shop.example`.replaceAll(/["><]/g, "'"), {
      merchantId: merchant.id,
      agent,
    });
    for (const path of ['', '/people', '/audit'])
      expect((await ann.get(`/dashboard/${merchant.id}${path}`)).text)
        .to.not.include('<script>alert')
        .and.not.include('<b>');
    expect((await ann.get('/dashboard/account')).text).to.not.include('<script>alert');
  });
});
