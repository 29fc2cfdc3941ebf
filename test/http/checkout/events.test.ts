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

/** Longer than any test: these look when they are told to. */
const NEVER = { intervalMs: 3_600_000 };

describe('the stream of a checkout page', () => {
  let harness: Harness;
  let live: PageStreams;
  let server: Listening;
  let open: EventClient[] = [];
  let others: (() => Promise<void>)[] = [];
  before(async () => {
    harness = await createHarness();
  });
  beforeEach(async () => {
    live = new PageStreams(harness.ctx, NEVER);
    server = await listen(appWith(harness.ctx, live));
  });
  afterEach(async () => {
    for (const client of open) client.close();
    live.close();
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
      live: pages,
    });
  const openAt = async (at: Listening, path: string, headers: Record<string, string> = {}) => {
    const client = await openEvents(at.url + path, headers);
    open.push(client);
    return client;
  };
  const eventsOf = (token: string, shown = '', headers: Record<string, string> = {}) =>
    openAt(server, `/checkout/${token}/events${shown}`, headers);
  /** Another web process, for its open pages' sake. */
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

  it('tells a change, with what /status answers, under the version that page and status bear', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    expect(page.status).to.equal(200);
    await setColumns(harness, id, CHECKOUT_STATES.confirming ?? {});
    await live.watchOnce();
    const { id: version, data } = await page.hears(1);
    expect(JSON.parse(data ?? '')).to.deep.equal(await statusOf(token_id));
    const { text } = await send(server, 'GET', `/checkout/${token_id}`);
    expect(text).to.include(`data-version="${version ?? ''}"`);
    await live.watchOnce();
    await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
    await live.watchOnce();
    expect((await page.hears(2)).id).to.not.equal(version);
    await until('it ends with the last state', () => page.isEnded());
    expect(page.news()).to.have.lengthOf(2);
  });

  it('tells what makes no event: another coin, another amount, a later deadline, an address for refunds', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    let heard = 0;
    for (const change of [
      { coin: 'USDT' },
      { crypto_amount: '10.51' },
      { deadline_at: new Date('2026-02-01T00:00:00.000Z') },
      { refund_address: '0xabc' },
    ]) {
      await harness.ctx.db('payments').where({ id }).update(change);
      await live.watchOnce();
      await page.hears((heard += 1));
    }
    await harness.ctx
      .db('quotes')
      .where({ payment_id: id })
      .update({ locked_until: harness.ctx.now(), coin: 'USDT' });
    await live.watchOnce();
    await page.hears(5);
    expect(new Set(page.news().map((news) => news.id)).size).to.equal(5);
  });

  it('begins with what a page does not show yet, and with a sign of life where it shows all', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const before = String((await statusOf(token_id)).version);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    const { version } = await statusOf(token_id);
    for (const page of [
      await eventsOf(token_id),
      await eventsOf(token_id, `?version=${before}`),
      await eventsOf(token_id, `?version=${String(version)}`, { 'Last-Event-ID': before }),
    ])
      expect((await page.hears(1)).id).to.equal(version);
    const current = await eventsOf(token_id, `?version=${before}`, { 'Last-Event-ID': String(version) });
    await until('the sign of life', () => current.messages().length === 2);
    const [{ retry } = {}, beat] = current.messages();
    expect(Number(retry)).to.be.within(1_000, 5_000);
    expect(beat).to.deep.equal({ event: 'beat', data: '1' });
  });

  it('tells a page what changed between its reading and its place among the open ones, whoever knew it already', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const read = await findByToken(harness.ctx.db, token_id);
    if (read === null) throw new Error('there is no page');
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    const current = await eventsOf(token_id);
    const { id: version } = await current.hears(1);
    const plain = createServer((_request, response) =>
      live.open(read, { shown: read.version, address: 'a', response }),
    ).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const late = await openEvents(`http://127.0.0.1:${(plain.address() as AddressInfo).port}/`);
    await live.watchOnce();
    expect((await late.hears(1)).id).to.equal(version);
    expect(current.news(), 'it knew').to.have.lengthOf(1);
    late.close();
    plain.close();
  });

  it('says the last state of a payment that cannot change any more, ends, and answers 204 from then on', async () => {
    const { token_id } = await paymentIn(harness, 'settled');
    const page = await eventsOf(token_id);
    const { id = '' } = await page.hears(1);
    await until('it ends', () => page.isEnded());
    expect((await eventsOf(token_id, '', { 'Last-Event-ID': id })).status).to.equal(204);
    expect((await eventsOf(token_id, `?version=${id}`)).status).to.equal(204);
  });

  it('is no cache’s and no proxy’s to keep, and bears the headers of the page', async () => {
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

  it('answers 404, as a page, where a token opens nothing', async () => {
    for (const token of ['x', 'A'.repeat(32), '%00'])
      expect((await send(server, 'GET', `/checkout/${token}/events`)).status).to.equal(404);
  });

  it('costs one statement however many pages are open, and none without a page', async () => {
    expect(await statementsOf(() => live.watchOnce())).to.deep.equal([]);
    const pages = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { token_id } = await paymentIn(harness, i % 2 === 0 ? 'waiting' : 'confirming');
        return Promise.all([showing(token_id), showing(token_id)]);
      }),
    );
    expect(await statementsOf(() => live.watchOnce())).to.deep.equal(['changed_pages']);
    for (const page of pages.flat()) page.close();
    await until('they are gone', async () => (await statementsOf(() => live.watchOnce())).length === 0);
  });

  it('looks by itself while a page is open, and not before or afterwards', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const own = await serve(new PageStreams(harness.ctx, { intervalMs: 1 }));
    const page = await openAt(own, `/checkout/${token_id}/events`);
    await page.hears(1);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    await page.hears(2);
    page.close();
    await until('nothing is asked', async () => {
      const asked = await statementsOf(() => send(own, 'GET', '/checkout/x/status'));
      return asked.length === 0;
    });
  });

  it('stays open while Postgres is away, which is logged once, and goes on when it is back', async () => {
    const proxy = await startPostgresProxy(harness.ctx.config.databaseUrl);
    const db = openDb({ url: proxy.url, poolSize: 2, acquireMs: 200, queryMs: 200, name: 'away' });
    const warnings: string[] = [];
    const log = Object.create(harness.ctx.log) as Log;
    log.warn = (text: unknown) => (warnings.push(String(text)), log);
    const ctx = { ...harness.ctx, db, log };
    const own = await listen(appWith(ctx, new PageStreams(ctx, { intervalMs: 1 })));
    try {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      const page = await openEvents(`${own.url}/checkout/${token_id}/events`);
      await page.hears(1);
      proxy.freeze();
      await until('it has noticed', () => warnings.length > 0);
      // Another page is refused at once, or after the pool's patience, but never hangs.
      expect((await send(own, 'GET', `/checkout/${token_id}/events`)).status).to.equal(503);
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      proxy.thaw();
      await page.hears(2);
      expect(warnings.filter((text) => text.startsWith('open pages'))).to.have.lengthOf(1);
      page.close();
    } finally {
      await own.close();
      await db.destroy();
      await proxy.close();
    }
  });

  it('has 100 places for an address, scaled as limits are, and answers 429 beyond; a place that is left is free again', async () => {
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

  it('has so many places in all, and answers 503 beyond, with the time to come again', async () => {
    const small = await serve(new PageStreams(harness.ctx, { ...NEVER, maxPages: 1 }));
    const { token_id } = await paymentIn(harness, 'waiting');
    expect((await openAt(small, `/checkout/${token_id}/events`)).status).to.equal(200);
    const { status, headers } = await send(small, 'GET', `/checkout/${token_id}/events`);
    expect([status, headers['retry-after']]).to.deep.equal([503, '60']);
  });

  it('gives a sign of life when it has been silent for long, and not before', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    const beatsOf = (page: EventClient) => page.messages().filter(({ event }) => event === 'beat').length;
    const shy = await serve(new PageStreams(harness.ctx, { intervalMs: 1, beatMs: 0 }));
    const silent = await openAt(shy, `/checkout/${token_id}/events`);
    await until('two signs of life', () => beatsOf(silent) >= 2);
    const own = await serve(new PageStreams(harness.ctx, { intervalMs: 1 }));
    const page = await openAt(own, `/checkout/${token_id}/events`);
    await page.hears(1);
    await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
    await page.hears(2);
    expect(beatsOf(page)).to.equal(0);
  });

  it('ends after a while, so that its page comes to another process', async () => {
    const short = await serve(new PageStreams(harness.ctx, { intervalMs: 1, longestMs: 0 }));
    const { token_id } = await paymentIn(harness, 'waiting');
    const page = await openAt(short, `/checkout/${token_id}/events`);
    await until('it ends', () => page.isEnded());
    expect(page.news()).to.have.lengthOf(1);
  });

  it('is counted as a request of its address like any other', async () => {
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

  it('ends at the end of the process, and no new one begins', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const page = await showing(token_id);
    live.close();
    await until('it ends', () => page.isEnded());
    expect((await send(server, 'GET', `/checkout/${token_id}/events`)).status).to.equal(503);
  });

  it('is cut off when its client does not read, before much waits for it; one that reads is not', async () => {
    const streams: ServerResponse[] = [];
    const plain = createServer((_request, response) => {
      streams.push(response);
      beginEvents(response, 1_000);
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
    const deaf = await openEvents(url);
    const reader = await openEvents(url);
    deaf.pause();
    const news = `data: ${'x'.repeat(200_000)}\n\n`;
    const waiting: number[] = [];
    await until('it is cut off', async () => {
      const heard = reader.messages().length;
      for (const stream of streams) write(stream, news);
      waiting.push(...streams.map(({ writableLength }) => writableLength));
      await until('the other one has read', () => reader.messages().length > heard);
      return streams[0]?.destroyed === true;
    });
    expect(streams[1]?.destroyed).to.equal(false);
    expect(Math.max(...waiting)).to.be.below(250_000);
    for (const client of [deaf, reader]) client.close();
    plain.close();
    plain.closeAllConnections();
  });
});
