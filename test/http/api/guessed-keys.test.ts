import { expect } from 'chai';
import { createApp } from '../../../src/http/app.ts';
import { openDb } from '../../../src/platform/postgres/db.ts';
import { newApiKey } from '../../../src/platform/values/cells.ts';
import { WEB_DB } from '../../../src/processes/setup/context.ts';
import { expectError, listen, send, type Listening } from '../../support/http.ts';
import { statementsOf } from '../../support/statements.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('guessed API keys', () => {
  let harness: Harness;
  let server: Listening;
  before(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1' });
  });
  beforeEach(async () => {
    const { adapters, sandbox, health } = harness;
    server = await listen(createApp(harness.ctx, { redis: null, admin: null, adapters, sandbox, health }));
  });
  afterEach(() => server.close());
  after(() => harness.close());

  const ask = (apiKey: string, path = '/v1/payments') => send(server, 'GET', path, { 'X-API-Key': apiKey });
  const guess = (count: number, path?: string) =>
    Promise.all(Array.from({ length: count }, () => ask(newApiKey('test'), path)));
  const lookups = async (work: () => Promise<unknown>) =>
    (await statementsOf(work)).filter((name) => name.startsWith('caller'));

  it('are looked up 60 times a minute and address, those at the same instant included', async () => {
    const first = await lookups(() => guess(500));
    expect(first.filter((name) => name === 'caller_of_key')).to.have.lengthOf(60);
    const more = await lookups(() => guess(500));
    expect(new Set(more)).to.deep.equal(new Set(['callers_of_keys']));
    expect(more.length, 'statements for 500 guesses').to.be.at.most(40);
  });

  it('are limited on endpoints that need no key as well', async () => {
    const sent = await lookups(() => guess(200, '/v1/status'));
    expect(sent.filter((name) => name === 'caller_of_key')).to.have.lengthOf(60);
  });

  it('do not keep a valid key from the same address out, whether or not the process has seen it', async () => {
    const other = await harness.addMerchant();
    await guess(200);
    expectError(harness, await ask(newApiKey('test')), 429);
    for (const { apiKey } of [harness.merchant, other, harness.merchant])
      expect((await ask(apiKey)).status).to.equal(200);
  });

  it('beyond 60 get 429 with Retry-After', async () => {
    await guess(60);
    const answers = await guess(1_000);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([429]));
    for (const { headers } of answers) expect(headers['retry-after']).to.match(/^\d+$/);
  });

  it('are 503 while Postgres is unavailable', async () => {
    await guess(60);
    const db = openDb({ url: 'postgres://nobody@127.0.0.1:1/nothing', name: 'test', ...WEB_DB });
    const { adapters, sandbox, health } = harness;
    const away = await listen(
      createApp({ ...harness.ctx, db }, { redis: null, admin: null, adapters, sandbox, health }),
    );
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => send(away, 'GET', '/v1/payments', { 'X-API-Key': newApiKey('test') })),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([503]));
    await away.close();
    await db.destroy();
  });

  it('requests at the same instant share one lookup of a key', async () => {
    const sent = await lookups(() =>
      Promise.all(Array.from({ length: 50 }, () => ask(harness.merchant.apiKey))),
    );
    expect(sent).to.deep.equal(['caller_of_key']);
  });
});
