import { createPrivateKey, sign } from 'node:crypto';
import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { invitePath, joinDesk, openBrowser, PASSWORD, type DeskPerson } from '../../support/desk.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import {
  addPasskey,
  Authenticator,
  bytes,
  integer,
  list,
  map,
  optionsOf,
  signInBy,
  text,
  type Faults,
} from '../../support/passkeys.ts';

const ORIGIN = 'http://localhost:3000';
const ACCOUNT = '/dashboard/account';
/** What a maker of authenticators would have: the key signs what its certificate is for. */
const KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZDTAmHP25I+crH2h6tOehR+rj4QTilliiajktYu+6hmhRANC' +
  'AASk1tNebr+4R/HZBjJilbGbcZ5Z/v1mcvch6djZXCD1exc0ZamKsX6TsyUNkXKk8tzu8IE+EFf370Jo4BY5o9KE';
const CERTIFICATE =
  'MIIB8TCCAZigAwIBAgIUTZgEwUqUhwpG2oHkNLcvKD2xOhIwCgYIKoZIzj0EAwIwTzELMAkGA1UEBhMCU0UxDTALBgNVBAoM' +
  'BFRlc3QxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xDTALBgNVBAMMBFRlc3QwIBcNMjYxMTI3MDYxNzQ5' +
  'WhgPMjEyNjExMDMwNjE3NDlaME8xCzAJBgNVBAYTAlNFMQ0wCwYDVQQKDARUZXN0MSIwIAYDVQQLDBlBdXRoZW50aWNhdG9y' +
  'IEF0dGVzdGF0aW9uMQ0wCwYDVQQDDARUZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpNbTXm6/uEfx2QYyYpWxm3Ge' +
  'Wf79ZnL3IenY2Vwg9XsXNGWpirF+k7MlDZFypPLc7vCBPhBX9+9CaOAWOaPShKNQME4wHQYDVR0OBBYEFGgDO9/yluNbav+t' +
  'sCHaNbvy6XroMB8GA1UdIwQYMBaAFGgDO9/yluNbav+tsCHaNbvy6XroMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDRwAw' +
  'RAIgdlzXUxWwEjEp7P4FH8AeDMp2s+ZgGidIDQYVZcKe01ACIH/cH+Ti/VZmmlhpybixqeSUKeiGwSywGIb4MmpHCxSy';

