import { expect } from 'chai';
import { LIBRARY_NAMES } from '../../../src/domain/sandbox/scenarios/library-names.ts';
import { joinDesk } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the stories at the desk', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const page = (merchant = harness.merchant.id) => `/dashboard/${merchant}/developers/stories`;
  const acts = (actor: string) =>
    harness.ctx.db('operator_actions').where({ actor, command: 'story run' }).select('details');

  it('run by a click, each, and lead to their payment with all that happened', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example', { role: 'developer' });
    for (const story of LIBRARY_NAMES) {
      const { status, location = '' } = await ann.post(page(), { story });
      expect([status, location.split('/pay_')[0]], story).to.deep.equal([
        303,
        `/dashboard/${harness.merchant.id}/payments`,
      ]);
      expect((await ann.get(location)).text, story).to.include('Payment created');
    }
    expect(await acts(ann.id)).to.have.lengthOf(LIBRARY_NAMES.length);
  });

  it('run once by a form that is sent twice', async () => {
    const bob = await joinDesk(harness, 'bob@shop.example', { role: 'developer' });
    const fields = { story: 'paid', form: 'z'.repeat(32) };
    const [first, second] = [await bob.post(page(), fields), await bob.post(page(), fields)];
    expect(first.location).to.equal(second.location);
    expect(await acts(bob.id)).to.have.lengthOf(1);
  });

  it('are none but those of the library, and none for real money', async () => {
    const cat = await joinDesk(harness, 'cat@shop.example');
    expect((await cat.post(page(), { story: 'x' })).status).to.equal(400);
    const live = await harness.addMerchant({ mode: 'live' });
    const dan = await joinDesk(harness, 'dan@shop.example', { merchantId: live.id });
    expect((await dan.get(page(live.id))).text).to.include('Stories are for test shops');
    expect((await dan.post(page(live.id), { story: 'paid' })).status).to.equal(400);
    expect(await harness.ctx.db('payments').where({ merchant_id: live.id }).select()).to.deep.equal([]);
  });
});
