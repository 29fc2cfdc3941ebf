import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { buyByLink, createLink, type Link } from '../../support/links.ts';
import { openShop, type Shop } from '../../support/shop.ts';

describe('payment links at the desk', () => {
  let harness: Harness;
  let shop: Shop;
  let owner: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(harness);
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  afterEach(() => harness.close());

  const path = (link?: Link) =>
    `/dashboard/${harness.merchant.id}/links${link === undefined ? '' : `/${link.id}`}`;
  const read = async (id: string) => (await harness.api('get', `/v1/links/${id}`)).body as Link;
  const entries = async () =>
    (await harness.ctx
      .db('operator_actions')
      .where({ kind: 'person' })
      .orderBy('id')
      .pluck('command')) as string[];

  it('are created by a form, and shown with address, code and tag', async () => {
    const made = await owner.post(path(), {
      title: 'Tea & <b>cake</b>',
      prices: 'Small = 4,50\r\n\r\nLarge = 6.00',
      currency: 'EUR',
      stock: '10',
      ends: '2026-02-28',
      thanks: 'Enjoy it!',
    });
    const id = /\/links\/(lnk_\w{26})\?said=created$/.exec(made.location ?? '')?.[1] ?? '';
    const link = await read(id);
    expect(link).to.deep.include({
      title: 'Tea & <b>cake</b>',
      prices: [
        { name: 'Small', amount: '4.50' },
        { name: 'Large', amount: '6.00' },
      ],
      price_currency: 'EUR',
      stock: 10,
      expires_at: '2026-02-28T23:59:59.999Z',
      thank_you: 'Enjoy it!',
    });
    const { text } = await owner.get(path(link));
    expect(text)
      .to.include(link.url)
      .and.include('/code.svg')
      .and.include('/code.png')
      .and.not.include('<b>cake');
    expect((await owner.get(path())).text)
      .to.include('4.50 – 6.00 EUR')
      .and.include('0 of 10');
    expect(await entries()).to.include('payment link created');
  });

  it('give out the button that the guide prescribes, with the addresses of the service', async () => {
    const link = await createLink(harness);
    const guide = readFileSync('docs/guides/payment-links.md', 'utf8');
    const prescribed = /```html\n([^`]+)\n```/.exec(guide)?.[1] ?? '';
    const button = prescribed
      .replace('https://pay.example/l/TOKEN', link.url)
      .replace('https://pay.example', harness.ctx.config.publicUrl)
      .replace('>Buy a pot of tea<', '>Pay<');
    const [, shown = ''] =
      /<pre class="code"[^>]*>([^<]*)<\/pre>/.exec((await owner.get(path(link))).text) ?? [];
    const read = shown.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
    expect(read).to.equal(button).and.include('data-checkout').and.not.include('pay.example/');
  });

  it('are created with the longest texts of any script', async () => {
    const made = await owner.post(path(), {
      title: '茶'.repeat(100),
      description: '茶'.repeat(500),
      prices: Array.from({ length: 10 }, (_, at) => `${String(at)}${'茶'.repeat(99)} = 1`).join('\r\n'),
      thanks: '茶'.repeat(1000),
      ...Object.fromEntries([0, 1, 2, 3, 4].map((at) => [`ask-${at}-label`, '茶'.repeat(100)])),
      ...Object.fromEntries([0, 1, 2, 3, 4].map((at) => [`ask-${at}-key`, `a${at}${'b'.repeat(38)}`])),
      success: `https://shop.example/?${'&'.repeat(2000)}`,
    });
    expect(made.location).to.match(/said=created$/);
  });

  for (const [what, fields, said] of [
    ['no title', { title: '', prices: '1' }, 'title must not be empty'],
    ['no price', { title: 'Tea' }, 'prices is required'],
    ['a price that is none', { title: 'Tea', prices: 'cheap' }, 'prices cannot be cheap'],
    ['bounds in the wrong order', { title: 'Tea', min: '5', max: '1' }, 'open_amount.max must be'],
    [
      'an end in the past',
      { title: 'Tea', prices: '1', ends: '2020-01-01' },
      'expires_at must be in the future',
    ],
    ['a day that there is not', { title: 'Tea', prices: '1', ends: '2026-02-31' }, 'expires_at must be'],
    ['a comma that may mean thousands', { title: 'Tea', prices: '1,000' }, 'prices cannot be 1,000'],
    ['half a piece', { title: 'Tea', prices: '1', stock: '1.5' }, 'stock must be a whole number'],
    ['decimals that a currency has not', { title: 'Tea', prices: '1.5', currency: 'JPY' }, 'prices.0.amount'],
  ] as const)
    it(`are not created with ${what}, and the form keeps what was typed`, async () => {
      const answer = await owner.post(path(), { description: 'Very hot', ...fields });
      expect(answer.status).to.equal(400);
      expect(answer.text).to.include(said).and.include('Very hot');
      expect(((await harness.api('get', '/v1/links')).body as { data: Link[] }).data).to.deep.equal([]);
    });

  it('are changed by a form: title, prices on and off, stock, end, and whether they sell', async () => {
    const link = await createLink(harness, {
      prices: [
        { name: 'Small', amount: '1' },
        { name: 'Large', amount: '2' },
      ],
      stock: 2,
    });
    await buyByLink(harness, link);
    const form = {
      title: 'Green tea',
      description: '',
      ends: '',
      active: 'on',
      'price-0': 'on',
      'price-1': 'on',
    };
    await owner.post(path(link), { ...form, restock: '+5' });
    expect(await read(link.id)).to.include({ title: 'Green tea', stock: 7, stock_left: 6, is_open: true });
    await owner.post(path(link), { ...form, 'price-1': '', restock: '-6' });
    expect(await read(link.id)).to.deep.include({
      prices: [
        { name: 'Small', amount: '1' },
        { name: 'Large', amount: '2', closed: true },
      ],
      stock_left: 0,
    });
    const refused = await owner.post(path(link), { ...form, restock: '-1' });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('must leave 1, of which 1 are taken');
    await owner.post(path(link), { ...form, active: '', ends: '2026-03-01' });
    expect(await read(link.id)).to.include({ is_open: false, expires_at: '2026-03-01T23:59:59.999Z' });
    expect((await read(link.id)).paused_at).to.not.equal(null);
    expect((await entries()).filter((command) => command === 'payment link changed')).to.have.lengthOf(3);
  });

  it('say what they have taken: settled payments, without those that are open or went back', async () => {
    const link = await createLink(harness);
    await buyByLink(harness, link);
    harness.advance(1);
    await buyByLink(harness, link);
    const ids = (await harness.ctx.db('payments').orderBy('id').pluck('id')) as string[];
    await shop.pay(ids[0] ?? '');
    await harness.work();
    await shop.mine(12);
    const { text } = await owner.get(path(link));
    expect(text).to.include('10.5 USDC received by 1 settled, 0 USDC sent back');
    expect(text).to.include(`payments?order_id=${link.id}`);
  });

  it('are archived for good, and have no form then', async () => {
    const link = await createLink(harness);
    await owner.post(`${path(link)}/archive`);
    expect((await read(link.id)).archived_at).to.not.equal(null);
    const { text } = await owner.get(path(link));
    expect(text).to.include('Closed for good').and.not.include('<form method="post" action="/dashboard/mer_');
    expect(await entries()).to.include('payment link archived');
  });

  it('are read by everybody, and changed by who may create payments', async () => {
    const link = await createLink(harness);
    const reader = await joinDesk(harness, 'reader@shop.example', { role: 'read-only' });
    expect((await reader.get(path(link))).text)
      .to.include('Tea')
      .and.not.include('Close it for good');
    const support = await joinDesk(harness, 'support@shop.example', { role: 'support' });
    expect((await support.get(path(link))).text).to.include('Close it for good');
  });
});
