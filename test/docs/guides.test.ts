import { expect } from 'chai';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { EVENT_TYPES } from '../../src/sdk/index.ts';
import { read, tableOf } from '../support/documents.ts';
import { expectError } from '../support/http.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const first = ([cell = '']: readonly string[]) => cell.replaceAll('`', '');

describe('docs/guides', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  it('list every story, and what happens in it as docs/sandbox.md does', () => {
    const stories = tableOf('docs/guides/test-with-stories.md', 'story');
    expect(stories.map(first)).to.deep.equal([...LIBRARY_NAMES]);
    expect(stories).to.deep.equal(tableOf('docs/sandbox.md', 'story'));
  });

  it('say of every event what a shop does with it', () => {
    expect(tableOf('docs/guides/receive-webhooks.md', 'event').map(first)).to.deep.equal([...EVENT_TYPES]);
  });

  it('state the schedule of retries, and the deadline of a delivery', () => {
    const { webhookRetrySeconds, webhookTimeoutSeconds } = readConfig({
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://db/x',
    });
    const text = read('docs/guides/receive-webhooks.md').replaceAll(/\s+/g, ' ');
    const delays = webhookRetrySeconds.map(duration);
    expect(text).to.include(`after ${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}, each`);
    expect(text).to.include(`within ${webhookTimeoutSeconds} seconds`);
  });

  it('show the body of an error as the service sends it', async () => {
    const [, shown = ''] = /```json\n(.*?)```/s.exec(read('docs/guides/errors.md')) ?? [];
    const answer = await harness
      .api('post', '/v1/payment')
      .send({ pay_amount: '25,00', order_id: 'order-1' });
    expectError(harness, answer, 400, { field: 'pay_amount', constraint: 'pattern' });
    const own = { timestamp: '2026-11-20T20:21:36.325Z', request_id: 'req_01M7X9Y9E5YM9A1356S2WPNB4R' };
    expect({ ...answer.body, ...own }).to.deep.equal(JSON.parse(shown));
  });
});

function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
