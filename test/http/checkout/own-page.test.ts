import { expect } from 'chai';
import supertest from 'supertest';
import { paymentIn } from '../../support/checkout.ts';
import { countRows } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const FORMS = {
  coin: { coin: 'USDC', network: 'polygon' },
  'refund-address': { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  transaction: { tx: 'a'.repeat(64) },
  receipt: { mail: 'ann@customer.example' },
  simulate: { do: 'pay' },
};

/** In which the page has the form, where that is not the first. */
const STATES: Readonly<Record<string, string>> = { 'refund-address': 'expired-partly', receipt: 'seen' };

describe('the forms of the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({
      PUBLIC_URL: 'https://pay.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'pay@service.example',
    });
  });
  after(() => harness.close());

  const post = async (form: keyof typeof FORMS, headers: Record<string, string>) => {
    const { token_id } = await paymentIn(harness, STATES[form] ?? 'waiting');
    const before = await countRows(harness);
    const request = supertest(harness.app).post(`/checkout/${token_id}/${form}?lang=de`).type('form');
    const { status, text } = await request.set(headers).send(FORMS[form]);
    return { status, text, isChanged: JSON.stringify(before) !== JSON.stringify(await countRows(harness)) };
  };

  const FOREIGN: Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'https://pay.example.evil.example' },
    { Origin: 'http://pay.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://shop.pay.example' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://pay.example' },
  ];
  for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[])
    for (const headers of FOREIGN)
      it(`refuse ${form} from another page (${JSON.stringify(headers)}), and change nothing`, async () => {
        const { status, text, isChanged } = await post(form, headers);
        expect([status, isChanged]).to.deep.equal([403, false]);
        expect(text).to.include('lang="de"').and.include('?lang=de"');
      });

  const OWN: Record<string, string>[] = [
    {},
    { Origin: 'https://pay.example' },
    { Origin: 'http://127.0.0.1:3000', Host: '127.0.0.1:3000' },
    { Origin: 'https://other-name.example', Host: 'other-name.example' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://behind-a-proxy.example' },
    { 'Sec-Fetch-Site': 'none' },
  ];
  for (const headers of OWN)
    it(`are taken from the page itself (${JSON.stringify(headers)})`, async () => {
      for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[])
        expect((await post(form, headers)).status, form).to.be.oneOf([200, 303]);
    });
});