describe('passkeys at the desk', () => {
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

  const home = () => `/dashboard/${harness.merchant.id}`;
  /** A person with a passkey, which counts its uses. */
  const withPasskey = async (email = 'ann@shop.example') => {
    const person = await joinDesk(harness, email);
    const authenticator = new Authenticator(ORIGIN);
    authenticator.counter = 1;
    expect((await addPasskey(person, authenticator)).location).to.equal(`${ACCOUNT}?said=passkeyAdded`);
    return { person, authenticator };
  };
  const commands = async () => {
    const rows: { command: string }[] = await harness.ctx.db('operator_actions').orderBy('id');
    return rows.map(({ command }) => command);
  };
  const removeFirst = async (person: Pick<DeskPerson, 'get' | 'post'>) => {
    const [, path = ''] = /action="([^"]*\/remove)"/.exec((await person.get(ACCOUNT)).text) ?? [];
    return person.post(path);
  };

  it('sign in alone, and are listed with their name and last use', async () => {
    const { person, authenticator } = await withPasskey();
    harness.advance(3_600);
    const browser = openBrowser(harness);
    const answer = await signInBy(browser, authenticator);
    expect([answer.status, answer.location]).to.deep.equal([303, '/dashboard']);
    expect((await browser.get(home())).status).to.equal(200);
    const { text: page } = await browser.get(ACCOUNT);
    expect(page).to.include('Laptop').and.include('2026-01-31 13:00 UTC');
    expect(await commands()).to.include.members(['passkey added', 'signed in with a passkey']);
    await harness.work();
    expect(mail.mails.map(({ source }) => source).join()).to.include('new device');
    expect((await person.get(ACCOUNT)).status).to.equal(200);
  });

  it('ask the browser for one that is found without a name and verifies its person, and for no certificate', async () => {
    const { person } = await withPasskey();
    const made = optionsOf(await person.get(ACCOUNT));
    expect(made).to.deep.include({ attestation: 'none', rp: { id: 'localhost', name: 'Payment checkout' } });
    expect(made).to.have.nested.property('authenticatorSelection.residentKey', 'required');
    expect(made).to.have.nested.property('authenticatorSelection.userVerification', 'required');
    expect(made.excludeCredentials).to.have.lengthOf(1);
    const used = optionsOf(await openBrowser(harness).get('/dashboard/passkey'));
    expect(used).to.deep.include({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
  });

  const HOSTILE: readonly (readonly [string, Faults])[] = [
    ['signed at another origin', { origin: 'https://evil.example' }],
    ['signed at another port of the host', { origin: 'http://localhost:3001' }],
    ['signed for another site', { rpId: 'evil.example' }],
    ['of a challenge that nobody was given', { challenge: 'A'.repeat(32) }],
    ['of a new passkey, not of its use', { type: 'webauthn.create' }],
    ['without verification of its person', { isVerified: false }],
    ['of somebody else, by its own word', { userHandle: Buffer.from('per_x').toString('base64url') }],
    ['of nobody, by its own word', { userHandle: '' }],
    ['made in the frame of another page', { crossOriginTop: 'https://evil.example' }],
  ];
  for (const [what, faults] of HOSTILE)
    it(`refuse an answer ${what}`, async () => {
      const { authenticator } = await withPasskey();
      const browser = openBrowser(harness);
      const answer = await signInBy(browser, authenticator, faults);
      expect([answer.status, answer.set]).to.deep.equal([400, []]);
      expect(answer.text).to.include('This passkey was not accepted');
      expect((await signInBy(browser, authenticator)).status).to.equal(303);
    });

  const HOSTILE_NEW: readonly (readonly [string, Faults])[] = [
    ['made at another origin', { origin: 'https://evil.example' }],
    ['made for another site', { rpId: 'evil.example' }],
    ['made for a challenge that nobody was given', { challenge: 'A'.repeat(32) }],
    ['made without verification of its person', { isVerified: false }],
  ];
  for (const [what, faults] of HOSTILE_NEW)
    it(`refuse a new one ${what}`, async () => {
      const ann = await joinDesk(harness, 'ann@shop.example');
      const options = optionsOf(await ann.get(ACCOUNT));
      const fields = new Authenticator(ORIGIN).create(options, faults);
      const answer = await ann.post(`${ACCOUNT}/passkeys`, fields);
      expect([answer.status, answer.set]).to.deep.equal([400, []]);
      expect(await harness.ctx.db('passkeys').select()).to.deep.equal([]);
    });

  it('refuse an answer whose bytes were changed, or are none', async () => {
    const { authenticator } = await withPasskey();
    const browser = openBrowser(harness);
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature', 'id'])
      for (const value of ['', 'x', 'AAAA', '{"a":1}', 'A'.repeat(4_000)]) {
        const options = optionsOf(await browser.get('/dashboard/passkey'));
        const fields = { ...authenticator.get(options), [field]: value };
        expect((await browser.post('/dashboard/passkey', fields)).status, `${field} ${value}`).to.equal(400);
      }
  });

  it('use each challenge once, within five minutes, for what it was given for', async () => {
    const { person, authenticator } = await withPasskey();
    const browser = openBrowser(harness);
    const options = optionsOf(await browser.get('/dashboard/passkey'));
    const fields = authenticator.get(options);
    const both = await Promise.all([1, 2].map(() => openBrowser(harness).post('/dashboard/passkey', fields)));
    expect(both.map(({ status }) => status)).to.have.members([303, 400]);
    expect((await browser.post('/dashboard/passkey', fields)).status).to.equal(400);
    const late = optionsOf(await browser.get('/dashboard/passkey'));
    harness.advance(300);
    expect((await browser.post('/dashboard/passkey', authenticator.get(late))).status).to.equal(400);
    const proving = optionsOf(await person.get('/dashboard/second-factor'));
    expect((await browser.post('/dashboard/passkey', authenticator.get(proving))).status).to.equal(400);
    const rows = await harness.ctx.db('passkey_challenges').select<{ challenge_hash: Buffer }[]>();
    expect(rows.map(({ challenge_hash }) => challenge_hash.length)).to.include(32);
    expect(JSON.stringify(rows)).to.not.include(proving.challenge);
  });

  it('prove a second factor, of the person alone whose session it is', async () => {
    const { person, authenticator } = await withPasskey();
    const bob = await joinDesk(harness, 'bob@shop.example');
    const own = new Authenticator(ORIGIN);
    await addPasskey(bob, own);
    harness.advance(601);
    const ask = async () => optionsOf(await person.get('/dashboard/second-factor'));
    expect((await ask()).allowCredentials?.map(({ id }) => id)).to.deep.equal([
      authenticator.id.toString('base64url'),
    ]);
    const prove = (fields: Record<string, string>) =>
      person.post('/dashboard/second-factor/passkey', { ...fields, to: `${home()}/people` });
    expect((await prove(own.get(await ask()))).status).to.equal(400);
    const ofBob = optionsOf(await bob.get('/dashboard/second-factor'));
    expect((await prove(authenticator.get(ofBob))).status).to.equal(400);
    const proven = await prove(authenticator.get(await ask()));
    expect(proven.location).to.equal(`${home()}/people?said=confirmed`);
    const invited = await person.post(`${home()}/people/invite`, {
      email: 'eve@shop.example',
      role: 'support',
    });
    expect(invited.status).to.equal(200);
  });

  it('are the second factor after a password', async () => {
    const { person, authenticator } = await withPasskey();
    const browser = openBrowser(harness);
    await browser.post('/dashboard/sign-in', { email: person.email, password: PASSWORD });
    const page = await browser.get('/dashboard/second-factor');
    const fields = authenticator.get(optionsOf(page));
    expect((await browser.post('/dashboard/second-factor/passkey', fields)).status).to.equal(303);
    expect((await browser.get(home())).status).to.equal(200);
  });

  it('are refused when their counter goes back: logged, in the audit log, and told by mail once', async () => {
    const { person, authenticator } = await withPasskey();
    const clone = new Authenticator(ORIGIN, authenticator);
    clone.counter = 1;
    for (let i = 0; i < 3; i += 1)
      expect((await signInBy(openBrowser(harness), authenticator)).status).to.equal(303);
    const refused = await signInBy(openBrowser(harness), clone);
    expect([refused.status, refused.set]).to.deep.equal([400, []]);
    expect(refused.text).to.include('used in two places');
    expect((await signInBy(openBrowser(harness), authenticator, { counter: 4 })).status).to.equal(400);
    expect((await signInBy(openBrowser(harness), authenticator)).status).to.equal(303);
    expect((await commands()).filter((one) => one.includes('went back'))).to.have.lengthOf(2);
    expect((await person.get(`${home()}/audit`)).text).to.include('its counter went back');
    await harness.work();
    const told = mail.mails.filter(({ source }) => source.includes('A passkey of yours was refused'));
    expect(told).to.have.lengthOf(1);
    expect(told[0]?.to).to.deep.equal(['ann@shop.example']);
  });

  it('are not taken for clones by who cannot sign with them', async () => {
    const { authenticator } = await withPasskey();
    const forger = new Authenticator(ORIGIN);
    const options = optionsOf(await openBrowser(harness).get('/dashboard/passkey'));
    const fields = { ...forger.get(options, { counter: 1 }), id: authenticator.id.toString('base64url') };
    const refused = await openBrowser(harness).post('/dashboard/passkey', fields);
    expect(refused.text).to.include('This passkey was not accepted');
    expect((await commands()).filter((one) => one.includes('went back'))).to.deep.equal([]);
  });

  it('without a counter are used again and again', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const authenticator = new Authenticator(ORIGIN);
    await addPasskey(ann, authenticator);
    for (let i = 0; i < 2; i += 1)
      expect((await signInBy(openBrowser(harness), authenticator)).status).to.equal(303);
  });

  it('belong to one person each', async () => {
    const { authenticator } = await withPasskey();
    const bob = await joinDesk(harness, 'bob@shop.example');
    const stolen = new Authenticator(ORIGIN, authenticator);
    expect((await addPasskey(bob, stolen)).status).to.equal(400);
    const rows = await harness.ctx.db('passkeys').select();
    expect(rows).to.have.lengthOf(1);
  });

  it('are added and removed with a fresh second factor alone, by their person alone', async () => {
    const { person } = await withPasskey();
    const [, path = ''] = /action="([^"]*\/remove)"/.exec((await person.get(ACCOUNT)).text) ?? [];
    const bob = await joinDesk(harness, 'bob@shop.example');
    expect((await bob.post(path)).status).to.equal(404);
    const options = optionsOf(await person.get(ACCOUNT));
    harness.advance(600);
    const confirm = `/dashboard/second-factor?to=${encodeURIComponent(ACCOUNT)}`;
    expect((await person.get(ACCOUNT)).text)
      .to.include('confirm first')
      .and.not.include('data-passkey');
    const fields = new Authenticator(ORIGIN).create(options);
    expect((await person.post(`${ACCOUNT}/passkeys`, fields)).location).to.equal(confirm);
    expect((await person.post(path)).location).to.equal(confirm);
    await person.post('/dashboard/second-factor', { code: person.code() });
    expect((await person.post(path)).location).to.equal(`${ACCOUNT}?said=passkeyRemoved`);
    expect(await harness.ctx.db('passkeys').select()).to.deep.equal([]);
    expect(await commands()).to.include('passkey removed');
  });

  it('are refused with a certificate, however right: it could name a server to ask', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const key = createPrivateKey({ key: Buffer.from(KEY, 'base64'), format: 'der', type: 'pkcs8' });
    const certify = (signed: Buffer) => {
      const signature = bytes(sign('sha256', signed, key));
      const certificates = list([bytes(Buffer.from(CERTIFICATE, 'base64'))]);
      const pairs = [text('alg'), integer(-7), text('sig'), signature, text('x5c'), certificates];
      return Buffer.concat([map(3), ...pairs]);
    };
    const fields = new Authenticator(ORIGIN).create(optionsOf(await ann.get(ACCOUNT)), {}, certify);
    expect((await ann.post(`${ACCOUNT}/passkeys`, fields)).status).to.equal(400);
  });

  it('accept an invitation without a password, and alone are enough; the last one stays', async () => {
    const path = await invitePath(harness, 'eve@shop.example', { role: 'developer' });
    const browser = openBrowser(harness);
    const page = await browser.get(path);
    const authenticator = new Authenticator(ORIGIN);
    const accepted = await browser.post(`${path}/passkey`, authenticator.create(optionsOf(page)));
    expect([accepted.status, accepted.location]).to.deep.equal([303, '/dashboard']);
    expect((await browser.get(home())).text).to.include('Developer');
    expect((await signInBy(openBrowser(harness), authenticator)).status).to.equal(303);
    const { text: account } = await browser.get(ACCOUNT);
    expect(account)
      .to.include('You have none: you sign in with a passkey')
      .and.not.include('recovery codes left');
    const last = await removeFirst(browser);
    expect(last.status).to.equal(400);
    expect(last.text).to.include('you could not sign in any more');
    await addPasskey(browser, new Authenticator(ORIGIN), 'Phone');
    expect((await removeFirst(browser)).status).to.equal(303);
    expect((await removeFirst(browser)).status).to.equal(400);
    const rows = await harness.ctx.db('people').where({ email: 'eve@shop.example' });
    expect(rows).to.have.nested.property('[0].password_hash', null);
    expect((await openBrowser(harness).post(path, { password: PASSWORD })).status).to.equal(404);
  });

  it('accept an invitation to another shop with the passkey of the account, and no other', async () => {
    const { person, authenticator } = await withPasskey();
    const other = await harness.addMerchant({ name: 'Other shop' });
    const path = await invitePath(harness, person.email, { merchantId: other.id });
    const bob = await joinDesk(harness, 'bob@shop.example');
    const own = new Authenticator(ORIGIN);
    await addPasskey(bob, own);
    const browser = openBrowser(harness);
    const wrong = own.get(optionsOf(await browser.get(path)));
    expect((await browser.post(`${path}/passkey`, wrong)).status).to.equal(400);
    const right = authenticator.get(optionsOf(await browser.get(path)));
    expect((await browser.post(`${path}/passkey`, right)).status).to.equal(303);
    expect((await browser.get(`/dashboard/${other.id}`)).status).to.equal(200);
  });

  it('are the first second factor instead of an app, in one of two sessions with the password', async () => {
    const browser = openBrowser(harness);
    const path = await invitePath(harness, 'eve@shop.example');
    await browser.post(path, { password: PASSWORD });
    const other = openBrowser(harness);
    await other.post('/dashboard/sign-in', { email: 'eve@shop.example', password: PASSWORD });
    const pages = await Promise.all([browser, other].map((one) => one.get('/dashboard/set-up')));
    const answers = await Promise.all(
      [browser, other].map((one, at) =>
        one.post(
          '/dashboard/set-up/passkey',
          new Authenticator(ORIGIN).create(optionsOf(pages[at] ?? { text: '' })),
        ),
      ),
    );
    expect(answers.filter(({ location }) => location === '/dashboard')).to.have.lengthOf(1);
    expect(await harness.ctx.db('passkeys').select()).to.have.lengthOf(1);
  });

  it('delete challenges that have ended while new ones are asked for', async () => {
    const ask = () => openBrowser(harness).get('/dashboard/passkey');
    for (let i = 0; i < 6; i += 1) await ask();
    harness.advance(300);
    for (let i = 0; i < 3; i += 1) await ask();
    expect(await harness.ctx.db('passkey_challenges').select()).to.have.lengthOf(3);
  });
});
