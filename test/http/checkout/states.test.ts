import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import supertest from 'supertest';
import { CHECKOUT_STATES, LINKS, paymentIn, setColumns } from '../../support/checkout.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** A text of each state's page. */
const TEXTS: Record<string, string> = {
  waiting: 'Waiting for your payment',
  sent: 'Sent. Waiting for the network',
  underpaid:
    'We have <bdi dir="ltr">4.00 USDC</bdi> of <span class="held"><bdi dir="ltr">10.50 USDC</bdi>.</span>',
  seen: 'We have seen your payment',
  confirming: 'Confirming: <bdi dir="ltr">3</bdi> of <bdi dir="ltr">12</bdi></h2>',
  overpaid: 'You sent more than was asked: <span class="held"><bdi dir="ltr">12.00 USDC</bdi>.</span>',
  late: 'Your money came after the deadline. It counts all the same.',
  converting: 'Confirmed, now converting',
  settled: 'Paid. Thank you!',
  'refunded-in-part': '<bdi dir="ltr">1.50 USDC</bdi> of it was sent back to you',
  expired: 'No money came in time',
  cancelled: 'This payment was cancelled',
  'expired-partly': 'Only <bdi dir="ltr">4.00 USDC</bdi>',
  'late-returned': 'Your money came too late',
  failed: 'This payment has failed',
  replaced: 'Your transfer was replaced',
  refunded: 'has sent back <span class="held"><bdi dir="ltr">10.50 USDC</bdi>.</span>',
};
const ASKS_FOR_MONEY = ['waiting', 'sent', 'underpaid'];
/** The page asks for a refund address: no reload may lose the customer's input. */
const ASKS_FOR_ADDRESS = ['expired-partly', 'late-returned', 'failed'];
/** Cancelling, or where to begin again; the other states lead nowhere, or on to `success_url`. */
const CAN_GO_BACK = [
  'waiting',
  'expired',
  'cancelled',
  'expired-partly',
  'late-returned',
  'failed',
  'replaced',
  'refunded',
];
/** Money may be on its way that the page does not show. */
const MAY_MISS_MONEY = ['waiting', 'sent', 'underpaid', 'expired', 'cancelled', 'expired-partly', 'replaced'];
const FINAL = ['settled', 'refunded-in-part', 'failed', 'replaced', 'refunded'];
const MAX_BYTES = 60_000;
const MAX_COMPRESSED = 10_000;

