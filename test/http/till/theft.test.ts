import { expect } from 'chai';
import { listDevices, revokeDevice } from '../../../src/domain/tills/devices.ts';
import { archiveTill, setPin } from '../../../src/domain/tills/store.ts';
import type { Till } from '../../../src/domain/tills/till.ts';
import { openBrowser } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { makeTill, openTillBrowser, pairBrowser, pairingOf, PIN } from '../../support/tills.ts';

const BY = { kind: 'command', actor: 'test', address: null } as const;

describe('a till in the wrong hands', () => {
  let harness: Harness;
  let till: Till;
  beforeEach(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1' });
    till = await makeTill(harness);
  });
  afterEach(() => harness.close());

  it('uses a link once, by its form alone, within an hour; of two devices that use it at once, one is the till', async () => {
    const link = await pairingOf(harness, till);
    const browsers = [openBrowser(harness), openBrowser(harness), openBrowser(harness)];
    for (const browser of browsers) expect((await browser.get(link)).status).to.equal(200);
    const used = await Promise.all(browsers.map((browser) => browser.post(link)));
    expect(used.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([303, 404, 404]);
    expect((await openBrowser(harness).get(link)).status).to.equal(404);
    const late = await pairingOf(harness, till);
    harness.advance(3_600);
    expect((await openBrowser(harness).get(late)).status).to.equal(404);
    expect((await openBrowser(harness).post(late)).status).to.equal(404);
  });

  it('stores neither the PIN nor a token as it is, and writes down who was paired', async () => {
    const browser = await openTillBrowser(harness, till);
    const cookies = [...browser.cookies.values()];
    expect(cookies).to.have.length(2);
    const link = await pairingOf(harness, till);
    for (const table of ['tills', 'till_devices', 'operator_actions']) {
      const rows = JSON.stringify(await harness.ctx.db(table).select());
      for (const secret of [...cookies, PIN, link.split('/').at(-1) ?? ''])
        expect(rows).to.not.contain(secret);
    }
    const written = (await harness.ctx.db('operator_actions').orderBy('id')) as { command: string }[];
    expect(written.map(({ command }) => command)).to.include.members([
      'till made',
      'till device invited',
      'till device paired',
    ]);
  });

  it('takes a cookie of the host alone, which no script reads, over https', async () => {
    const secure = await createHarness({ PUBLIC_URL: 'https://pay.example' });
    try {
      const own = await makeTill(secure);
      const { set } = await openBrowser(secure).post(await pairingOf(secure, own));
      expect(set[0]).to.match(
        /^__Host-till=[\w-]{32}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
    } finally {
      await secure.close();
    }
  });

  it('takes five wrong PINs, then one in a quarter of an hour, and locks no other device', async () => {
    const [stolen, other] = [await pairBrowser(harness, till), await pairBrowser(harness, till, 'Phone')];
    for (let guess = 0; guess < 5; guess += 1)
      expect((await stolen.post('/till/open', { pin: `1357${guess}` })).text).to.contain('This PIN is wrong');
    expect((await stolen.post('/till/open', { pin: PIN })).text).to.contain('Too many wrong PINs');
    expect((await other.post('/till/open', { pin: PIN })).location).to.equal('/till');
    harness.advance(900);
    expect((await stolen.post('/till/open', { pin: PIN })).location).to.equal('/till');
  });

  it('counts no right PIN as a guess, however often a day it is locked', async () => {
    const browser = await pairBrowser(harness, till);
    for (let opening = 0; opening < 12; opening += 1) {
      expect((await browser.post('/till/open', { pin: PIN })).location).to.equal('/till');
      await browser.post('/till/lock');
    }
    for (let guess = 0; guess < 5; guess += 1)
      expect((await browser.post('/till/open', { pin: `1357${guess}` })).text).to.contain(
        'This PIN is wrong',
      );
    expect((await browser.post('/till/open', { pin: PIN })).text).to.contain('Too many wrong PINs');
  });

  it('opens nothing by a copy of its cookie: that asks for the PIN, whatever its owner has entered', async () => {
    const own = await pairBrowser(harness, till);
    const thief = openBrowser(harness, 'Thief');
    for (const [name, value] of own.cookies) thief.cookies.set(name, value);
    await own.post('/till/open', { pin: PIN });
    expect((await own.get('/till')).text).to.contain('name="amount"');
    expect((await thief.get('/till')).text).to.contain('PIN of this till');
    expect((await thief.post('/till/sales', { amount: '1', nonce: 'n'.repeat(32) })).location).to.equal(
      '/till',
    );
    expect(await harness.ctx.db('till_sales').select()).to.deep.equal([]);
  });

  it('ends what was copied of an opening with the next one, and with Lock', async () => {
    const own = await openTillBrowser(harness, till);
    const copyOf = () => {
      const copied = openBrowser(harness, 'Thief');
      for (const [name, value] of own.cookies) copied.cookies.set(name, value);
      return copied;
    };
    const first = copyOf();
    expect((await first.get('/till')).text).to.contain('name="amount"');
    harness.advance(1);
    await own.post('/till/open', { pin: PIN });
    expect((await first.get('/till')).text).to.contain('PIN of this till');
    const second = copyOf();
    await own.post('/till/lock');
    expect((await second.get('/till')).text).to.contain('PIN of this till');
  });

  it('goes on while a stranger at the same address asks as much as they may, with any cookie', async () => {
    const narrow = await createHarness({ RATE_LIMIT_SCALE: '0.1' });
    try {
      const browser = await openTillBrowser(narrow, await makeTill(narrow));
      await browser.post('/till/lock');
      const strangers = [openBrowser(narrow), openBrowser(narrow)];
      strangers[1]?.cookies.set('till', 'x'.repeat(32));
      for (const stranger of strangers) {
        const asked = Array.from({ length: 40 }, () => [
          stranger.get('/till'),
          stranger.post('/till/open', { pin: '13570' }),
        ]);
        const answers = await Promise.all(asked.flat());
        expect(answers.map(({ status }) => status)).to.include(429);
      }
      expect((await browser.post('/till/open', { pin: PIN })).location).to.equal('/till');
      const [page, again] = await Promise.all([browser.get('/till'), browser.get('/till?follow')]);
      expect([page.status, again.status]).to.deep.equal([200, 200]);
      expect((await browser.sell('1')).status).to.equal(303);
    } finally {
      await narrow.close();
    }
  });

  it('asks for the PIN after two hours without a person, whatever its page asks by itself', async () => {
    const browser = await openTillBrowser(harness, till);
    for (let minute = 0; minute < 120; minute += 30) {
      expect((await browser.get('/till?follow')).text).to.contain('name="amount"');
      harness.advance(1_800);
    }
    expect((await browser.get('/till')).text).to.contain('PIN of this till');
  });

  it('asks for the PIN after sixteen hours, however much it is used', async () => {
    const browser = await openTillBrowser(harness, till);
    for (let hour = 0; hour < 16; hour += 1) {
      expect((await browser.get('/till')).text).to.contain('name="amount"');
      harness.advance(3_600);
    }
    expect((await browser.get('/till')).text).to.contain('PIN of this till');
  });

  it('is locked by a button, sells nothing while it is, and is opened by a new PIN alone once that was changed', async () => {
    const browser = await openTillBrowser(harness, till);
    await browser.post('/till/lock');
    expect((await browser.get('/till/close')).text).to.contain('PIN of this till');
    expect((await browser.post('/till/sales', { amount: '1', nonce: 'n'.repeat(32) })).location).to.equal(
      '/till',
    );
    expect(await harness.ctx.db('till_sales').select()).to.deep.equal([]);
    await browser.post('/till/open', { pin: PIN });
    await setPin(harness.ctx, till, '918273', BY);
    expect((await browser.post('/till/open', { pin: PIN })).status).to.equal(400);
    expect((await browser.post('/till/open', { pin: '918273' })).status).to.equal(303);
  });

  it('ends at once where its shop ends the device or the till', async () => {
    const [first, second] = [
      await openTillBrowser(harness, till, 'Stolen'),
      await openTillBrowser(harness, till, 'Kept'),
    ];
    const devices = await listDevices(harness.ctx.db, till.id, harness.ctx.now());
    const device = devices.find(({ name }) => name === 'Stolen');
    expect(await revokeDevice(harness.ctx, till, device?.id ?? '', BY)).to.equal(true);
    expect((await first.get('/till')).status).to.equal(403);
    expect((await second.get('/till')).status).to.equal(200);
    await archiveTill(harness.ctx, till, BY);
    expect((await second.sell('1', 'n'.repeat(32))).status).to.equal(403);
  });

  it('opens nothing else: no payment of the shop, no desk, no API, and nothing of another till', async () => {
    const browser = await openTillBrowser(harness, till);
    const { id } = await createPayment(harness);
    for (const path of [`/till/sales/${id}`, '/till/sales/1', '/till/sales/0', '/till/closes/1'])
      expect((await browser.get(path)).status, path).to.equal(404);
    expect((await browser.get('/dashboard')).location).to.match(/sign-in/);
    expect((await browser.get('/v1/payments')).status).to.equal(401);
    const other = await openTillBrowser(harness, await makeTill(harness, { name: 'Counter 2' }));
    await other.sell('1');
    for (const path of ['/till/sales/1/cancel', '/till/sales/1/coin'])
      expect((await browser.post(path, { coin: 'BTC', network: 'bitcoin' })).status, path).to.equal(404);
  });

  for (const path of ['/till/open', '/till/lock', '/till/sales', '/till/sales/1/cancel', '/till/close'])
    it(`takes no form of another page: ${path}`, async () => {
      const browser = await openTillBrowser(harness, till);
      await browser.sell('1');
      for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }, {}])
        expect((await browser.post(path, { number: '1' }, headers)).status).to.equal(403);
      expect(await harness.ctx.db('till_closes').select()).to.deep.equal([]);
    });

  it('is not cached, framed, or referred to elsewhere, and runs no script but its own', async () => {
    const { headers } = await (await openTillBrowser(harness, till)).get('/till');
    expect(headers['cache-control']).to.equal('no-store');
    expect(headers['referrer-policy']).to.equal('same-origin');
    expect(headers['content-security-policy'])
      .to.match(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/)
      .and.not.contain('unsafe');
  });

  it('makes at most twenty sales a minute', async () => {
    const browser = await openTillBrowser(harness, till);
    const sold: number[] = [];
    for (let sale = 0; sale < 21; sale += 1)
      sold.push((await browser.sell('1', `nonce-of-a-sale-${String(sale).padStart(4, '0')}`)).status);
    expect(sold.filter((status) => status === 303)).to.have.length(20);
    expect(sold.at(-1)).to.equal(429);
  });
});
