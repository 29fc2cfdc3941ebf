import { expect } from 'chai';
import { singleStatementsOf } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import {
  codeOf,
  hiddenField,
  invitePath,
  joinDesk,
  openBrowser,
  PASSWORD,
  type DeskPerson,
} from '../../support/desk.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

describe('the ways into the desk', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  const home = () => `/dashboard/${harness.merchant.id}`;
  const signIn = async (email: string, password = PASSWORD) => {
    const browser = openBrowser(harness);
    return { browser, answer: await browser.post('/dashboard/sign-in', { email, password }) };
  };
  const signInWith = async ({ email, code }: DeskPerson) => {
    harness.advance(30);
    const { browser } = await signIn(email);
    return { browser, answer: await browser.post('/dashboard/second-factor', { code: code() }) };
  };

  it('lead an invited person from the link to the home page: a password, an app, recovery codes', async () => {
    const browser = openBrowser(harness);
    const path = await invitePath(harness, 'Ann@shop.example', { role: 'developer' });
    const page = await browser.get(path);
    expect(page.text).to.include('You are invited to Shop').and.include('Ann@shop.example');
    const accepted = await browser.post(path, { password: PASSWORD });
    expect([accepted.status, accepted.location]).to.deep.equal([303, '/dashboard/second-factor']);
    expect((await browser.get('/dashboard/second-factor')).location).to.equal('/dashboard/set-up');
    expect((await browser.get(home())).location).to.equal('/dashboard/set-up');
    const setUp = await browser.get('/dashboard/set-up');
    const secret = hiddenField(setUp.text, 'secret');
    expect(setUp.text).to.include('data:image/png;base64,');
    const wrong = await browser.post('/dashboard/set-up', { secret, code: '000000' });
    expect(wrong.status).to.equal(400);
    expect(hiddenField(wrong.text, 'secret')).to.equal(secret);
    const done = await browser.post('/dashboard/set-up', { secret, code: codeOf(harness, secret) });
    expect(done.text.match(/<code>[0-9A-Z]{4}(-[0-9A-Z]{4}){3}<\/code>/g)).to.have.lengthOf(10);
    expect((await browser.get('/dashboard')).location).to.equal(home());
    const shown = await browser.get(home());
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('<title>[TEST] Home · Shop</title>').and.include('Developer');
  });

  it('use an invitation once, for a day, and by its form alone', async () => {
    const path = await invitePath(harness, 'ann@shop.example');
    for (const browser of [openBrowser(harness), openBrowser(harness)])
      expect((await browser.get(path)).status).to.equal(200);
    const both = await Promise.all([1, 2].map(() => openBrowser(harness).post(path, { password: PASSWORD })));
    expect(both.map(({ status }) => status)).to.have.members([303, 404]);
    expect((await openBrowser(harness).get(path)).status).to.equal(404);
    const old = await invitePath(harness, 'bob@shop.example');
    harness.advance(DAY_SECONDS);
    expect((await openBrowser(harness).get(old)).status).to.equal(404);
    expect((await openBrowser(harness).post(old, { password: PASSWORD })).status).to.equal(404);
  });

  it('store of an invitation and of a session only a hash', async () => {
    const path = await invitePath(harness, 'bob@shop.example');
    const { cookies } = await joinDesk(harness, 'ann@shop.example');
    for (const table of ['invitations', 'person_sessions', 'known_devices', 'people', 'operator_actions']) {
      const { rows } = await harness.ctx.db.raw<{ rows: { row: string }[] }>(
        `SELECT t::text AS row FROM ${table} t`,
      );
      const text = rows.map(({ row }) => row).join('\n');
      for (const secret of [path.split('/').at(-1) ?? '', ...cookies.values(), PASSWORD]) {
        expect(text).to.not.include(secret);
        expect(text).to.not.include(Buffer.from(secret).toString('hex'));
      }
    }
  });

  for (const [fault, password] of [
    ['short', 'eleven char'],
    ['long', 'ab'.repeat(200)],
    ['common', 'Password1234'],
  ])
    it(`refuse a password that is too ${fault}, and leave the invitation`, async () => {
      const path = await invitePath(harness, 'ann@shop.example');
      const answer = await openBrowser(harness).post(path, { password: password ?? '' });
      expect(answer.status).to.equal(400);
      expect(answer.text).to.include('class="fault"').and.not.include(password);
      expect((await openBrowser(harness).post(path, { password: PASSWORD })).status).to.equal(303);
    });

  it('ask whom another merchant invites for the password that they have', async () => {
    const other = await harness.addMerchant({ name: 'Other shop' });
    const ann = await joinDesk(harness, 'ann@shop.example');
    const path = await invitePath(harness, 'ANN@shop.example', { merchantId: other.id, role: 'support' });
    const browser = openBrowser(harness);
    expect((await browser.get(path)).text).to.include('enter its password');
    expect((await browser.post(path, { password: 'another password' })).status).to.equal(400);
    expect((await browser.post(path, { password: PASSWORD })).status).to.equal(303);
    const { text } = await ann.get('/dashboard');
    expect(text).to.include('Other shop').and.include(other.id).and.include(harness.merchant.id);
  });

  it('sign in with the password, and with a code that works once', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    harness.advance(30);
    const { browser, answer } = await signIn(' ANN@Shop.example ');
    expect([answer.status, answer.location]).to.deep.equal([303, '/dashboard/second-factor?to=%2Fdashboard']);
    expect((await browser.get(home())).location).to.equal('/dashboard/second-factor');
    const code = ann.code();
    const [one, two] = await Promise.all(
      [browser, (await signIn(ann.email)).browser].map((own) =>
        own.post('/dashboard/second-factor', { code, to: '/dashboard/account' }),
      ),
    );
    expect([one?.status, two?.status]).to.have.members([303, 400]);
    expect([one, two].find((each) => each?.status === 303)?.location).to.equal('/dashboard/account');
    const replayed = await (await signIn(ann.email)).browser.post('/dashboard/second-factor', { code });
    expect(replayed.status).to.equal(400);
  });

  it('take a recovery code in the place of the app, once', async () => {
    const { email, recoveryCodes } = await joinDesk(harness, 'ann@shop.example');
    const [code = ''] = recoveryCodes;
    const { browser } = await signIn(email);
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
    expect((await browser.post('/dashboard/second-factor', { code: typed })).status).to.equal(303);
    expect((await browser.get('/dashboard/account')).text).to.include('9 recovery codes');
    const again = await signIn(email);
    expect((await again.browser.post('/dashboard/second-factor', { code })).status).to.equal(400);
    const [, next = ''] = recoveryCodes;
    const others = [await signIn(email), await signIn(email)];
    const both = await Promise.all(
      others.map((one) => one.browser.post('/dashboard/second-factor', { code: next })),
    );
    expect(both.map(({ status }) => status)).to.have.members([303, 400]);
  });

  it('say of an account that does not exist what they say of a wrong password', async () => {
    await joinDesk(harness, 'ann@shop.example');
    const { answer: wrong } = await signIn('ann@shop.example', 'another password');
    const { answer: unknown } = await signIn('eve@shop.example', 'another password');
    expect(wrong.status).to.equal(400);
    expect(unknown.text.replaceAll('eve@', 'ann@')).to.equal(wrong.text);
    expect(unknown.set).to.deep.equal([]);
    const work = (email: string) => singleStatementsOf(() => signIn(email, 'another password'));
    expect(await work('eve@shop.example')).to.deep.equal(await work('ann@shop.example'));
  });

  it('give a session a new token at each step, and none that a browser brought', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    harness.advance(30);
    const browser = openBrowser(harness);
    const planted = 'A'.repeat(32);
    browser.cookies.set('desk', planted);
    await browser.post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    const begun = browser.cookies.get('desk') ?? '';
    await browser.post('/dashboard/second-factor', { code: ann.code() });
    const full = browser.cookies.get('desk') ?? '';
    expect(new Set([planted, begun, full]).size).to.equal(3);
    for (const token of [planted, begun]) {
      const stale = openBrowser(harness);
      stale.cookies.set('desk', token);
      expect((await stale.get(home())).location).to.match(/^\/dashboard\/sign-in/);
    }
    expect((await browser.get(home())).status).to.equal(200);
  });

  it('end a session after 12 hours without use, and after 7 days in any case', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    for (let hours = 0; hours < 7 * 24; hours += 11) {
      expect((await ann.get(home())).status, `after ${hours} hours`).to.equal(200);
      harness.advance(11 * HOUR_SECONDS);
    }
    harness.advance(HOUR_SECONDS);
    expect((await ann.get(home())).location).to.match(/^\/dashboard\/sign-in/);
    const { browser } = await signInWith(ann);
    harness.advance(12 * HOUR_SECONDS);
    expect((await browser.get(home())).location).to.match(/^\/dashboard\/sign-in/);
  });

  it('end what was begun with a password alone after half an hour', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const { browser } = await signIn(ann.email);
    harness.advance(HOUR_SECONDS / 2);
    const answer = await browser.post('/dashboard/second-factor', { code: ann.code() });
    expect(answer.location).to.match(/^\/dashboard\/sign-in/);
  });

  it('sign out for good, and lead back to nowhere else than the desk', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const token = ann.cookies.get('desk') ?? '';
    expect((await ann.post('/dashboard/sign-out')).location).to.equal('/dashboard/sign-in?said=ended');
    ann.cookies.set('desk', token);
    expect((await ann.get(home())).status).to.equal(303);
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/dashboard/../x',
      '/dashboard\\evil',
      '/other',
    ]) {
      const { text } = await ann.get(`/dashboard/sign-in?to=${encodeURIComponent(to)}`);
      expect(hiddenField(text, 'to'), to).to.equal('/dashboard');
    }
  });
});

