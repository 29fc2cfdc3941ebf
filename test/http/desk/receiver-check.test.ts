import { expect } from 'chai';
import { configure } from '../../support/deliveries.ts';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { receiverChecks } from '../../support/receiver-check.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';

describe('the receiver check at the desk', () => {
  let harness: Harness;
  let receiver: Receiver;
  let isCorrect: boolean;
  let ann: DeskPerson;
  const { correct } = receiverChecks(() => harness);
  beforeEach(async () => {
    isCorrect = true;
    harness = await createHarness();
    receiver = await startReceiver({
      answer: (request) => ({ status: isCorrect ? correct(request) : 200, body: '<script>' }),
    });
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'developer' });
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const page = (rest = '/check') => `/dashboard/${harness.merchant.id}/developers${rest}`;
  const ticksOf = async () => {
    const { text } = await ann.get(page(''));
    return [...text.matchAll(/<li class="(done|open)">/g)].map(([, state]) => state === 'done');
  };

  it('leads to the endpoints where there is no receiver yet', async () => {
    const { text } = await ann.get(page());
    expect(text).to.include('There is no receiver yet').and.include(page('/endpoints'));
    const asked = await ann.post(page());
    expect([asked.status, asked.text.includes('role="alert"')]).to.deep.equal([400, true]);
  });

  it('sends its cases, says what was right and wrong, with advice, and ticks the signature when it is right', async () => {
    await configure(harness, receiver.url, false);
    isCorrect = false;
    const wrong = await ann.post(page(), { endpoint: 'default' });
    expect(wrong.text).to.include('does not verify the signature').and.include('HTTP 200');
    expect(wrong.text).to.not.include('<script>');
    expect((await ticksOf())[4]).to.equal(false);
    isCorrect = true;
    const right = await ann.post(page(), { endpoint: 'default' });
    expect(right.text).to.include('The receiver passed all 9 cases.');
    expect((await ticksOf())[4]).to.equal(true);
    expect(receiver.requests.every(({ headers }) => headers['x-webhook-test'] === 'true')).to.equal(true);
  });

  it('shows its report again when it is reloaded, and sends nothing a second time', async () => {
    await configure(harness, receiver.url);
    const form = hiddenField((await ann.get(page())).text, 'form');
    const first = await ann.post(page(), { endpoint: 'default', form });
    const sent = receiver.requests.length;
    const second = await ann.post(page(), { endpoint: 'default', form });
    expect(second.text.includes('passed all 9')).to.equal(first.text.includes('passed all 9'));
    expect(receiver.requests).to.have.lengthOf(sent);
  });

  it("checks a registered endpoint with its own secret, and none of another merchant's", async () => {
    const { body } = await harness.api('post', '/v1/webhooks/endpoints').send({ url: receiver.url });
    const checked = await ann.post(page(), { endpoint: (body as { id: string }).id });
    // The receiver knows the merchant's secret alone: it must refuse what another one signed.
    expect(checked.text).to.include('The receiver failed');
    const other = await harness.addMerchant();
    const theirs = await harness
      .api('post', '/v1/webhooks/endpoints', other.apiKey)
      .send({ url: `${receiver.url}/theirs` });
    const sent = receiver.requests.length;
    const { status } = await ann.post(page(), { endpoint: (theirs.body as { id: string }).id });
    expect([status, receiver.requests.length]).to.deep.equal([404, sent]);
  });

  it('sends nothing to a private address where private networks are not allowed', async () => {
    const guarded = await createHarness({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' });
    try {
      await configure(guarded, receiver.url.replace('http:', 'https:'));
      const bob = await joinDesk(guarded, 'bob@shop.example');
      const { text } = await bob.post(`/dashboard/${guarded.merchant.id}/developers/check`, {});
      expect(text).to.include('an address to which webhooks are not sent');
      expect(receiver.connections).to.equal(0);
    } finally {
      await guarded.close();
    }
  });
});
