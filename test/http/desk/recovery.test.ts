import { expect } from 'chai';
import { acceptInvitation, readInvitation } from '../../../src/domain/people/members/accept.ts';
import { resetAccount } from '../../../src/domain/people/recovery/reset.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { codeOf, hiddenField, invitePath, joinDesk, openBrowser, PASSWORD } from '../../support/desk.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { addPasskey, Authenticator, signInBy } from '../../support/passkeys.ts';
import { singleStatementsOf } from '../../support/statements.ts';

const NEXT = 'four red boats on the lake';

describe('the ways back into the desk', () => {
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

  const ask = (email: string) => openBrowser(harness).post('/dashboard/forgotten', { email });
  /** The paths of the links that were mailed, oldest first. */
  const mailed = () =>
    mail.mails.flatMap(({ source }) => {
      const text = source.replaceAll('=\r\n', '');
      return [...text.matchAll(/\/dashboard\/passwords\/[\w-]{32}/g)].map(([path]) => path);
    });
  const askedLink = async (email: string) => {
    await ask(email);
    await harness.work();
    return mailed().at(-1) ?? '';
  };
  const signIn = async (email: string, password: string) =>
    (await openBrowser(harness).post('/dashboard/sign-in', { email, password })).status;

  it('lead by a mailed link to another password, behind which the second factor is asked for', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const path = await askedLink(' Ann@SHOP.example ');
    expect(mail.mails.at(-1)?.to).to.deep.equal(['ann@shop.example']);
    const browser = openBrowser(harness);
    expect((await browser.get(path)).text).to.include('ann@shop.example');
    expect((await browser.post(path, { password: 'too short' })).status).to.equal(400);
    const set = await browser.post(path, { password: NEXT });
    expect([set.status, set.location]).to.deep.equal([303, '/dashboard/second-factor']);
    expect((await browser.get('/dashboard/account')).location).to.equal('/dashboard/second-factor');
    expect((await browser.get('/dashboard/set-up')).location).to.match(/^\/dashboard\/second-factor/);
    expect((await ann.get('/dashboard/account')).location).to.match(/^\/dashboard\/sign-in/);
    expect([await signIn(ann.email, PASSWORD), await signIn(ann.email, NEXT)]).to.deep.equal([400, 303]);
    harness.advance(30);
    expect((await browser.post('/dashboard/second-factor', { code: ann.code() })).status).to.equal(303);
    const { text } = await browser.get(`/dashboard/${harness.merchant.id}/audit`);
    expect(text).to.include('password set by a mailed link');
  });

  it('use a link once, within half an hour, with all that were mailed to the address', async () => {
    await joinDesk(harness, 'ann@shop.example');
    const [first, second] = [await askedLink('ann@shop.example'), await askedLink('ann@shop.example')];
    expect(new Set([first, second]).size).to.equal(2);
    const set = (path: string) => openBrowser(harness).post(path, { password: NEXT });
    const both = await Promise.all([set(first), set(first)]);
    expect(both.map(({ status }) => status)).to.have.members([303, 404]);
    expect((await set(second)).status).to.equal(404);
    harness.advance(600);
    const late = await askedLink('ann@shop.example');
    harness.advance(1_800);
    expect((await openBrowser(harness).get(late)).status).to.equal(404);
    expect((await set(late)).status).to.equal(404);
  });

  it('answer for an address that nobody has as for one that somebody has, after the same steps', async () => {
    await joinDesk(harness, 'ann@shop.example');
    const [known, unknown] = [await ask('ann@shop.example'), await ask('eve@shop.example')];
    expect([unknown.status, unknown.text, unknown.set]).to.deep.equal([200, known.text, []]);
    const steps = (email: string) => singleStatementsOf(() => ask(email));
    expect(await steps('eve@shop.example')).to.deep.equal(await steps('ann@shop.example'));
    expect((await ask('no address')).text).to.equal(known.text);
    await harness.work();
    expect(mail.mails.map(({ to }) => to.join())).to.deep.equal(['ann@shop.example', 'ann@shop.example']);
    expect(await harness.ctx.db('password_links').where({ email_folded: 'eve@shop.example' })).to.deep.equal(
      [],
    );
  });

  it('mail three links to an address at once, say nothing of those that are left out, and keep the others', async () => {
    const limited = await createHarness({
      SMTP_URL: mail.url,
      MAIL_FROM: 'desk@service.example',
      RATE_LIMIT_SCALE: '1',
    });
    try {
      await joinDesk(limited, 'ann@shop.example');
      const answers = [];
      for (let i = 0; i < 5; i += 1)
        answers.push(await openBrowser(limited).post('/dashboard/forgotten', { email: 'ann@shop.example' }));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
      await limited.work();
      expect(mailed()).to.have.lengthOf(3);
      const [first = ''] = mailed();
      expect((await openBrowser(limited).post(first, { password: NEXT })).status).to.equal(303);
    } finally {
      await limited.close();
    }
  });

  it('store of a link only a hash, and keep its token from the log', async () => {
    await joinDesk(harness, 'ann@shop.example');
    const token = (await askedLink('ann@shop.example')).split('/').at(-1) ?? '';
    expect(token).to.have.lengthOf(32);
    const { rows } = await harness.ctx.db.raw<{ rows: { row: string }[] }>(
      'SELECT l::text AS row FROM password_links l UNION ALL SELECT j::text FROM scheduled_jobs j',
    );
    expect(rows.map(({ row }) => row).join())
      .to.not.include(token)
      .and.not.include(Buffer.from(token).toString('hex'));
  });

  it('say so where no mail can be sent', async () => {
    const silent = await createHarness();
    try {
      const browser = openBrowser(silent);
      expect((await browser.get('/dashboard/forgotten')).text).to.include('sends no mail');
      await browser.post('/dashboard/forgotten', { email: 'ann@shop.example' });
      expect(await silent.ctx.db('password_links').select()).to.deep.equal([]);
    } finally {
      await silent.close();
    }
  });

  it('give who signs in with a passkey alone a password, and still ask for the passkey', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const authenticator = new Authenticator('http://localhost:3000');
    await addPasskey(ann, authenticator);
    await harness.ctx.db('people').update({ password_hash: null });
    await harness.ctx.db('totp_factors').delete();
    const browser = openBrowser(harness);
    await browser.post(await askedLink('ann@shop.example'), { password: NEXT });
    const { text } = await browser.get('/dashboard/second-factor');
    expect(text).to.include('data-passkey').and.not.include('name="code"');
    expect((await signInBy(openBrowser(harness), authenticator)).status).to.equal(303);
  });

  it("take second factors and sessions away by the operator's command, whose link begins again", async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    await addPasskey(ann, new Authenticator('http://localhost:3000'));
    const by = { kind: 'command', actor: 'ops@host', address: null } as const;
    expect(await resetAccount(harness.ctx, 'eve@shop.example', by)).to.equal(null);
    const reset = await resetAccount(harness.ctx, 'ANN@shop.example', by);
    const path = new URL(reset?.link ?? '').pathname;
    expect((await ann.get('/dashboard/account')).status).to.equal(303);
    expect(await signIn(ann.email, PASSWORD)).to.equal(400);
    const browser = openBrowser(harness);
    expect((await browser.post(path, { password: NEXT })).status).to.equal(303);
    expect((await browser.get('/dashboard/second-factor')).location).to.equal('/dashboard/set-up');
    const secret = hiddenField((await browser.get('/dashboard/set-up')).text, 'secret');
    await browser.post('/dashboard/set-up', { secret, code: codeOf(harness, secret) });
    const { text } = await browser.get(`/dashboard/${harness.merchant.id}/audit`);
    expect(text).to.include('person reset').and.include('ops@host');
    expect(await harness.ctx.db('passkeys').select()).to.deep.equal([]);
  });

  it('begin again for who was removed by an owner and invited to the same address, while they belong nowhere', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example');
    const people = `/dashboard/${harness.merchant.id}/people`;
    await ann.post(`${people}/${bob.id}/remove`);
    const path = await invitePath(harness, 'bob@shop.example', { role: 'support' });
    const browser = openBrowser(harness);
    expect((await browser.get(path)).text).to.include('Choose a password');
    expect((await browser.post(path, { password: NEXT })).status).to.equal(303);
    expect((await bob.get('/dashboard/account')).status).to.equal(303);
    expect((await browser.get('/dashboard/second-factor')).location).to.equal('/dashboard/set-up');
  });

  it('keep the second factor of who belongs to another shop, whoever invites them again', async () => {
    const other = await harness.addMerchant({ name: 'Other shop' });
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example', { merchantId: other.id });
    const path = await invitePath(harness, bob.email);
    const browser = openBrowser(harness);
    expect((await browser.post(path, { password: NEXT })).status).to.equal(400);
    await browser.post(path, { password: PASSWORD });
    expect((await browser.get('/dashboard/set-up')).location).to.match(/^\/dashboard\/second-factor/);
    expect((await ann.get('/dashboard/account')).status).to.equal(200);
  });

  it('open one account for two invitations to one address that are accepted at once', async () => {
    const other = await harness.addMerchant({ name: 'Other shop' });
    const paths = [
      await invitePath(harness, 'new@shop.example'),
      await invitePath(harness, 'New@shop.example', { merchantId: other.id }),
    ];
    const read = await Promise.all(
      paths.map((path) => readInvitation(harness.ctx, path.split('/').at(-1) ?? '')),
    );
    const place = { address: '192.0.2.1', agent: 'Browser', device: null };
    const accepted = await Promise.all(
      read.map(async (one) => one && acceptInvitation(harness.ctx, one, PASSWORD, place)),
    );
    const late = accepted.indexOf('known');
    expect(late).to.be.oneOf([0, 1]);
    expect(accepted[1 - late]).to.have.property('token');
    const browser = openBrowser(harness);
    expect((await browser.get(paths[late] ?? '')).text).to.include('You have an account');
    expect((await browser.post(paths[late] ?? '', { password: PASSWORD })).status).to.equal(303);
    expect(await harness.ctx.db('people').select()).to.have.lengthOf(1);
    expect(await harness.ctx.db('memberships').select()).to.have.lengthOf(2);
  });
});
