import { expect } from 'chai';
import { CreateLinkBody, LinkResource, UpdateLinkBody } from '../../../src/domain/links/schemas.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createLink, type Link } from '../../support/links.ts';

/** Which fields of the desk's forms say a property of the API; a new property has none, and fails here. */
const OF_NEW: Readonly<Record<string, readonly string[]>> = {
  title: ['title'],
  description: ['description'],
  prices: ['prices'],
  open_amount: ['min', 'max'],
  price_currency: ['currency'],
  fields: [0, 1, 2, 3, 4].flatMap((at) =>
    ['key', 'label', 'required', 'length'].map((part) => `ask-${String(at)}-${part}`),
  ),
  max_uses: ['max_uses'],
  stock: ['stock'],
  expires_at: ['ends'],
  expiration_minutes: ['minutes'],
  success_url: ['success'],
  thank_you: ['thanks'],
};
const OF_CHANGE: Readonly<Record<string, readonly string[]>> = {
  title: ['title'],
  description: ['description'],
  prices: ['prices', 'prices_were', 'price-0', 'price-1'],
  stock: ['stock', 'unlimited'],
  stock_change: ['restock'],
  max_uses: ['max_uses', 'max_uses_was'],
  expires_at: ['ends'],
  is_active: ['active'],
};
const EVERYTHING = {
  title: 'Shirt & <b>more</b>',
  description: 'Printed by hand',
  prices: [
    { name: 'Small', amount: '10.00' },
    { name: 'Large', amount: '12.00', closed: true },
  ],
  price_currency: 'EUR',
  fields: [
    { key: 'size', label: 'Which <i>size</i>?', required: true, max_length: 20 },
    { key: 'note', label: 'A word to us' },
  ],
  max_uses: 41,
  stock: 43,
  expires_at: '2027-03-04T05:06:07.000Z',
  expiration_minutes: 77,
  success_url: 'https://shop.example/thanks?a=1&b=2',
  thank_you: 'Enjoy "it"!',
};

/** The fields of a page's form that posts to `path`. */
function namesOf(text: string, path: string): string[] {
  const form = text.split(`<form method="post" action="${path}"`)[1]?.split('</form>')[0] ?? '';
  return [...form.matchAll(/\sname="([^"]+)"/g)].map(([, name = '']) => name);
}

