import { expect } from 'chai';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { startReceiver } from '../../support/receivers.ts';
import { until } from '../../support/until.ts';

describe('the way to a first webhook', () => {
  let harness: Harness;
  let ann: DeskPerson;
  before(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example');
  });
  after(() => harness.close());

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/developers${rest}`;
  const done = async () => {
    const { text } = await ann.get(page());
    return [...text.matchAll(/<li class="(done|open)">/g)].map(([, state]) => state === 'done');
  };

  it('ticks each step when it has happened, and none before', async () => {
    const receiver = await startReceiver();
    try {
      expect(await done()).to.deep.equal([false, false, false, false, false, false]);
      await ann.post(page('/stories'), { story: 'paid' });
      expect(await done(), 'a story is no payment of the shop').to.deep.equal([
        false,
        false,
        false,
        false,
        false,
        true,
      ]);
      await createPayment(harness);
      await until('the use of the key is stored', async () => (await done())[0] === true);
      expect(await done()).to.deep.equal([true, true, false, false, false, true]);
      await ann.post(page('/endpoints/default'), { url: receiver.url });
      expect(await done()).to.deep.equal([true, true, true, false, false, true]);
      await createPayment(harness);
      await harness.work();
      expect(await done()).to.deep.equal([true, true, true, true, false, true]);
      expect((await ann.get(page())).text).to.include('5 of 6 done');
    } finally {
      await receiver.close();
    }
  });

  it('has no story for a live shop, and no link to what a role may not do', async () => {
    const live = await harness.addMerchant({ mode: 'live' });
    const bob = await joinDesk(harness, 'bob@shop.example', { merchantId: live.id, role: 'read-only' });
    const { text } = await bob.get(`/dashboard/${live.id}/developers`);
    expect(text).to.include('0 of 5 done').and.not.include('/developers/keys"');
  });
});
