import { expect } from 'chai';
import type { Choices } from '../../../../src/domain/checkout/appearance/choices.ts';
import { storeChoices } from '../../../../src/domain/checkout/appearance/store.ts';
import { lockMerchant } from '../../../../src/domain/merchants/store.ts';
import type { Tx } from '../../../../src/platform/postgres/db.ts';
import { joinDesk, type DeskPerson } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { createPayment } from '../../../support/http.ts';
import { logo as image } from '../../../support/images.ts';
import { waitingFor } from '../../../support/locks.ts';

describe('the appearance of a merchant at the desk', () => {
  let harness: Harness;
  let owner: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  afterEach(() => harness.close());

  const path = () => `/dashboard/${harness.merchant.id}/settings/appearance`;
  const appearance = async () =>
    (await harness.api('get', '/v1/checkout/appearance')).body as Record<string, unknown>;
  const form = {
    name: 'Tea <b>house</b>',
    accent_color: '#AA3300',
    display_currency: 'EUR',
    support_url: 'mailto:help@tea.example',
    embed_origins: 'https://tea.example\r\nhttps://shop.tea.example',
  };
  const preview = (fields: Record<string, string>) =>
    owner.get(`${path()}/preview?${new URLSearchParams(fields).toString()}`);

  it('is what the API says, and its form sets the same', async () => {
    const saved = await owner.post(path(), form);
    expect(saved.location).to.equal(`${path()}?said=saved`);
    expect(await appearance()).to.deep.include({
      name: 'Tea <b>house</b>',
      accent_color: '#aa3300',
      display_currency: 'EUR',
      support_url: 'mailto:help@tea.example',
      embed_origins: ['https://tea.example', 'https://shop.tea.example'],
      methods: null,
    });
    const { text } = await owner.get(path());
    expect(text).to.include('value="Tea &#60;b&#62;house&#60;/b&#62;"').and.not.include('<b>house');
    const entry = await harness.ctx
      .db('operator_actions')
      .where({ command: 'checkout appearance' })
      .first<Record<string, unknown>>();
    expect(entry).to.include({ kind: 'person', actor: owner.id });
  });

  it('keeps what another form of the settings sets at the same moment, and that form keeps it', async () => {
    const { ctx, merchant } = harness;
    const none = { support_url: null, display_currency: null, embed_origins: [] };
    const methods = [{ coin: 'BTC', network: 'bitcoin' }] as const;
    const meanwhile = (choices: Pick<Choices, 'name' | 'accent_color' | 'methods'>) => async (tx: Tx) => {
      await lockMerchant(tx, merchant.id);
      await storeChoices(tx, merchant.id, { ...none, ...choices }, ctx.now());
    };
    await waitingFor(ctx.db, meanwhile({ name: null, accent_color: null, methods }), () =>
      owner.post(path(), { name: 'Tea' }),
    );
    expect(await appearance()).to.deep.include({ name: 'Tea', methods });
    await waitingFor(ctx.db, meanwhile({ name: 'Coffee', accent_color: '#aa3300', methods: null }), () =>
      owner.post(`/dashboard/${merchant.id}/settings/methods`, { 'USDC/ethereum': 'on' }),
    );
    expect(await appearance()).to.deep.include({
      name: 'Coffee',
      accent_color: '#aa3300',
      methods: [{ coin: 'USDC', network: 'ethereum' }],
    });
  });

  for (const [field, value] of [
    ['accent_color', 'red'],
    ['support_url', 'javascript:alert(1)'],
    ['embed_origins', 'https://*.example'],
    ['display_currency', 'XXX'],
    ['name', 'x'.repeat(101)],
  ] as const)
    it(`is refused where the API refuses it, and shown again as it was typed: ${field}`, async () => {
      const answer = await owner.post(path(), { ...form, [field]: value });
      expect(answer.status).to.equal(400);
      expect(answer.text).to.match(new RegExp(`id="${field}-fault"|role="alert">${field}`));
      expect(answer.text).to.include('https://shop.tea.example'.slice(0, field === 'embed_origins' ? 8 : 24));
      expect(await appearance()).to.include({ updated_at: null });
    });

  it('is shown before it is saved, in both schemes, on a page that says TEST and can do nothing', async () => {
    const light = await preview({ ...form, scheme: 'light' });
    const dark = await preview({ ...form, scheme: 'dark' });
    for (const { text, headers } of [light, dark]) {
      expect(text).to.include('Tea &#60;b&#62;house&#60;/b&#62;').and.include('#aa3300');
      expect(text).to.include('<body inert').and.include('25.00 USDC').and.include('This is a test payment');
      expect(text).to.not.match(/<script|<noscript|prefers-color-scheme/);
      expect(headers['content-security-policy'])
        .to.match(/^default-src 'none'; style-src 'sha256-/)
        .and.match(/form-action 'none'.*frame-ancestors 'self'$/);
      expect(headers['x-frame-options']).to.equal('SAMEORIGIN');
    }
    expect(light.text).to.include('color-scheme:light').and.not.equal(dark.text);
    expect(dark.text).to.include('color-scheme:dark');
    expect(await appearance()).to.include({ updated_at: null });
  });

  it('is shown without what is not valid yet, so that it follows who types', async () => {
    const { status, text } = await preview({ ...form, accent_color: '#a', scheme: 'light' });
    expect(status).to.equal(200);
    expect(text).to.include('Tea &#60;b&#62;house').and.not.include('#aa3300');
  });

  it('is shown by a button without a script, with what is wrong beside its field', async () => {
    const draft = new URLSearchParams({ ...form, accent_color: 'red' });
    const { status, text } = await owner.get(`${path()}?${draft.toString()}`);
    expect(status).to.equal(400);
    expect(text).to.match(/class="fault" id="accent_color-fault">accent_color must be/);
    expect(text).to.include('preview?scheme=dark&amp;name=Tea+%3Cb%3Ehouse');
    expect(await appearance()).to.include({ updated_at: null });
  });

  it('has a logo by a form with a file, which is encoded again, and can be removed', async () => {
    const saved = await owner.upload(`${path()}/logo`, 'logo', await image());
    expect(saved.location).to.equal(`${path()}?said=saved`);
    const logo = (await appearance()).logo as { url: string };
    expect(logo.url).to.match(/\/checkout\/logos\/[0-9a-f]{32}\.webp$/);
    const { pathname } = new URL(logo.url);
    expect((await owner.get(path())).text).to.include(`src="${pathname}"`);
    expect((await preview({ scheme: 'light' })).text).to.include(`src="${pathname}"`);
    await owner.post(`${path()}/logo/remove`);
    expect((await appearance()).logo).to.equal(null);
  });

  for (const [what, file] of [
    ['no image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['an image that is cut off', Buffer.from('89504e470d0a1a0a0000', 'hex')],
    ['more than 100 kB', Buffer.alloc(110_000, 1)],
    ['nothing', Buffer.alloc(0)],
  ] as const)
    it(`takes no logo of ${what}`, async () => {
      const answer = await owner.upload(`${path()}/logo`, 'logo', file);
      expect(answer.status).to.equal(400);
      expect(answer.text).to.match(/role="alert">(logo|body) /);
      expect((await appearance()).logo).to.equal(null);
    });

  it('of the page of a real payment is not opened to frames of the desk', async () => {
    const { checkout_url } = await createPayment(harness);
    const { headers } = await owner.get(new URL(checkout_url).pathname);
    expect(headers['content-security-policy']).to.match(/frame-ancestors 'none'$/);
  });
});