describe('the states of the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const open = async (state: string) => {
    const payment = await paymentIn(harness, state);
    const { text } = await supertest(harness.app).get(`/checkout/${payment.token_id}`).expect(200);
    return { payment, text };
  };

  it('have a text each', () => {
    expect(Object.keys(TEXTS)).to.have.members(Object.keys(CHECKOUT_STATES));
  });

  for (const [state, expected] of Object.entries(TEXTS))
    it(`${state}: says what happens now, asks for money only when some is due, and is small`, async () => {
      const { payment, text } = await open(state);
      const asksForAddress = ASKS_FOR_ADDRESS.includes(state);
      const hasFormTo = (form: string) => text.includes(`action="/checkout/${payment.token_id}/${form}"`);
      expect(text).to.include(expected);
      expect(text.includes('id="address"')).to.equal(ASKS_FOR_MONEY.includes(state));
      expect(hasFormTo('coin')).to.equal(['waiting', 'sent'].includes(state));
      expect(hasFormTo('refund-address')).to.equal(asksForAddress);
      expect(text.includes('http-equiv="refresh"')).to.equal(!FINAL.includes(state) && !asksForAddress);
      expect(text.includes('data-live="true"')).to.equal(!FINAL.includes(state));
      expect(text.includes(LINKS.cancel_url)).to.equal(CAN_GO_BACK.includes(state));
      expect(hasFormTo('transaction')).to.equal(MAY_MISS_MONEY.includes(state));
      // No proxy is sure to compress it.
      expect(Buffer.byteLength(text)).to.be.below(MAX_BYTES);
      expect(gzipSync(text).length).to.be.below(MAX_COMPRESSED);
    });

  it('say that the page may be closed wherever nothing is asked of the customer, with or without links', async () => {
    for (const links of [LINKS, { success_url: undefined, cancel_url: undefined }])
      for (const state of Object.keys(TEXTS)) {
        const { token_id } = await paymentIn(harness, state, links);
        const { text } = await supertest(harness.app).get(`/checkout/${token_id}`);
        const isAsked = [...ASKS_FOR_MONEY, ...ASKS_FOR_ADDRESS].includes(state);
        expect(text.includes('You may close this page'), state).to.equal(!isAsked);
      }
  });

  for (const [network, coin, finality, confirmations, required, left] of [
    ['bitcoin', 'BTC', '6', 2, 6, '40 minutes'],
    ['bitcoin', 'BTC', '2', 1, 2, '10 minutes'],
    ['ethereum', 'USDC', 'safe', 8, 48, '8 minutes'],
  ] as const)
    it(`count the ${required} confirmations that an amount needs on ${network}, and how long they take`, async () => {
      const { id, token_id } = await paymentIn(harness, 'confirming');
      const columns = { network, coin, tx_network: network, finality, confirmations };
      await setColumns(harness, id, columns);
      const { text } = await supertest(harness.app).get(`/checkout/${token_id}`);
      const [count, of] = [confirmations, required].map((one) => `<bdi dir="ltr">${one}</bdi>`);
      expect(text).to.include(`Confirming: ${count} of ${of}</h2>`).and.include(`About ${left} left`);
    });

  it('ask for the rest of an amount at the same rate, rounded up, in QR code and text alike', async () => {
    const { text } = await open('underpaid');
    expect(text).to.include('<span id="amount" class="copy">6.50</span> USDC');
    expect(text).to.match(
      /href="ethereum:0x[0-9a-f]{40}@11155111\/transfer\?address=0x\w{40}&#38;uint256=6500000"/,
    );
  });

  it('say which money is missing when a transfer was lost, and that all failed only when nothing stands', async () => {
    const note = 'A transfer that we had seen was replaced or cancelled by its wallet';
    expect((await open('underpaid')).text).to.not.include(note);
    const { payment } = await open('underpaid');
    const page = async () => (await supertest(harness.app).get(`/checkout/${payment.token_id}`)).text;
    await setColumns(harness, payment.id, { exceptions: ['replaced', 'underpaid'] });
    expect(await page())
      .to.include(note)
      .and.include('<span id="amount" class="copy">6.50</span> USDC');
    await setColumns(harness, payment.id, { status: 'FAILED' });
    expect(await page())
      .to.include(TEXTS.failed)
      .and.not.include(TEXTS.replaced);
  });

  it('link a settled payment to success_url, with payment, order and status in the query', async () => {
    const { payment, text } = await open('settled');
    const query = `&#38;payment_id=${payment.id}&#38;order_id=order+1&#38;status=SETTLED`;
    expect(text).to.include(`href="https://shop.example/thanks?from=pay&#38;x=%20y${query}"`);
  });

  it('link to http and https only', async () => {
    for (const state of ['waiting', 'settled']) {
      const payment = await paymentIn(harness, state);
      const urls = { cancel_url: 'javascript:alert(1)', success_url: 'data:text/html,x' };
      await harness.ctx.db('payments').where({ id: payment.id }).update(urls);
      const { text } = await supertest(harness.app).get(`/checkout/${payment.token_id}`);
      expect(text).to.not.match(/javascript:|data:text|id="(success|cancel)"/);
    }
  });

  it('have a version that the script asks for, which changes with what is shown', async () => {
    const { payment, text } = await open('confirming');
    const { body } = await supertest(harness.app).get(`/checkout/${payment.token_id}/status`);
    const { version, ...rest } = body as Record<string, unknown>;
    expect(rest).to.deep.equal({
      status: 'PENDING',
      state: 'confirming',
      exceptions: ['reorged'],
      sequence: 2,
      confirmations: 3,
      required_confirmations: 12,
      is_live: true,
    });
    expect(text).to.include(`data-version="${String(version)}"`);
    await harness.ctx.db('payments').where({ id: payment.id }).update({ confirmations: 4 });
    const next = await supertest(harness.app).get(`/checkout/${payment.token_id}/status`);
    expect(next.body.version)
      .to.match(/^[0-9a-f]{24}$/)
      .and.not.equal(version);
    expect(next.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'origin' });
  });
});
