import { expect } from 'chai';
import { ALL_LANGUAGES, languageFor } from '../../../src/domain/languages/languages.ts';
import { decimal } from '../../../src/domain/checkout/markup/format.ts';
import { receiptMail } from '../../../src/domain/receipts/render.ts';
import { PART } from '../../support/receipt-samples.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

describe('the receipt of a refund in the coin that came', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  it('says its coin, network and address beside the amount in pay_currency, one mail for each coin', async () => {
    const { shop, harness } = scene;
    const id = await shop.create({ customer_email: CUSTOMER, policy: { late: 'refund' } });
    harness.advance(3_600);
    await harness.work();
    await shop.pay(id, { coin: 'BTC', network: 'bitcoin', amount: '0.0001' });
    await harness.work();
    await shop.mine(2, 'bitcoin');
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
    // The first one asks for no address: the money goes back to its only sender.
    const [late, mail, ...others] = scene.mails();
    expect(late?.text).to.include('0.0001 BTC came after').and.include('It is sent back to you.');
    expect(late?.text).to.not.include('address of a wallet');
    expect(others).to.deep.equal([]);
    const [refund]: { address: string; tx_hash: string }[] = await harness.ctx
      .db('refunds')
      .select('address', 'tx_hash');
    expect(mail?.text).to.include('Shop has sent back 6.00 USDC.');
    expect(mail?.text).to.include(
      'Total: 10.50 USDC\nSent back: 6.00 USDC\nSent as: 0.0001 BTC\nNetwork: Bitcoin\n',
    );
    expect(mail?.text).to.include(`Sent to: ${refund?.address}\nTransaction: ${refund?.tx_hash}\n`);
    expect(mail?.html).to.include('0.0001 BTC');
  });

  it('says the price in money of its payment, as does the receipt of that', async () => {
    const { harness } = scene;
    const { body } = await harness
      .api('post', '/v1/payment')
      .send({ price_amount: '5.70', price_currency: 'USD', order_id: 'order-1', customer_email: CUSTOMER })
      .expect(201);
    await scene.shop.pay(body.id);
    await harness.work();
    await scene.shop.mine(12);
    await scene.shop.refund(body.id, { price_amount: '1.00' });
    await harness.work();
    const [paid, refunded] = scene.mails();
    for (const mail of [paid, refunded]) expect(mail?.text).to.include('Price: 5.70 USD\nTotal: 5.7 USDC\n');
    expect(refunded?.text).to.include('Sent back: 1');
  });

  it('names no coin twice: a refund in the settlement coin has no such line', async () => {
    const { shop, harness } = scene;
    const id = await scene.settle();
    await shop.refund(id, { amount: '4' });
    await harness.work();
    expect(scene.mails().at(-1)?.text)
      .to.include('Sent back: 4.00 USDC\nSent back so far')
      .and.not.include('Sent as');
  });

  it('is sent neither for dust nor for money that only came', async () => {
    const { shop, harness } = scene;
    const id = await scene.settle({ policy: { overpaid: 'refund_excess' } });
    expect(scene.mails()).to.have.length(1);
    await shop.pay(id, { amount: '0.001' });
    await harness.work();
    await shop.mine(12);
    expect(await shop.story(id)).to.include('funds_received SETTLED');
    expect(scene.mails()).to.have.length(1);
  });

  for (const { id, receipt: texts } of ALL_LANGUAGES)
    it(`${id}: has the amount that was sent`, () => {
      const { text, html } = receiptMail(PART, languageFor(id));
      const amount = `${decimal('0.00123456', id)} ETH`;
      expect(text).to.include(texts.sentAs).and.include(amount);
      expect(html).to.include(texts.sentAs).and.include(amount);
    });
});
