import { expect } from 'chai';
import supertest from 'supertest';
import { ALL_LANGUAGES, languageFor } from '../../../src/domain/languages/languages.ts';
import { en } from '../../../src/domain/languages/en.ts';
import { paymentIn } from '../../support/checkout.ts';
import type { Payment } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the languages of the checkout page', () => {
  let harness: Harness;
  let payment: Payment;
  before(async () => {
    harness = await createHarness();
    payment = await paymentIn(harness, 'waiting');
  });
  after(() => harness.close());

  const open = async (query: string, accept = '') =>
    (await supertest(harness.app).get(`/checkout/${payment.token_id}${query}`).set('Accept-Language', accept))
      .text;

  it('follow ?lang=, then Accept-Language, then English', async () => {
    expect(await open('?lang=de', 'fr')).to.include('<html lang="de" dir="ltr">');
    expect(await open('?lang=xx', 'fr-CH, de;q=0.9')).to.include('<html lang="fr" dir="ltr">');
    expect(await open('', 'sv')).to.include('<html lang="en" dir="ltr">');
    expect(await open('?lang=%E0%A4%A')).to.include('<html lang="en"');
    expect(await open('?lang=ar')).to.include('<html lang="ar" dir="rtl">');
  });

  it('are chosen by quality, and never with quality 0', () => {
    const chosen = (accept?: string) => languageFor(accept).id;
    expect(chosen('de;q=0.3, ja;q=0.8, sv')).to.equal('ja');
    expect(chosen('de;q=0, es;q=0.1')).to.equal('es');
    expect(chosen('ES-mx')).to.equal('es');
    expect([chosen(undefined), chosen(''), chosen('*'), chosen(';;;q=x,,')]).to.deep.equal([
      'en',
      'en',
      'en',
      'en',
    ]);
  });

  it('are kept by the form and linked to each other', async () => {
    const text = await open('?lang=ja');
    expect(text).to.include(`action="/checkout/${payment.token_id}/coin?lang=ja"`);
    for (const { id, name } of ALL_LANGUAGES.filter(({ id }) => id !== 'ja'))
      expect(text).to.include(`<a href="?lang=${id}" lang="${id}" hreflang="${id}">${name}</a>`);
  });

  for (const { id, page, wallet } of ALL_LANGUAGES)
    it(`${id}: has the same placeholders in every text as English, and no empty text`, () => {
      const partsOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
      for (const [texts, english] of [
        [page, en.page],
        [wallet, en.wallet],
      ] as const)
        for (const [key, text] of Object.entries(texts)) {
          expect(text.trim(), key).to.not.equal('');
          const inEnglish = (english as Readonly<Record<string, string>>)[key] ?? '';
          expect(new Set(partsOf(text)), key).to.deep.equal(new Set(partsOf(inEnglish)));
        }
    });

  it('apply to the page of an unknown token, too', async () => {
    const { text } = await supertest(harness.app).get('/checkout/x?lang=es').expect(404);
    expect(text).to.include('Página no encontrada').and.include('<html lang="es"');
  });
});
