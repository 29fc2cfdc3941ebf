import { expect } from 'chai';
import { countRows, createPayment, listen, send, type Answer, type Listening } from './http.ts';
import { createHarness, type Harness } from './harness.ts';

export interface BadInput {
  readonly harness: Harness;
  /** Sends exactly this, with the merchant's key and as JSON unless overridden; undefined omits a header. */
  send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer>;
}

/**
 * Sets up a harness for the surrounding `describe` in which webhooks to private networks are forbidden,
 * served over a real connection. After each test it asserts that every table has as many rows as before:
 * nothing was stored.
 */
export function refusesBadInput(): BadInput {
  let harness: Harness;
  let server: Listening;
  let rows: Record<string, number>;
  before(async () => {
    harness = await createHarness({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' });
    server = await listen(harness.app);
    await createPayment(harness);
    rows = await countRows(harness);
  });
  afterEach('nothing was stored', async () => {
    expect(await countRows(harness)).to.deep.equal(rows);
  });
  after(async () => {
    await server.close();
    await harness.close();
  });
  return {
    get harness() {
      return harness;
    },
    send(method, path, body, headers = {}) {
      const all = { 'X-API-Key': harness.merchant.apiKey, 'Content-Type': 'application/json', ...headers };
      const given = Object.entries(all).filter(
        (header): header is [string, string] => header[1] !== undefined,
      );
      return send(server, method, path, Object.fromEntries(given), body);
    },
  };
}
