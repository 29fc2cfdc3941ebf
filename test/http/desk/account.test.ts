import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { hiddenField, codeOf, joinDesk, openBrowser, PASSWORD, type DeskPerson } from '../../support/desk.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';

const NEXT = 'four red boats on the lake';

describe('the account of a person at the desk', () => {
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

  const elsewhere = async ({ email, code }: DeskPerson, agent: string) => {
    harness.advance(30);
    const browser = openBrowser(harness, agent);
    await browser.post('/dashboard/sign-in', { email, password: PASSWORD });
    await browser.post('/dashboard/second-factor', { code: code() });
    return browser;
  };

  it('lists where they are signed in, and ends each by a click', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example', { agent: 'Laptop' });
    const phone = await elsewhere(ann, 'Phone');
    const { text } = await ann.get('/dashboard/account');
    expect(text).to.include('Laptop').and.include('Phone').and.include('127.0.0.1');
    const [, id = ''] = /sessions\/(ses_\w+)\/end/.exec(text) ?? [];
    expect((await ann.post(`/dashboard/account/sessions/${id}/end`)).status).to.equal(303);
    expect((await phone.get('/dashboard/account')).location).to.match(/^\/dashboard\/sign-in/);
    expect((await ann.post(`/dashboard/account/sessions/${id}/end`)).status).to.equal(404);
    expect((await ann.get('/dashboard/account')).text).to.not.include('Phone');
    await ann.post('/dashboard/sign-out');
    const written = await harness.ctx
      .db('operator_actions')
      .whereIn('command', ['session ended', 'signed out'])
      .orderBy('number')
      .select<{ command: string; actor: string; details: { session: string } }[]>();
    expect(written.map(({ command, actor }) => [command, actor])).to.deep.equal([
      ['session ended', ann.id],
      ['signed out', ann.id],
    ]);
    expect(written[0]?.details).to.deep.equal({ session: id, used_from: '127.0.0.1' });
    expect(written[1]?.details.session).to.not.equal(id);
  });

  it('writes nothing down of a session whose second factor was still to come', async () => {
    const { email } = await joinDesk(harness, 'ann@shop.example');
    const begun = openBrowser(harness);
    await begun.post('/dashboard/sign-in', { email, password: PASSWORD });
    await begun.post('/dashboard/sign-out');
    expect((await begun.get('/dashboard/account')).location).to.match(/^\/dashboard\/sign-in/);
    expect(await harness.ctx.db('operator_actions').where({ command: 'signed out' }).select()).to.deep.equal(
      [],
    );
  });

  it('keeps who has proven the second factor signed in, however often somebody signs in with the password alone', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    for (let i = 0; i < 25; i += 1) {
      harness.advance(1);
      await openBrowser(harness).post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    }
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
    expect(await harness.ctx.db('person_sessions').select()).to.have.lengthOf(20);
  });

  it("ends nobody else's session", async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example');
    const session = await harness.ctx
      .db('person_sessions')
      .where({ person_id: ann.id })
      .first<{ id: string }>('id');
    expect((await bob.post(`/dashboard/account/sessions/${session?.id}/end`)).status).to.equal(404);
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
  });

  it('changes the password, which ends every other session and every token of before', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const phone = await elsewhere(ann, 'Phone');
    const old = ann.cookies.get('desk') ?? '';
    const change = (present: string, next: string) =>
      ann.post('/dashboard/account/password', { present, next });
    expect((await change('another password', NEXT)).text).to.include('present password is wrong');
    expect((await change(PASSWORD, 'too short')).text).to.include('at least 12 characters');
    expect((await change(PASSWORD, NEXT)).status).to.equal(303);
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
    expect((await phone.get('/dashboard/account')).status).to.equal(303);
    const stale = openBrowser(harness);
    stale.cookies.set('desk', old);
    expect((await stale.get('/dashboard/account')).status).to.equal(303);
    const signIn = async (password: string) =>
      (await openBrowser(harness).post('/dashboard/sign-in', { email: ann.email, password })).status;
    expect([await signIn(PASSWORD), await signIn(NEXT)]).to.deep.equal([400, 303]);
  });

  it('sets up another app only with the one of before, and then that one is worth nothing', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    harness.advance(600);
    const begun = openBrowser(harness);
    await begun.post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    for (const browser of [ann, begun]) {
      expect((await browser.get('/dashboard/set-up')).location).to.match(/^\/dashboard\/second-factor/);
      const fields = { secret: 'A'.repeat(32), code: codeOf(harness, 'A'.repeat(32)) };
      expect((await browser.post('/dashboard/set-up', fields)).location).to.match(
        /^\/dashboard\/second-factor/,
      );
    }
    await ann.post('/dashboard/second-factor', { code: ann.code() });
    const secret = hiddenField((await ann.get('/dashboard/set-up')).text, 'secret');
    harness.advance(30);
    expect((await ann.post('/dashboard/set-up', { secret, code: codeOf(harness, secret) })).status).to.equal(
      200,
    );
    harness.advance(30);
    expect((await ann.post('/dashboard/second-factor', { code: ann.code() })).status).to.equal(400);
    expect((await ann.post('/dashboard/second-factor', { code: codeOf(harness, secret) })).status).to.equal(
      303,
    );
    const [code = ''] = ann.recoveryCodes;
    expect((await ann.post('/dashboard/second-factor', { code })).status).to.equal(400);
  });

  it('is told by mail of a device that signs in for the first time, and of no other', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example', { agent: 'Laptop' });
    await harness.work();
    expect(mail.mails).to.have.lengthOf(0);
    const phone = await elsewhere(ann, 'Phone');
    await harness.work();
    const [told] = mail.mails;
    expect(told?.to).to.deep.equal(['ann@shop.example']);
    expect(told?.source).to.include('Phone').and.include('127.0.0.1');
    harness.advance(30);
    await phone.post('/dashboard/sign-out');
    await phone.post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    await phone.post('/dashboard/second-factor', { code: ann.code() });
    await harness.work();
    expect(mail.mails).to.have.lengthOf(1);
  });
});
