import { expect } from 'chai';
import { insertLink } from '../../../src/domain/people/recovery/links.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { hashApiKey, newToken } from '../../../src/platform/values/ids.ts';
import { joinDesk, openBrowser, OWN, PASSWORD, type DeskBrowser } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the limits of sign-ins, of a browser that has signed in before', () => {
  /** Of each way in, a minute. */
  const LIMIT = 10;
  const SHOP = '192.0.2.1';
  const NEW_PASSWORD = 'nine purple kites at dawn';
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterEach(() => harness.close());

  const post = async (browser: DeskBrowser, path: string, fields: Record<string, string>, address = SHOP) =>
    (await browser.post(path, fields, { ...OWN, 'X-Forwarded-For': address })).status;
  const signIn = (browser: DeskBrowser, email: string, password = PASSWORD, address = SHOP) =>
    post(browser, '/dashboard/sign-in', { email, password }, address);
  /** A stranger on the shop's network takes all that its address has. */
  const exhaust = async (path: string, fields: Record<string, string> = {}) => {
    const stranger = openBrowser(harness);
    for (let i = 0; i < LIMIT; i += 1) await post(stranger, path, fields);
    expect(await post(stranger, path, fields)).to.equal(429);
  };
  /** A browser that keeps the mark of its device alone, as after signing out. */
  const signedOut = ({ cookies }: DeskBrowser): DeskBrowser => {
    const browser = openBrowser(harness);
    browser.cookies.set('desk-device', cookies.get('desk-device') ?? '');
    return browser;
  };

  it('are its own at each step, so that nobody at its address holds it up', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    for (const path of ['sign-in', 'second-factor', 'forgotten', 'passkey'])
      await exhaust(`/dashboard/${path}`, { email: ann.email });
    const back = signedOut(ann);
    expect(await post(back, '/dashboard/forgotten', { email: ann.email })).to.equal(200);
    expect(await post(back, '/dashboard/passkey', {})).to.equal(400);
    expect(await signIn(back, ann.email)).to.equal(303);
    harness.advance(60);
    expect(await post(back, '/dashboard/second-factor', { code: ann.code() })).to.equal(303);
    expect((await back.get('/dashboard/account')).status).to.equal(200);
  });

  it('are those of its address for every other account, whether there is one or not', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const bob = await joinDesk(harness, 'bob@shop.example');
    await exhaust('/dashboard/sign-in');
    const answers = [];
    for (const email of [bob.email, 'nobody@shop.example', ''])
      answers.push(await signIn(signedOut(ann), email));
    expect(answers).to.deep.equal([429, 429, 429]);
    expect(await signIn(signedOut(ann), ` ${ann.email.toUpperCase()} `)).to.equal(303);
  });

  it('are as few as those of an address, wherever it is', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    for (let i = 0; i < LIMIT; i += 1)
      expect(await signIn(signedOut(ann), ann.email, 'wrong', `192.0.2.${i}`)).to.not.equal(429);
    expect(await signIn(signedOut(ann), ann.email, 'wrong', '192.0.2.99')).to.equal(429);
  });

  it('are those of its address with a mark that is made up', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    await exhaust('/dashboard/sign-in');
    const guesser = openBrowser(harness);
    guesser.cookies.set('desk-device', newToken());
    expect(await signIn(guesser, ann.email)).to.equal(429);
  });

  it('are those of its address once the password was changed elsewhere, and its mark never works again', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const other = openBrowser(harness);
    await signIn(other, ann.email, PASSWORD, '192.0.2.2');
    harness.advance(60);
    expect(await post(other, '/dashboard/second-factor', { code: ann.code() }, '192.0.2.2')).to.equal(303);
    const copy = signedOut(other);
    const change = { present: PASSWORD, next: NEW_PASSWORD };
    expect(await post(ann, '/dashboard/account/password', change)).to.equal(303);
    await exhaust('/dashboard/sign-in');
    expect(await signIn(copy, ann.email, NEW_PASSWORD)).to.equal(429);
    expect(await signIn(signedOut(ann), ann.email, NEW_PASSWORD), 'the browser that changed it').to.equal(
      303,
    );
    const again = signedOut(other);
    expect(await signIn(again, ann.email, NEW_PASSWORD, '192.0.2.3')).to.equal(303);
    harness.advance(60);
    expect(await post(again, '/dashboard/second-factor', { code: ann.code() }, '192.0.2.3')).to.equal(303);
    await exhaust('/dashboard/sign-in', { email: 'guest@shop.example' });
    expect(await signIn(signedOut(again), ann.email, NEW_PASSWORD)).to.equal(303);
    expect(await signIn(copy, ann.email, NEW_PASSWORD)).to.equal(429);
  });

  it('are those of its address once a mailed link has set the password', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const token = newToken();
    const link = { id: 'pwl_x', emailFolded: ann.email, expiresAt: addSeconds(harness.ctx.now(), 60) };
    await harness.ctx.db.transaction((tx) => insertLink(tx, { ...link, tokenHash: hashApiKey(token) }));
    expect(await post(signedOut(ann), `/dashboard/passwords/${token}`, { password: NEW_PASSWORD })).to.equal(
      303,
    );
    await exhaust('/dashboard/sign-in');
    expect(await signIn(signedOut(ann), ann.email, NEW_PASSWORD)).to.equal(429);
  });
});
