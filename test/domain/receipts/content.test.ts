import { expect } from 'chai';
import { en, type ReceiptTexts } from '../../../src/domain/languages/en.ts';
import { ALL_LANGUAGES, languageFor } from '../../../src/domain/languages/languages.ts';
import type { ReceiptData } from '../../../src/domain/receipts/template.ts';
import { receiptMail } from '../../../src/domain/receipts/render.ts';
import { ASKED, GIVEN, INCOMPLETE, PAID, PART, TOO_LATE, TOO_LITTLE } from '../../support/receipt-samples.ts';
import { openReceiptScene } from '../../support/receipts.ts';

const write = (receipt: ReceiptData, language = 'en') => receiptMail(receipt, languageFor(language));
/** Who speaks of asking the merchant, in six languages. */
const CONTACT = /contact|kontaktier|wenden Sie sich|お問い合わせ|に問い合わせる|تواصل/i;
const DIRECTION_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/;

describe('the text of a receipt', () => {
  for (const { id, receipt: texts } of ALL_LANGUAGES) {
    it(`${id}: has the same placeholders in every text as English, and no empty text`, () => {
      const partsOf = (text: string) => new Set(text.match(/\{\w+\}/g));
      for (const [key, text] of Object.entries(texts)) {
        expect(text.trim(), key).to.not.equal('');
        expect(partsOf(text), key).to.deep.equal(partsOf(en.receipt[key as keyof ReceiptTexts]));
      }
    });

    it(`${id}: fills every placeholder, in subject, text and HTML`, () => {
      for (const receipt of [PAID, PART, INCOMPLETE, TOO_LITTLE, TOO_LATE, ASKED, GIVEN]) {
        const { subject, text, html } = write(receipt, id);
        expect(`${subject} ${text} ${html}`).to.not.match(/[{}]|undefined|null/);
        expect(html)
          .to.match(/<html lang="\w\w" dir="(ltr|rtl)">/)
          .and.include(`<html lang="${id}"`);
        expect(text).to.match(new RegExp(`\\?lang=${id}(#refund)?\n`));
      }
    });
  }

  it('is Arabic from right to left, with amounts and hashes that keep their own direction', () => {
    const { text, html } = write(PAID, 'ar');
    expect(html).to.include('<html lang="ar" dir="rtl">');
    expect(html).to.match(/<body[^>]*>\s*<div\s+lang="ar"\s+dir="rtl"/);
    expect(html.match(/<t[hd][^>]*text-align:right/g)).to.have.length(html.match(/<t[hd]\s/g)?.length ?? 0);
    expect(html).to.match(/<span dir="ltr" style="[^"]*">10\.50 USDC<\/span>/);
    expect(text).to.include('الإجمالي: \u206610.50 USDC\u2069\n');
    expect(text).to.include('31 يناير 2026');
  });

  it('says in every language that a test is one, first of all', () => {
    for (const { id, receipt: texts } of ALL_LANGUAGES) {
      const { testMark, testText } = texts;
      const { subject, text, html } = write({ ...PAID, isTest: true }, id);
      expect(subject.startsWith('[TEST] ')).to.equal(true);
      expect(text.startsWith(`*** ${testMark}: ${testText}`)).to.equal(true);
      expect(html.indexOf(testText)).to.be.within(1, html.indexOf('<h1'));
    }
  });

  it('has the price in money above the total that it became, in every language', () => {
    for (const { id, receipt: texts } of ALL_LANGUAGES) {
      const { text } = write({ ...PAID, price: '9.20 EUR' }, id);
      expect(text.indexOf(texts.price), id).to.be.within(1, text.indexOf(texts.total));
    }
    expect(write({ ...PAID, price: '9.20 EUR' }).text).to.include('Price: 9.20 EUR\nTotal: 10.50 USDC\n');
    expect(write(PAID).text).to.not.include('Price');
  });

  it('holds no markup of the merchant', () => {
    const evil = `<img src=x onerror="alert('1')">&amp;`;
    const { html } = write({ ...PAID, merchantName: evil, orderId: evil, description: evil });
    expect(html).to.not.include('<img').and.not.include('onerror="');
    expect(
      html.split('&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;amp;').length - 1,
    ).to.be.at.least(4);
  });

  it('fills no placeholder in a merchant’s text', () => {
    const { text, html } = write({ ...PAID, merchantName: '{amount}', orderId: '{merchant}' });
    expect(text).to.include('{amount} has your payment of 10.50 USDC').and.include('Order: {merchant}');
    expect(html).to.include('{amount}').and.include('{merchant}');
  });

  it('has no text of a merchant that mail programs would make a link of, where the payment is a test', () => {
    const evil =
      'Win at https://evil.example/x?a=b, www.evil.example, evil。example or mail me@evil.example, tel:+1234, 10.50 EUR';
    const { subject, text, html } = write({
      ...PAID,
      isTest: true,
      merchantName: evil.slice(0, 70),
      orderId: evil,
      description: evil,
    });
    for (const part of [subject, text.replaceAll(PAID.pageUrl, ''), html.replaceAll(PAID.pageUrl, '')]) {
      const said = part.replaceAll(/style="[^"]*"/g, '');
      expect(said).to.not.match(/\w[.。]\p{L}|:\/\/|\S@\S|tel:\S/u);
    }
    expect(text).to.include('10.50 EUR').and.include('evil. example');
    expect(write({ ...PAID, description: evil }).text, 'live').to.include(evil);
  });

  it('sanitizes the merchant’s texts: one line, their own direction, a limited length', () => {
    const words = 'a\r\nBcc: x@y.example\u202egnp.exe\u2028\u0000b';
    const { subject, text, html } = write({
      ...PAID,
      merchantName: words,
      orderId: words.repeat(20),
      description: `${words} ${'😀'.repeat(400)}`,
    });
    expect(subject)
      .to.match(/^Receipt from a Bcc: x@y\.example/)
      .and.not.match(/[\p{Cc}\p{Zl}]/u);
    expect([...subject].length).to.be.at.most(180);
    expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).to.deep.equal([]);
    expect(text).to.match(/Description: .*😀…\n/);
    for (const part of [subject, text, html]) expect(part).to.not.match(DIRECTION_MARKS);
    expect(html).to.include('<span dir="auto">a Bcc: x@y.example');
  });

  it('loads nothing, and has inline styles only', () => {
    const { html } = write(PART, 'ar');
    expect(html).to.not.match(/<(img|link|style|script|iframe|video|object)|url\(|src=|@import/i);
    expect(html.match(/https?:[^"]*/g)).to.deep.equal([`${PART.pageUrl}?lang=ar`]);
  });

  it('of a refund that waits asks with one link, to the form', () => {
    for (const { id, receipt: texts } of ALL_LANGUAGES) {
      const { text, html } = write(ASKED, id);
      const link = `${ASKED.pageUrl}?lang=${id}#refund`;
      expect(html.match(/https?:[^"]*/g)).to.deep.equal([link]);
      expect(text).to.include(`${texts.toAddress}:\n${link}\n`).and.include(texts.addressText);
    }
  });

  it('leads to the merchant where they named a place for help, and else sends nobody to them', () => {
    const asking = en.receipt.contact.slice(0, 30);
    for (const supportUrl of ['https://shop.example/help', 'mailto:help@shop.example']) {
      const { text, html } = write({ ...PAID, supportUrl });
      expect(text).to.match(new RegExp(`contact Shop\\.\\n${supportUrl.replace('?', '.')}\\S*\\n`));
      expect(html).to.match(new RegExp(`<a href="${supportUrl}[^"]*"[^>]*><span dir="auto">Shop</span></a>`));
    }
    for (const receipt of [PAID, { ...PAID, supportUrl: 'https://shop.example/help', isTest: true }]) {
      const { text, html } = write(receipt);
      expect(`${text} ${html}`).to.not.include(asking).and.not.include('shop.example');
    }
  });

  it('of an address that was given leads whoever did not give it to the merchant, or sends nobody there', () => {
    for (const { id, receipt: texts } of ALL_LANGUAGES) {
      const [before = '', behind = ''] = texts.givenContact.split('{merchant}');
      const { text, html } = write({ ...GIVEN, supportUrl: 'https://shop.example/help' }, id);
      const named = id === 'ar' ? '\u2068Shop\u2069' : 'Shop';
      expect(text).to.include(`${before}${named}${behind}\nhttps://shop.example/help\n`);
      expect(html.indexOf('<a href="https://shop.example/help"'), id).to.be.within(1, html.indexOf('<table'));
      expect(html.match(/shop\.example/g), 'one link').to.have.lengthOf(1);
      for (const receipt of [GIVEN, { ...GIVEN, supportUrl: 'https://shop.example/help', isTest: true }])
        expect(write(receipt, id).text, id).to.not.match(CONTACT);
    }
  });

  it('speaks of contacting the merchant only in texts whose name of the merchant is a link', () => {
    for (const { id, page, receipt: texts } of ALL_LANGUAGES) {
      const speaking = (all: object) =>
        Object.entries(all).flatMap(([key, text]) => (CONTACT.test(String(text)) ? [key] : []));
      expect(speaking(page), id).to.have.members(['contact', 'refundWrong']);
      expect(speaking(texts), id).to.have.members(['contact', 'givenContact']);
    }
  });

  it('says what came and what was asked, and asks for no address', () => {
    for (const { id, receipt: texts } of ALL_LANGUAGES)
      for (const receipt of [TOO_LITTLE, TOO_LATE]) {
        const { text, html } = write(receipt, id);
        expect(html.match(/https?:[^"]*/g)).to.deep.equal([`${receipt.pageUrl}?lang=${id}`]);
        expect(text).to.not.include(texts.addressText).and.not.include(texts.toAddress);
        for (const amount of ['came' in receipt ? receipt.came : '', receipt.total])
          expect(html).to.match(new RegExp(`>${amount.replace(/[ .]/g, '.')}</span>`));
      }
  });

  it('makes no header out of a merchant’s text', async () => {
    const scene = await openReceiptScene();
    try {
      await scene.harness.ctx.db('merchants').update({ name: 'Shop\r\nBcc: all@victims.example\u202e' });
      await scene.settle({ order_id: 'o\nX-Evil: 1\r\n\r\nbody' });
      const [mail] = scene.mails();
      expect(mail?.headers.get('subject')).to.equal(
        '[TEST] Receipt from Shop Bcc: all@ victims. example: order o X-Evil: 1 body',
      );
      expect([...(mail?.headers.keys() ?? [])]).to.have.members([
        'from',
        'to',
        'subject',
        'message-id',
        'date',
        'mime-version',
        'auto-submitted',
        'x-auto-response-suppress',
        'content-type',
      ]);
      expect(scene.server.mails.map(({ to }) => to)).to.deep.equal([['ann@customer.example']]);
    } finally {
      await scene.close();
    }
  });
});