describe('payment links at the desk, beside what the API takes', () => {
  let harness: Harness;
  let owner: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    owner = await joinDesk(harness, 'owner@shop.example');
  });
  afterEach(() => harness.close());

  const path = (id?: string) => `/dashboard/${harness.merchant.id}/links${id === undefined ? '' : `/${id}`}`;
  const read = async (id: string) => (await harness.api('get', `/v1/links/${id}`)).body as Link;

  it('have a field for everything that a link can be created with', async () => {
    expect(OF_NEW).to.have.all.keys(Object.keys(CreateLinkBody.properties));
    const names = namesOf((await owner.get(path())).text, path());
    expect(names).to.have.members(Object.values(OF_NEW).flat());
  });

  it('have a field for everything that the API changes', async () => {
    expect(OF_CHANGE).to.have.all.keys(Object.keys(UpdateLinkBody.properties));
    const { stock, ...unlimited } = EVERYTHING;
    const links = [await createLink(harness, { ...unlimited, stock }), await createLink(harness, unlimited)];
    const names = new Set<string>();
    for (const { id } of links)
      for (const name of namesOf((await owner.get(path(id))).text, path(id))) names.add(name);
    expect([...names]).to.have.members(Object.values(OF_CHANGE).flat());
  });

  it('show everything that the API says of a link', async () => {
    const made = await createLink(harness, EVERYTHING);
    await harness.api('post', `/v1/links/${made.id}`).send({ is_active: false }).expect(200);
    const closed = await createLink(harness, { open_amount: { min: '3.25', max: '99' } });
    await harness.api('post', `/v1/links/${closed.id}/archive`).expect(200);
    const paused = (await read(made.id)).paused_at as string;
    const archived = (await read(closed.id)).archived_at as string;
    const shown: Readonly<Record<string, readonly string[]>> = {
      id: [made.id],
      url: [made.url],
      code_url: ['/code.svg'],
      title: ['Shirt &#38; &#60;b&#62;more&#60;/b&#62;'],
      description: ['<bdi>Printed by hand</bdi>'],
      prices: ['Small: 10.00 EUR', 'Large: 12.00 EUR'],
      open_amount: ['3.25 – 99 USDC'],
      price_currency: ['10.00 EUR'],
      fields: [
        'Which &#60;i&#62;size&#60;/i&#62;?</bdi> (size, required, at most 20 characters)',
        'A word to us</bdi> (note, at most 200 characters)',
      ],
      max_uses: ['<dd>41</dd>'],
      stock: ['0 of 43'],
      stock_left: ['<dd>43</dd>'],
      uses: ['0 of 43'],
      is_open: ['<strong>Paused</strong>', '<strong>Closed for good</strong>'],
      expires_at: ['datetime="2027-03-04T05:06:07.000Z"'],
      expiration_minutes: ['77 minutes'],
      success_url: ['https://shop.example/thanks?a=1&#38;b=2'],
      thank_you: ['Enjoy &#34;it&#34;!'],
      created_at: [`datetime="${String(made.created_at)}"`],
      archived_at: [`<strong>Closed for good</strong> <time datetime="${archived}"`],
      paused_at: [`<strong>Paused</strong> <time datetime="${paused}"`],
    };
    expect(shown).to.have.all.keys(Object.keys(LinkResource.properties));
    const texts = [await owner.get(path(made.id)), await owner.get(path(closed.id))].map(({ text }) => text);
    const pages = texts.join(' ').replaceAll(/\s+/g, ' ');
    for (const one of Object.values(shown).flat()) expect(pages).to.include(one);
  });

  it('are created by a form with all that the API takes', async () => {
    const made = await owner.post(path(), {
      title: EVERYTHING.title,
      description: EVERYTHING.description,
      prices: 'Small = 10.00\r\nLarge = 12.00',
      currency: 'EUR',
      'ask-1-key': 'size',
      'ask-1-label': 'Which <i>size</i>?',
      'ask-1-required': 'on',
      'ask-1-length': '20',
      'ask-4-key': 'note',
      'ask-4-label': 'A word to us',
      max_uses: '41',
      stock: '43',
      ends: '2027-03-04',
      minutes: '77',
      success: EVERYTHING.success_url,
      thanks: EVERYTHING.thank_you,
    });
    const id = /\/links\/(lnk_\w{26})\?said=created$/.exec(made.location ?? '')?.[1] ?? '';
    expect(await read(id)).to.deep.include({
      ...EVERYTHING,
      prices: [
        { name: 'Small', amount: '10.00' },
        { name: 'Large', amount: '12.00' },
      ],
      fields: [EVERYTHING.fields[0], { ...EVERYTHING.fields[1], required: false, max_length: 200 }],
      expires_at: '2027-03-04T23:59:59.999Z',
    });
  });

  for (const [what, fields, said] of [
    ['a question without a key', { 'ask-0-label': 'Size?' }, 'fields.0.key must'],
    ['a key without a question', { 'ask-3-key': 'size' }, 'fields.0.label must'],
    [
      'a length in words',
      { 'ask-0-key': 'a', 'ask-0-label': 'A', 'ask-0-length': 'long' },
      'max_length must',
    ],
    ['no use', { max_uses: '0' }, 'max_uses must be'],
    ['less time than it takes', { minutes: '1' }, 'expiration_minutes must be'],
    ['an address of a program', { success: 'javascript:alert(1)' }, 'success_url must'],
  ] as const)
    it(`are not created with ${what}, and the form keeps what was typed`, async () => {
      const typed = { title: 'Tea', prices: '1', success: 'https://shop.example/', ...fields };
      const { status, text } = await owner.post(path(), typed);
      expect(status).to.equal(400);
      expect(text).to.include(said);
      for (const value of Object.values(typed).slice(2)) expect(text).to.include(`value="${value}"`);
      expect(text.includes('<details open>')).to.equal(
        Object.keys(fields).some((name) => name.startsWith('ask')),
      );
    });

  it('get other prices by a form, of which those of the names that were closed stay closed', async () => {
    const { id } = await createLink(harness, EVERYTHING);
    const form = {
      title: 'Shirt',
      active: 'on',
      prices_were: 'Small = 10.00\r\nLarge = 12.00',
      'price-0': 'on',
    };
    await owner.post(path(id), { ...form, prices: 'Large = 13.00\r\nHuge = 15.00\r\nSmall = 10.00' });
    expect((await read(id)).prices).to.deep.equal([
      { name: 'Large', amount: '13.00', closed: true },
      { name: 'Huge', amount: '15.00' },
      { name: 'Small', amount: '10.00' },
    ]);
  });

  it('keep what another has changed where a form shows an older state of it', async () => {
    const { id } = await createLink(harness, { prices: [{ amount: '1' }], max_uses: 5 });
    await harness
      .api('post', `/v1/links/${id}`)
      .send({ prices: [{ amount: '2' }], max_uses: 9 })
      .expect(200);
    const form = { active: 'on', prices: '1', prices_were: '1', max_uses: '5', max_uses_was: '5' };
    await owner.post(path(id), { title: 'Green tea', ...form });
    expect(await read(id)).to.deep.include({ title: 'Green tea', prices: [{ amount: '2' }], max_uses: 9 });
  });

  it('lose their limits by a form, and get others', async () => {
    const { id } = await createLink(harness, { max_uses: 5, stock: 7 });
    const form = { title: 'Tea', active: 'on' };
    await owner.post(path(id), { ...form, max_uses: '', max_uses_was: '5', unlimited: 'on' });
    expect(await read(id)).to.include({ max_uses: null, stock: null });
    await owner.post(path(id), { ...form, max_uses: '3', max_uses_was: '', stock: '2' });
    expect(await read(id)).to.include({ max_uses: 3, stock: 2 });
  });

  it('are left as they were by a change that is refused, and the form keeps what was typed', async () => {
    const { id } = await createLink(harness, { max_uses: 5 });
    const form = { title: 'Green tea', max_uses: 'many', max_uses_was: '5', active: '' };
    const { status, text } = await owner.post(path(id), form);
    expect(status).to.equal(400);
    expect(text).to.include('max_uses must be a whole number').and.include('value="many"');
    expect(text).to.include('value="Green tea"').and.include('name="max_uses_was" value="5"');
    expect(text).to.match(/name="active" value="on"\s+\/>/);
    expect(await read(id)).to.include({ title: 'Tea', max_uses: 5 });
  });
});
