import { expect } from 'chai';
import { ALL_LANGUAGES, languageFor } from '../../../src/domain/languages/languages.ts';
import { receiptMail } from '../../../src/domain/receipts/render.ts';
import { logo } from '../../support/images.ts';
import { PAID, PART } from '../../support/receipt-samples.ts';
import { openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const EXPLORER = 'https://explorer.example/tx/{tx}';

describe('a mail to a customer', () => {
  let scene: ReceiptScene;
  before(async () => {
    scene = await openReceiptScene({ EXPLORER_URLS: `ethereum=${EXPLORER}` });
  });
  after(() => scene.close());

  const appear = (choices: object) =>
    scene.harness
      .api('put', '/v1/checkout/appearance')
      .send({ name: 'Tea House, Ōtsuka', ...choices })
      .expect(200);
  const nextMail = async () => {
    const before = scene.mails().length;
    await scene.settle();
    return scene.mails()[before] ?? expect.fail('no mail');
  };

  it('is from its merchant, by the service’s own address, and says that it is a test', async () => {
    await appear({ support_url: 'https://shop.example/help' });
    const { headers, text } = await nextMail();
    expect(headers.get('from')?.replaceAll('"', '')).to.equal(
      'Tea House, Ōtsuka [TEST] <pay@service.example>',
    );
    expect(headers.has('reply-to')).to.equal(false);
    expect(text).to.include('answers to it are not read');
    expect(scene.server.mails.at(-1)).to.include({ from: 'pay@service.example' });
  });

  it('is answered to the merchant’s address for help, and says so', async () => {
    await appear({ support_url: 'mailto:help+orders@shop.example' });
    const { headers, text } = await nextMail();
    expect(headers.get('reply-to')).to.equal('help+orders@shop.example');
    expect(text).to.include('answers to it go to Tea House, Ōtsuka').and.not.include('not read');
  });

  it('brings the merchant’s logo, and loads nothing', async () => {
    await scene.harness
      .api('put', '/v1/checkout/logo')
      .set('Content-Type', 'image/png')
      .send(await logo(300, 150))
      .expect(200);
    const { html, images } = await nextMail();
    const [image] = html.match(/<img[^>]*>/) ?? [];
    expect(image).to.match(/src="cid:logo\.png"\s+width="80"\s+height="40"\s+alt=""/);
    expect(html.match(/src="(?!cid:)|url\(/g)).to.equal(null);
    const { type, bytes } = images.get('<logo.png>') ?? expect.fail('no image');
    expect(type).to.match(/^image\/png/);
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
    expect(bytes.length).to.be.within(100, 30_000);
    await scene.harness.api('delete', '/v1/checkout/logo').expect(200);
    expect((await nextMail()).html).to.not.include('<img');
  });

  it('leads from the hash of a transaction to its page of the explorer', async () => {
    const { html, text } = await nextMail();
    const [, hash = ''] = /\nTransaction: (\S+)\n/.exec(text) ?? [];
    const url = EXPLORER.replace('{tx}', hash);
    expect(text).to.include(`\nTransaction: ${hash}\n${url}\n`);
    expect(html).to.match(new RegExp(`<a href="${url}"[^>]*>\\s*<span dir="ltr"[^>]*>${hash}</span`));
  });

  it('writes amounts as its language does, with every digit, in rows and sentences', () => {
    const paid = { ...PAID, total: '1234567.50 USDC', paid: '0.00123456 BTC' };
    const written = {
      en: '1,234,567.50',
      de: '1.234.567,50',
      es: '1.234.567,50',
      fr: '1\u202f234\u202f567,50',
    };
    for (const [id, amount] of Object.entries(written)) {
      const { text, html } = receiptMail(paid, languageFor(id));
      expect(text.split(`${amount} USDC`), id).to.have.lengthOf(3);
      expect(
        html.match(new RegExp(`>${amount.replaceAll('.', '\\.')}[ \u00a0]USDC<`, 'g')),
        id,
      ).to.have.lengthOf(2);
      expect(text, id).to.include(id === 'en' ? '0.00123456 BTC' : '0,00123456 BTC');
    }
  });

  it('names an explorer in no language where there is none, and its answers’ reader in every', () => {
    for (const { id } of ALL_LANGUAGES) {
      expect(receiptMail(PART, languageFor(id)).html.match(/<a /g), id).to.have.lengthOf(1);
      const answered = receiptMail({ ...PART, replyTo: 'help@shop.example' }, languageFor(id));
      expect(answered.replyTo).to.equal('help@shop.example');
      expect(answered.text.trimEnd().split('\n').at(-1), id).to.include(PART.merchantName);
    }
  });
});
