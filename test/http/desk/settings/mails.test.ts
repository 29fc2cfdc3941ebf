import { expect } from 'chai';
import { takeGuess } from '../../../../src/domain/people/sessions/buckets.ts';
import { joinDesk, type DeskPerson } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { startMailServer, type MailServer } from '../../../support/mail-server.ts';
import { readMail } from '../../../support/mime.ts';

const OWN = { subject: 'Thanks for {order}', text: 'Your tea is <b>on its way</b>.\r\n\r\n{merchant}' };
const STORED = { subject: OWN.subject, text: OWN.text.replaceAll('\r', '') };

describe('the mail texts of a merchant at the desk', () => {
  let harness: Harness;
  let mail: MailServer;
  let owner: DeskPerson;
  beforeEach(async () => {
    mail = await startMailServer();
    harness = await createHarness({ SMTP_URL: mail.url, MAIL_FROM: 'desk@service.example' });
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  afterEach(async () => {
    await harness.close();
    await mail.close();
  });

  const path = (rest = '/paid/en') => `/dashboard/${harness.merchant.id}/settings/mails${rest}`;
  const stored = () =>
    harness.ctx.db('mail_texts').orderBy(['kind', 'language']).select('kind', 'language', 'subject', 'text');
  const entries = () =>
    harness.ctx
      .db('operator_actions')
      .where({ actor: owner.id })
      .whereLike('command', '%mail%')
      .orderBy('number')
      .select<{ command: string; details: object }[]>('command', 'details');

  it('are listed, each with its standard text', async () => {
    const list = await owner.get(path(''));
    for (const name of ['Receipt', 'Partial refund', 'Address saved'])
      expect(list.text).to.include(`<strong>${name}</strong>`);
    expect((await owner.get(path('/paid/de'))).text)
      .to.include('Quittung von {merchant}: Bestellung {order}')
      .and.include('{merchant} hat Ihre Zahlung über {amount}.')
      .and.not.include('Back to the standard text');
  });

  it('are saved for one mail in one language, shown escaped, and written down with before and after', async () => {
    const saved = await owner.post(path(), OWN);
    expect([saved.status, saved.location]).to.deep.equal([303, `${path()}?said=saved`]);
    expect(await stored()).to.deep.equal([{ kind: 'paid', language: 'en', ...STORED }]);
    const { text } = await owner.get(`${path()}?said=saved`);
    expect(text)
      .to.include('on its way&#60;/b&#62;.&#10;&#10;{merchant}</textarea>')
      .and.not.include('<b>on');
    expect((await owner.get(path(''))).text).to.include('English');
    await owner.post(path(), { subject: '', text: 'Bye' });
    expect(await entries()).to.deep.equal([
      {
        command: 'mail text changed',
        details: { mail: 'paid', language: 'en', before: { subject: null, text: null }, after: STORED },
      },
      {
        command: 'mail text changed',
        details: { mail: 'paid', language: 'en', before: STORED, after: { subject: null, text: 'Bye' } },
      },
    ]);
  });

  for (const [field, value, part] of [
    ['text', 'Dear {customer}', 'text has {customer}, which is no placeholder'],
    ['subject', 'Paid {amount}', 'subject has {amount}, which is no placeholder'],
    ['text', 'Pay at evil.example', 'text has &#34;evil.example&#34;, which mail programs make a link of'],
    ['subject', 'x'.repeat(101), 'subject has more than 100 characters'],
  ] as const)
    it(`are refused by name where they are wrong, shown as typed, and nothing is stored: ${part}`, async () => {
      const answer = await owner.post(path(), { ...OWN, [field]: value });
      expect(answer.status).to.equal(400);
      expect(answer.text)
        .to.match(new RegExp(`id="${field}-fault">`))
        .and.include(part)
        .and.include(value);
      expect([await stored(), await entries()]).to.deep.equal([[], []]);
    });

  it('wait for the second factor of the last ten minutes, and what was typed is kept meanwhile', async () => {
    harness.advance(600);
    const asked = await owner.post(path(), OWN);
    expect(asked.status).to.equal(400);
    expect(asked.text)
      .to.include('value="Thanks for {order}"')
      .and.include('&#60;/b&#62;.&#10;&#10;{merchant}</textarea>')
      .and.include(`/dashboard/second-factor?to=${encodeURIComponent(path())}"`);
    expect(await stored()).to.deep.equal([]);
    const proven = await owner.post('/dashboard/second-factor', { code: owner.code(), to: path() });
    expect(proven.location).to.equal(`${path()}?said=confirmed`);
    expect((await owner.post(path(), OWN)).status).to.equal(303);
  });

  it('are the standard ones again by a click', async () => {
    await owner.post(path(), OWN);
    expect((await owner.get(path())).text).to.include('Back to the standard text');
    expect((await owner.post(`${path()}/reset`)).location).to.equal(`${path()}?said=saved`);
    expect(await stored()).to.deep.equal([]);
    expect((await entries())[1]?.details).to.deep.include({ before: STORED });
  });

  it('are shown before they are saved, in both schemes, as a mail in which nothing can be used', async () => {
    const draft = new URLSearchParams({ subject: 'Hi {order}', text: '<i>New</i> words' }).toString();
    const page = await owner.get(`${path()}?${draft}`);
    expect(page.text).to.include(`preview?scheme=dark&amp;${draft.replaceAll('&', '&#38;')}`);
    const light = await owner.get(`${path()}/preview?scheme=light&${draft}`);
    const dark = await owner.get(`${path()}/preview?scheme=dark&${draft}`);
    for (const { text, headers } of [light, dark]) {
      expect(text).to.include('[TEST] Hi ORDER-1001').and.include('&#60;i&#62;New&#60;/i&#62; words');
      expect(text)
        .to.include('<body inert')
        .and.include('25.00')
        .and.not.match(/<script|<i>| style="/);
      expect(headers['content-security-policy'])
        .to.match(/^default-src 'none'; style-src 'sha256-/)
        .and.match(/form-action 'none'.*frame-ancestors 'self'$/);
    }
    expect(light.text).to.include('color-scheme:light').and.not.equal(dark.text);
    expect(await stored()).to.deep.equal([]);
    const half = await owner.get(`${path()}/preview?subject=%7Bx&text=Kept`);
    expect(half.text).to.include('[TEST] Receipt from').and.include('Kept');
  });

  it('come as a test mail to who asks, as saved, with TEST also at a live shop, once it is in the log', async () => {
    const live = await harness.addMerchant({ name: 'Live shop', mode: 'live' });
    const ann = await joinDesk(harness, 'ann@live.example', { merchantId: live.id });
    const own = `/dashboard/${live.id}/settings/mails/refunded/fr`;
    await ann.post(own, { subject: 'À bientôt', text: '' });
    expect((await ann.get(`${own}/preview`)).text)
      .to.include('À bientôt')
      .and.not.include('TEST');
    const sent = await ann.post(`${own}/test`);
    expect(sent.location).to.equal(`${own}?said=sent`);
    expect((await ann.get(`${own}?said=sent`)).text).to.include('Sent to ann@live.example.');
    const [got, ...others] = mail.mails;
    expect([others.length, got?.to]).to.deep.equal([0, ['ann@live.example']]);
    const { headers, text } = readMail(got?.source ?? '');
    expect(headers.get('subject')).to.equal('[TEST] À bientôt');
    expect(text)
      .to.include('Live shop a renvoyé 25,00 USDC.')
      .and.match(/^\*{3} TEST/);
    const acts = await harness.ctx.db('operator_actions').where({ command: 'test mail sent' }).pluck('actor');
    expect(acts).to.deep.equal([ann.id]);
  });

  it('flood no mailbox with test mails: after twenty one more comes in ten minutes', async () => {
    const narrow = await createHarness({ SMTP_URL: mail.url, RATE_LIMIT_SCALE: '1' });
    try {
      const bob = await joinDesk(narrow, 'bob@shop.example');
      const test = `/dashboard/${narrow.merchant.id}/settings/mails/paid/en/test`;
      for (let taken = 0; taken < 20; taken += 1)
        expect(await takeGuess(narrow.ctx, 'testMail', bob.id, null)).to.equal(true);
      const refused = await bob.post(test);
      expect([refused.status, refused.text.includes('You have had many test mails')]).to.deep.equal([
        400,
        true,
      ]);
      expect(mail.mails).to.have.lengthOf(0);
      narrow.advance(600);
      expect((await bob.post(test)).location).to.match(/said=sent$/);
      expect(mail.mails).to.have.lengthOf(1);
    } finally {
      await narrow.close();
    }
  });

  it('say so where no mail server takes the test mail', async () => {
    mail.refuse(true);
    const refused = await owner.post(`${path()}/test`);
    expect([refused.status, refused.text.includes('did not take the mail')]).to.deep.equal([400, true]);
    const plain = await createHarness();
    try {
      const bob = await joinDesk(plain, 'bob@shop.example');
      const { text } = await bob.post(`/dashboard/${plain.merchant.id}/settings/mails/paid/en/test`);
      expect(text).to.include('The service has no mail server.');
    } finally {
      await plain.close();
    }
  });

  it('can be read by all roles, and have forms for owners alone', async () => {
    await owner.post(path(), OWN);
    const reader = await joinDesk(harness, 'reader@shop.example', { role: 'read-only' });
    const { text } = await reader.get(path());
    expect(text).to.include('Only owners change this.').and.include('iframe').and.not.include('<textarea');
    expect((await reader.get(`${path()}/preview`)).text).to.include('Thanks for ORDER-1001');
    for (const rest of ['', '/reset', '/test'])
      expect((await reader.post(`${path()}${rest}`, { subject: 'Mine' })).status, rest).to.equal(403);
    expect(await stored()).to.have.lengthOf(1);
  });

  it('are those of the mails and languages that there are', async () => {
    for (const rest of ['/paid/xx', '/constructor/en', '/paid/de-AT', '/PAID/en'])
      for (const answer of [await owner.get(path(rest)), await owner.post(path(rest), OWN)])
        expect(answer.status, rest).to.equal(404);
  });
});
