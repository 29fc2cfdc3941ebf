import { expect } from 'chai';
import supertest from 'supertest';
import { paymentIn } from '../../support/checkout.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** A live payment expires once its network is read beyond the deadline, as long as that takes to confirm. */
describe('the checkout page between the deadline and the expiry', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const open = async (token: string) =>
    (await supertest(harness.app).get(`/checkout/${token}`).expect(200)).text;

  for (const state of ['waiting', 'underpaid'])
    it(`${state}: asks for nothing, and says that what was sent in time still counts`, async () => {
      const { token_id } = await paymentIn(harness, state);
      expect(await open(token_id))
        .to.include('id="address"')
        .and.not.include('The time to pay is over');
      harness.advance(3_600);
      const page = await open(token_id);
      expect(page)
        .to.include('<title>The time to pay is over ·')
        .and.include('What was sent in time still counts')
        .and.include('within 24 hours of the deadline still counts');
      expect(page).to.not.match(/id="(address|amount|wallet|show-code|left)"|Please pay by|Waiting for your/);
      expect(page).to.include('data-live="true"').and.include('data-code="false"').and.include('name="tx"');
      expect(page)
        .to.match(/class="status care over"/)
        .and.match(/data-state="\w+ over/);
      const status = await supertest(harness.app).get(`/checkout/${token_id}/status`);
      expect((status.body as { state: string }).state, 'shops hear of no new state').to.equal(state);
    });

  it('leads back to the shop, and cancels nothing: what was sent in time still counts', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    expect(await open(token_id)).to.include('Cancel and go back to');
    harness.advance(3_600);
    expect(await open(token_id))
      .to.match(/<a id="cancel" target="_top" href="[^"]+">Back to <bdi>Shop<\/bdi><\/a>/)
      .and.include('You may close this page.')
      .and.not.include('Cancel and go back');
  });

  it('says by policy that what comes later is sent back', async () => {
    const { token_id } = await paymentIn(harness, 'waiting', { policy: { late: 'refund' } });
    harness.advance(3_600);
    expect(await open(token_id)).to.include('What comes after the deadline is sent back.');
  });

  it('shows no address either where a wallet has sent a transaction that is awaited', async () => {
    const { token_id } = await paymentIn(harness, 'sent');
    harness.advance(3_600);
    const page = await open(token_id);
    expect(page).to.not.match(/id="(address|amount|wallet|unsent)"/);
  });

  it('asks for no choice of a method', async () => {
    const { apiKey } = await harness.addMerchant();
    const api: Harness['api'] = (method, path) => harness.api(method, path, apiKey);
    const methods = [
      { coin: 'BTC', network: 'bitcoin' },
      { coin: 'ETH', network: 'ethereum' },
    ];
    await api('put', '/v1/checkout/appearance').send({ methods }).expect(200);
    const { token_id } = await paymentIn({ ...harness, api }, 'waiting');
    expect(await open(token_id)).to.include('id="methods"');
    harness.advance(3_600);
    expect(await open(token_id))
      .to.not.include('id="methods"')
      .and.not.include('id="choice"');
  });
});
