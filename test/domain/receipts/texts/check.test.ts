import { expect } from 'chai';
import { ValidationError } from '../../../../src/domain/api/errors.ts';
import { ALL_LANGUAGES } from '../../../../src/domain/languages/languages.ts';
import { checkOwnTexts } from '../../../../src/domain/receipts/texts/check.ts';
import { MAIL_NAMES, MAILS, type OwnTexts } from '../../../../src/domain/receipts/texts/kinds.ts';

const check = ({ subject = '', text = '' }: { subject?: string; text?: string }): OwnTexts =>
  checkOwnTexts({ subject, text });
const faultOf = (typed: { subject?: string; text?: string }): string => {
  try {
    check(typed);
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
  return 'none';
};

describe('what a merchant writes for a mail', () => {
  it('may have the placeholders of its field, and every standard text has no others', () => {
    const typed = { subject: '{merchant}, {order}', text: '{merchant}: {amount} of {total} for {order}' };
    expect(check(typed)).to.deep.equal(typed);
    for (const { receipt } of ALL_LANGUAGES)
      for (const name of MAIL_NAMES) {
        const { subject, text } = MAILS[name];
        expect(faultOf({ subject: receipt[subject], text: receipt[text] }), receipt[text]).to.equal('none');
      }
  });

  for (const [typed, part] of [
    [
      { text: 'Dear {customer}' },
      'text has {customer}, which is no placeholder: use {merchant}, {order}, {amount}',
    ],
    [
      { subject: 'You paid {amount}' },
      'subject has {amount}, which is no placeholder: use {merchant}, {order}.',
    ],
    [{ text: '{ merchant }' }, 'text has { merchant }, which'],
    [{ text: '{}' }, 'text has {}, which'],
    [{ text: '{constructor}' }, 'text has {constructor}, which'],
    [{ text: 'Thanks {merchant' }, 'text has a { that belongs to no placeholder'],
    [{ text: '{{merchant}}' }, 'text has a { that belongs'],
    [{ subject: 'x'.repeat(101) }, 'subject has more than 100 characters'],
    [{ text: '漢'.repeat(601) }, 'text has more than 600 characters'],
  ] as const)
    it(`is refused, by name: ${JSON.stringify(typed).slice(0, 40)}`, () => {
      expect(faultOf(typed)).to.include(part);
    });

  for (const link of [
    'https://evil.example/pay',
    'HTTP://evil',
    'ftp://x',
    'www.evil.example',
    'evil.example',
    'x.com',
    'evil．example',
    'me@evil.example',
    'mailto:me',
    'javascript:alert(1)',
    'shop.{merchant}',
    '{order}@{merchant}',
    'https://{order}',
    'evil.c\u200bom',
    'evil\u200c.example',
    'e.v\u0301il',
    'हिन्दी.भारत',
    'evil․example',
  ])
    it(`is refused with a link of its own: ${link}`, () => {
      for (const typed of [{ subject: `See ${link}` }, { text: `Thanks!\n${link}` }])
        expect(faultOf(typed)).to.match(/has ".+", which mail programs make a link of/);
    });

  for (const address of [
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x5290840009852788\u200d6E0F7030069857D2E4169EE7',
  ])
    it(`is refused with an address of a wallet: ${address}`, () => {
      for (const typed of [{ subject: `To ${address}` }, { text: `Send the rest to ${address}.` }])
        expect(faultOf(typed)).to.match(/has "\w+", which customers may take for an address to pay/);
    });

  it('may have long words, and numbers that people call or count by', () => {
    const text = 'Donaudampfschifffahrtsgesellschaft, +49 30 1234567, DE89370400440532013000 👩‍🚀';
    expect(check({ text }).text).to.equal(text);
  });

  it('has nothing that nobody sees', () => {
    expect(check({ subject: 'Pay\u200bPal\u00ad\u2060' }).subject).to.equal('PayPal');
  });

  it('may have full stops, times and abbreviations that are no links', () => {
    const text =
      'z.B. um 12:30, 10.50 EUR. Bis bald: Ihr Team :)\nどうぞ。またのご利用を。\nشكرًا. إلى اللقاء';
    expect(check({ text }).text).to.equal(text);
  });

  it('is one line as a subject, and has no control character, no direction mark and few blank lines', () => {
    const typed = {
      subject: ' Thanks\r\nBcc: all victims\u0000\u202e! ',
      text: '\r\n One\u0007\u200f \r\n\r\n\r\n\r\nTwo\rThree\u2028Four\n',
    };
    expect(check(typed)).to.deep.equal({
      subject: 'Thanks Bcc: all victims !',
      text: 'One\n\nTwo\nThree Four',
    });
    expect(check({ subject: ' \r\n ', text: '\n\n' })).to.deep.equal({ subject: null, text: null });
  });

  it('is counted in characters, not in halves of them', () => {
    expect(check({ subject: '😀'.repeat(100) }).subject).to.equal('😀'.repeat(100));
  });
});