describe('guesses at the desk', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1' });
  });
  afterEach(() => harness.close());

  it('are limited for each address', async () => {
    const browser = openBrowser(harness);
    const answers = [];
    for (let i = 0; i < 11; i += 1) {
      const fields = { email: `p${i}@shop.example`, password: 'wrong password' };
      answers.push(await browser.post('/dashboard/sign-in', fields));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(10).fill(400), 429]);
  });

  it('are limited for each account, existing or not, while its owner signs in from a device that is known', async () => {
    const wide = await createHarness({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const ann = await joinDesk(wide, 'ann@shop.example');
      let addresses = 0;
      const from = () => ({
        'Sec-Fetch-Site': 'same-origin',
        'X-Forwarded-For': `192.0.2.${(addresses += 1)}`,
      });
      const tries = async (email: string) => {
        const texts = [];
        for (let i = 0; i < 11; i += 1) {
          const fields = { email, password: 'wrong password' };
          texts.push((await openBrowser(wide).post('/dashboard/sign-in', fields, from())).text);
        }
        return texts.map((text) => text.includes('Too many wrong passwords'));
      };
      const limited = [...Array<boolean>(10).fill(false), true];
      expect(await tries('ann@shop.example')).to.deep.equal(limited);
      expect(await tries('eve@shop.example')).to.deep.equal(limited);
      const right = { email: ann.email, password: PASSWORD };
      expect((await openBrowser(wide).post('/dashboard/sign-in', right, from())).status).to.equal(400);
      expect((await ann.post('/dashboard/sign-in', right, from())).status).to.equal(303);
      wide.advance(60);
      expect((await openBrowser(wide).post('/dashboard/sign-in', right, from())).status).to.equal(303);
    } finally {
      await wide.close();
    }
  });

  it('of codes are limited for each person', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    harness.advance(30);
    const browser = openBrowser(harness);
    await browser.post('/dashboard/sign-in', { email: ann.email, password: PASSWORD });
    const texts = [];
    for (let i = 0; i < 6; i += 1)
      texts.push((await browser.post('/dashboard/second-factor', { code: '00000' })).text);
    expect(texts.map((text) => text.includes('Too many wrong codes'))).to.deep.equal([
      ...Array<boolean>(5).fill(false),
      true,
    ]);
    harness.advance(300);
    expect((await browser.post('/dashboard/second-factor', { code: ann.code() })).status).to.equal(303);
  });
});
