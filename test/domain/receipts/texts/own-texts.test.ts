import { expect } from 'chai';
import { ALL_LANGUAGES, languageFor } from '../../../../src/domain/languages/languages.ts';
import { exampleOf } from '../../../../src/domain/receipts/example.ts';
import { receiptMail } from '../../../../src/domain/receipts/render.ts';
import {
  MAIL_NAMES,
  MAILS,
  type MailName,
  type OwnTexts,
} from '../../../../src/domain/receipts/texts/kinds.ts';
import { changeOwnTexts } from '../../../../src/domain/receipts/texts/store.ts';
import { openReceiptScene, type ReceiptScene } from '../../../support/receipts.ts';

const SHOP = {
  merchantName: 'Tea house',
  supportUrl: 'https://shop.example/help',
  replyTo: null,
  logo: null,
  isTest: false,
  at: new Date('2026-01-31T12:00:00.000Z'),
  coin: 'USDC',
  network: 'Ethereum',
  publicUrl: 'https://pay.example',
};
const OWN = { subject: 'Hello from us', text: 'Own words' };
const rowsOf = (html: string): readonly string[] => html.match(/<tr>.*?<\/tr>/gs) ?? [];
const paragraphsOf = (html: string): readonly string[] => html.match(/<p .*?<\/p>/gs) ?? [];

describe('a mail with texts of the merchant’s own', () => {
  for (const { id, page, receipt: texts } of ALL_LANGUAGES)
    it(`${id}: has title, facts, links and what follows of the standard one, in every mail, and names the shop`, () => {
      for (const name of MAIL_NAMES) {
        const receipt = exampleOf(name, SHOP);
        expect(receipt.kind).to.equal(name);
        const standard = receiptMail(receipt, languageFor(id));
        const mail = receiptMail(receipt, languageFor(id), OWN);
        expect(mail.subject).to.equal(OWN.subject);
        expect(mail.text.replaceAll(/[\u2066-\u2069]/g, ''))
          .to.include(`${texts[MAILS[name].title]}\n\nOwn words\n\n`)
          .and.include(`${page.paymentTo}: Tea house\n`);
        const [row = '', ...rows] = rowsOf(mail.html);
        expect(row).to.include(page.paymentTo).and.include('Tea house');
        expect(rows, name).to.deep.equal(rowsOf(standard.html));
        const [first = '', ...others] = paragraphsOf(mail.html);
        expect(first).to.include('Own words');
        expect(others, name).to.deep.equal(paragraphsOf(standard.html).slice(1));
      }
    });

  it('that leaves the money of a customer where it is still says to send no more', () => {
    for (const name of ['tooLittle', 'tooLate'] as const)
      for (const { id, receipt: texts } of ALL_LANGUAGES)
        expect(receiptMail(exampleOf(name, SHOP), languageFor(id), OWN).text).to.include(texts.sendNoMore);
  });

  it('fills in what its placeholders name, and nothing that a value looks like', () => {
    const text = '{merchant}: {amount} of {total} for {order}';
    const receipt = { ...exampleOf('tooLittle', SHOP), merchantName: '{order}', orderId: '{total} <b>' };
    const mail = receiptMail(receipt, languageFor('de'), { subject: '{order} {merchant}', text });
    expect(mail.subject).to.equal('{total} <b> {order}');
    expect(mail.text).to.include('\n\n{order}: 10,00 USDC of 25,00 USDC for {total} <b>\n\n');
    expect(mail.html).to.include('{total} &#60;b&#62;').and.not.include('<b>');
  });

  it('keeps paragraphs and lines, and escapes markup in HTML', () => {
    const evil = '<img src=x onerror="alert(1)">&amp;<script>';
    const own = { subject: evil, text: `Dear customer,\nthank you.\n\n${evil}` };
    const { html, text } = receiptMail(exampleOf('paid', SHOP), languageFor('en'), own);
    expect(html).to.match(/<p [^>]*>\s*Dear customer,\s*<br \/>\s*thank you\.\s*<\/p>/);
    expect(html).to.not.match(/<img|<script|onerror="/);
    expect(
      html.split('&#60;img src=x onerror=&#34;alert(1)&#34;&#62;&#38;amp;&#60;script&#62;'),
    ).to.have.length(3);
    expect(text).to.include(`Dear customer,\nthank you.\n\n${evil}\n\n`);
  });

  it('of a test has no text that mail programs make a link of, whatever is stored', () => {
    const own = { subject: 'Win at evil.example', text: 'https://evil.example or me@evil.example' };
    const { subject, text } = receiptMail(
      { ...exampleOf('paid', SHOP), isTest: true },
      languageFor('en'),
      own,
    );
    expect(subject).to.equal('[TEST] Win at evil. example');
    expect(text)
      .to.include('https: //evil. example or me@ evil. example')
      .and.match(/^\*{3} TEST/);
  });
});

describe('the mails that customers get', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const write = (own: OwnTexts, kind: MailName = 'paid', merchantId = scene.harness.merchant.id) => {
    const by = { kind: 'command', actor: 'test', address: null } as const;
    return changeOwnTexts(scene.harness.ctx, { merchantId, kind, language: 'en' }, own, by);
  };

  it('say what the merchant has written, from the next one on, with all facts and one link', async () => {
    await write({ subject: 'Thanks for {order}', text: 'Your tea is on its way.' });
    const id = await scene.settle();
    const [mail] = scene.mails();
    expect(mail?.headers.get('subject')).to.equal('[TEST] Thanks for order-1');
    expect(mail?.text)
      .to.include('\n\nPaid. Thank you!\n\nYour tea is on its way.\n\nPayment to: Shop\nOrder: order-1\n')
      .and.include('Total: 10.50 USDC\n')
      .and.include(`Payment ID: ${id}`);
    expect(new Set(mail?.html.match(/https?:[^"]*/g)).size).to.equal(1);
    await write({ subject: null, text: null });
    await scene.settle({ order_id: 'order-2' });
    expect(scene.mails()[1]?.headers.get('subject')).to.equal('[TEST] Receipt from Shop: order order-2');
    expect(await scene.harness.ctx.db('mail_texts').select()).to.deep.equal([]);
  });

  it('are the standard ones in a language, of a kind and at a merchant that nobody has written for', async () => {
    const { harness } = scene;
    await write({ subject: 'Mine', text: null }, 'refunded');
    const { id: merchantId } = await harness.addMerchant();
    await write({ subject: 'Theirs', text: null }, 'paid', merchantId);
    await scene.settle();
    expect(scene.mails()[0]?.headers.get('subject')).to.equal('[TEST] Receipt from Shop: order order-1');
  });

  it('get no header from a subject, whatever its row holds', async () => {
    await harnessRow('Hi\r\nBcc: all@victims.example\r\n\r\nbody');
    await scene.settle();
    const [mail] = scene.mails();
    expect(mail?.headers.get('subject')).to.equal('[TEST] Hi Bcc: all@ victims. example body');
    expect(mail?.headers.has('bcc')).to.equal(false);
    expect(scene.server.mails.map(({ to }) => to)).to.deep.equal([['ann@customer.example']]);
  });

  const harnessRow = (subject: string) => {
    const { ctx, merchant } = scene.harness;
    const row = { merchant_id: merchant.id, kind: 'paid', language: 'en', subject, updated_at: ctx.now() };
    return ctx.db('mail_texts').insert(row);
  };
});
