import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { findByToken } from '../../../src/domain/checkout/view/store.ts';
import { createApp } from '../../../src/http/app.ts';
import { beginEvents, write } from '../../../src/http/checkout/event-stream.ts';
import { PageStreams } from '../../../src/http/checkout/page-streams.ts';
import { openDb } from '../../../src/platform/postgres/db.ts';
import type { Log } from '../../../src/platform/log.ts';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../../support/checkout.ts';
import { openEvents, type EventClient } from '../../support/event-stream.ts';
import { listen, send, type Listening } from '../../support/http.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { statementsOf } from '../../support/statements.ts';
import { until } from '../../support/until.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** Longer than any test: these streams poll when a test calls `pollOnce`. */
const NEVER = { intervalMs: 3_600_000 };

describe('the stream of a checkout page', () => {
  let harness: Harness;
  let streams: PageStreams;
  let server: Listening;
  let open: EventClient[] = [];
  let others: (() => Promise<void>)[] = [];
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    streams = new PageStreams(harness.ctx, NEVER);
    server = await listen(appWith(harness.ctx, streams));
  });
  afterEach(async () => {
    for (const client of open) client.close();
    streams.close();
    await server.close();
    for (const close of others) await close();
    [open, others] = [[], []];
  });
  after(() => harness.close());

  const appWith = (ctx: Harness['ctx'], pages: PageStreams) =>
    createApp(ctx, {
      redis: null,
      admin: null,
      adapters: harness.adapters,
      sandbox: harness.sandbox,
      health: harness.health,
      live: pages,
    });
  const openAt = async (at: Listening, path: string, headers: Record<string, string> = {}) => {
    const client = await openEvents(at.url + path, headers);
    open.push(client);
    return client;
  };
  const eventsOf = (token: string, shown = '', headers: Record<string, string> = {}) =>
    openAt(server, `/checkout/${token}/events${shown}`, headers);
  /** Another web process with page streams of its own. */
  const serve = async (pages: PageStreams) => {
    const own = await listen(appWith(harness.ctx, pages));
    others.push(async () => {
      pages.close();
      await own.close();
    });
    return own;
  };
  const statusOf = async (token: string) =>
    (await send(server, 'GET', `/checkout/${token}/status`)).body as Record<string, unknown>;
  const showing = async (token: string) => {
    const { version } = await statusOf(token);
    return eventsOf(token, `?version=${String(version)}`);
  };

  it('sends a change with the body of /status, under the version of page and status', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    expect(page.status).to.equal(200);
    await setColumns(harness, id, CHECKOUT_STATES.confirming ?? {});
    await streams.pollOnce();
    const { id: version, data } = await page.receives(1);
    expect(JSON.parse(data ?? '')).to.deep.equal(await statusOf(token_id));
    const { text } = await send(server, 'GET', `/checkout/${token_id}`);
    expect(text).to.include(`data-version="${version ?? ''}"`);
    await streams.pollOnce();
    await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
    await streams.pollOnce();
    expect((await page.receives(2)).id).to.not.equal(version);
    await until('it ends with the final state', () => page.isEnded());
    expect(page.updates()).to.have.lengthOf(2);
  });

  it('sends what makes no event: another coin, amount or deadline, a refund address', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    let received = 0;
    for (const change of [
      { coin: 'USDT' },
      { crypto_amount: '10.51' },
      { deadline_at: new Date('2026-02-01T00:00:00.000Z') },
    ]) {
      await harness.ctx.db('payments').where({ id }).update(change);
      await streams.pollOnce();
      await page.receives((received += 1));
    }
    await harness.ctx
      .db('refund_addresses')
      .insert({ payment_id: id, network: 'ethereum', address: '0xabc' });
    await streams.pollOnce();
    await page.receives((received += 1));
    await harness.ctx
      .db('quotes')
      .where({ payment_id: id })
      .update({ locked_until: harness.ctx.now(), coin: 'USDT' });
    await streams.pollOnce();
    await page.receives(5);
    expect(new Set(page.updates().map((update) => update.id)).size).to.equal(5);
  });

  it('begins with the current version when the page shows another, else with a heartbeat', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const before = String((await statusOf(token_id)).version);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    const { version } = await statusOf(token_id);
    for (const page of [
      await eventsOf(token_id),
      await eventsOf(token_id, `?version=${before}`),
      await eventsOf(token_id, `?version=${String(version)}`, { 'Last-Event-ID': before }),
    ])
      expect((await page.receives(1)).id).to.equal(version);
    const current = await eventsOf(token_id, `?version=${before}`, { 'Last-Event-ID': String(version) });
    await until('the heartbeat', () => current.messages().length === 2);
    const [{ retry } = {}, beat] = current.messages();
    expect(Number(retry)).to.be.within(1_000, 5_000);
    expect(beat).to.deep.equal({ event: 'beat', data: '1' });
  });

  it('sends a page what changed between the read of its payment and its opening', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const read = await findByToken(harness.ctx.db, token_id);
    if (read === null) throw new Error('there is no page');
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    const current = await eventsOf(token_id);
    const { id: version } = await current.receives(1);
    const plain = createServer((_request, response) =>
      streams.open(read, { shown: read.version, address: 'a', response }),
    ).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const late = await openEvents(`http://127.0.0.1:${(plain.address() as AddressInfo).port}/`);
    await streams.pollOnce();
    expect((await late.receives(1)).id).to.equal(version);
    expect(current.updates(), 'it had it already').to.have.lengthOf(1);
    late.close();
    plain.close();
  });

  it('sends the final state of a payment, ends, and returns 204 from then on', async () => {
    const { token_id } = await paymentIn(harness, 'settled');
    const page = await eventsOf(token_id);
    const { id = '' } = await page.receives(1);
    await until('it ends', () => page.isEnded());
    expect((await eventsOf(token_id, '', { 'Last-Event-ID': id })).status).to.equal(204);
    expect((await eventsOf(token_id, `?version=${id}`)).status).to.equal(204);
  });

  it('lets no cache store it and no proxy buffer it, and has the headers of the page', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const { headers } = await eventsOf(token_id);
    expect(headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'referrer-policy': 'origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
    const head = await send(server, 'HEAD', `/checkout/${token_id}/events`);
    expect([head.status, head.headers['content-type']]).to.deep.equal([200, headers['content-type']]);
  });

  it('returns 404, as a page, for an unknown token', async () => {
    for (const token of ['x', 'A'.repeat(32), '%00'])
      expect((await send(server, 'GET', `/checkout/${token}/events`)).status).to.equal(404);
  });

  it('costs one statement however many pages are open, and none without a page', async () => {
    expect(await statementsOf(() => streams.pollOnce())).to.deep.equal([]);
    const pages = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { token_id } = await paymentIn(harness, i % 2 === 0 ? 'waiting' : 'confirming');
        return Promise.all([showing(token_id), showing(token_id)]);
      }),
    );
    expect(await statementsOf(() => streams.pollOnce())).to.deep.equal(['changed_pages']);
    for (const page of pages.flat()) page.close();
    await until('they are gone', async () => (await statementsOf(() => streams.pollOnce())).length === 0);
  });

  it('polls by itself while a page is open, and not before or afterwards', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const own = await serve(new PageStreams(harness.ctx, { intervalMs: 1 }));
    const page = await openAt(own, `/checkout/${token_id}/events`);
    await page.receives(1);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    await page.receives(2);
    page.close();
    await until('nothing is asked', async () => {
      const asked = await statementsOf(() => send(own, 'GET', '/checkout/x/status'));
      return asked.length === 0;
    });
  });

  it('stays open while Postgres is unavailable, logs the outage once, and resumes after it', async () => {
    const proxy = await startPostgresProxy(harness.ctx.config.databaseUrl);
    const db = openDb({ url: proxy.url, poolSize: 2, acquireMs: 1_000, queryMs: 200, name: 'away' });
    const warnings: string[] = [];
    const log = Object.create(harness.ctx.log) as Log;
    log.warn = (text: unknown) => (warnings.push(String(text)), log);
    const ctx = { ...harness.ctx, db, log };
    const own = await listen(appWith(ctx, new PageStreams(ctx, { intervalMs: 1 })));
    try {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const page = await openEvents(`${own.url}/checkout/${token_id}/events`);
      await page.receives(1);
      proxy.freeze();
      await until('it has logged the outage', () => warnings.length > 0);
      // Another page is refused at once, or after the pool's timeout, but never hangs.
      expect((await send(own, 'GET', `/checkout/${token_id}/events`)).status).to.equal(503);
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      proxy.thaw();
      await page.receives(2);
      expect(warnings.filter((text) => text.startsWith('page streams'))).to.have.lengthOf(1);
      page.close();
    } finally {
      await own.close();
      await db.destroy();
      await proxy.close();
    }
  });

  it('allows 100 streams per address, scaled like all limits; a closed one frees its place', async () => {
    const config = { ...harness.ctx.config, rateLimitScale: 0.03 };
    const own = new PageStreams({ ...harness.ctx, config }, NEVER);
    const strict = await serve(own);
    const { token_id } = await paymentIn(harness, 'waiting');
    const ask = () => openAt(strict, `/checkout/${token_id}/events`);
    const [first] = [await ask(), await ask(), await ask()];
    expect((await ask()).status).to.equal(429);
    first?.close();
    await until('there is a place', () => own.refusal('127.0.0.1') === null);
    expect((await ask()).status).to.equal(200);
  });

  it('has a limit per process, and returns 503 beyond, with Retry-After', async () => {
    const small = await serve(new PageStreams(harness.ctx, { ...NEVER, maxPages: 1 }));
    const { token_id } = await paymentIn(harness, 'waiting');
    expect((await openAt(small, `/checkout/${token_id}/events`)).status).to.equal(200);
    const { status, headers } = await send(small, 'GET', `/checkout/${token_id}/events`);
    expect([status, headers['retry-after']]).to.deep.equal([503, '60']);
  });

  it('sends a heartbeat after a long silence, and not before', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const beatsOf = (page: EventClient) => page.messages().filter(({ event }) => event === 'beat').length;
    const eager = await serve(new PageStreams(harness.ctx, { intervalMs: 1, heartbeatMs: 0 }));
    const silent = await openAt(eager, `/checkout/${token_id}/events`);
    await until('two heartbeats', () => beatsOf(silent) >= 2);
    const own = await serve(new PageStreams(harness.ctx, { intervalMs: 1 }));
    const page = await openAt(own, `/checkout/${token_id}/events`);
    await page.receives(1);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    await page.receives(2);
    expect(beatsOf(page)).to.equal(0);
  });

  it('ends after its maximum age, so that its page reconnects, maybe to another process', async () => {
    const short = await serve(new PageStreams(harness.ctx, { intervalMs: 1, maxAgeMs: 0 }));
    const { token_id } = await paymentIn(harness, 'waiting');
    const page = await openAt(short, `/checkout/${token_id}/events`);
    await until('it ends', () => page.isEnded());
    expect(page.updates()).to.have.lengthOf(1);
  });

  it('counts as a request of its address like any other', async () => {
    const strict = await createHarness({ RATE_LIMIT_SCALE: '0.01' });
    const limited = await listen(strict.app);
    try {
      const statuses = [];
      for (let n = 0; n < 4; n += 1)
        statuses.push((await send(limited, 'GET', `/checkout/${'A'.repeat(32)}/events`)).status);
      expect(statuses).to.deep.equal([404, 404, 404, 429]);
    } finally {
      await limited.close();
      await strict.close();
    }
  });

  it('ends when the process stops, and no new one begins', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    streams.close();
    await until('it ends', () => page.isEnded());
    expect((await send(server, 'GET', `/checkout/${token_id}/events`)).status).to.equal(503);
  });

  it('closes when its client does not read, before many bytes wait; one that reads stays', async () => {
    const streams: ServerResponse[] = [];
    const plain = createServer((_request, response) => {
      streams.push(response);
      beginEvents(response, 1_000);
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
    const stalled = await openEvents(url);
    const reader = await openEvents(url);
    stalled.pause();
    const event = `data: ${'x'.repeat(200_000)}\n\n`;
    const waiting: number[] = [];
    await until('it is closed', async () => {
      const before_ = reader.messages().length;
      for (const stream of streams) write(stream, event);
      waiting.push(...streams.map(({ writableLength }) => writableLength));
      await until('the other one has read', () => reader.messages().length > before_);
      return streams[0]?.destroyed === true;
    });
    expect(streams[1]?.destroyed).to.equal(false);
    expect(Math.max(...waiting)).to.be.below(250_000);
    for (const client of [stalled, reader]) client.close();
    plain.close();
    plain.closeAllConnections();
  });
});
