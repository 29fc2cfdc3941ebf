import { expect } from 'chai';
import { countRows, createPayment, listen, send, type Answer, type Listening } from './http.ts';
import { createWorld, type World } from './world.ts';

export interface BadInput {
  readonly world: World;
  /** Sends exactly this, with the merchant's key and as JSON unless `headers` say otherwise; undefined leaves a header out. */
  send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer>;
}

/**
 * Gives the surrounding `describe` a world in which webhooks may not go to private networks, served over a real connection. After each
 * of its tests every table holds as many rows as before: nothing was stored.
 */
export function refusesBadInput(): BadInput {
  let world: World;
  let server: Listening;
  let rows: Record<string, number>;
  before(async () => {
    world = await createWorld({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' });
    server = await listen(world.app);
    await createPayment(world);
    rows = await countRows(world);
  });
  afterEach('nothing was stored', async () => {
    expect(await countRows(world)).to.deep.equal(rows);
  });
  after(async () => {
    await server.close();
    await world.close();
  });
  return {
    get world() {
      return world;
    },
    send(method, path, body, headers = {}) {
      const all = { 'X-API-Key': world.merchant.apiKey, 'Content-Type': 'application/json', ...headers };
      const given = Object.entries(all).filter(
        (header): header is [string, string] => header[1] !== undefined,
      );
      return send(server, method, path, Object.fromEntries(given), body);
    },
  };
}
