import { expect } from 'chai';
import { REFUSAL_REASONS } from '../../src/sdk/index.ts';
import { read, tableOf } from '../support/documents.ts';
import { createHarness } from '../support/harness.ts';
import { startReceiver } from '../support/receivers.ts';

const NUMBERS: Readonly<Record<number, string>> = { 7: 'seven', 8: 'eight', 9: 'nine' };

describe('docs/webhooks.md', () => {
  it('lists the reasons for which verifyWebhook rejects a request', () => {
    expect(tableOf('docs/webhooks.md', 'reason').map(([reason]) => reason)).to.deep.equal([
      ...REFUSAL_REASONS,
    ]);
  });

  it('lists the cases of the receiver check', async () => {
    const harness = await createHarness();
    const receiver = await startReceiver();
    const { body } = await harness
      .api('post', '/v1/webhooks/examine')
      .send({ url: receiver.url })
      .expect(200);
    await receiver.close();
    await harness.close();
    const cases = body.cases as Record<string, string>[];
    expect(tableOf('docs/webhooks.md', 'case').map(([name, , expected]) => [name, expected])).to.deep.equal(
      cases.map((one) => [one.case, one.expected]),
    );
    expect(read('docs/webhooks.md')).to.include(`sends ${NUMBERS[cases.length]} cases`);
  });
});
