import { createServer, get, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { paymentIn } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { withPage } from './browser.ts';
import { showPages } from './pages.ts';

/** Adds up the layout shifts of a page, and keeps what moved. */
const WATCH_SHIFTS = `window.shift = 0; window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      window.shift += value;
      window.moved.push(...sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Once the browser has painted what it has. */
const PAINTED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;

describe('the checkout page on a slow network', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  /** Sends the page at `path` piece by piece, and what else is asked for as it is. */
  async function inPieces(path: string) {
    const slow = createServer((request, response) => {
      if (request.url === path) slow.emit('page', response.writeHead(200, { 'Content-Type': 'text/html' }));
      else {
        const onwards = get(`${server.url}${request.url ?? ''}`, (answer) => {
          // The stream of events lasts as long as the page.
          pipeline(answer, response.writeHead(answer.statusCode ?? 500, answer.headers), () =>
            answer.destroy(),
          );
        });
        onwards.on('error', () => response.destroy());
      }
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const markup = await (await fetch(`${server.url}${path}`)).text();
    return {
      url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}${path}`,
      /** Ends before an element that has an id. */
      pieces: markup.split(/(?=<[a-z]+ id=)/),
      asked: once(slow, 'page') as Promise<[ServerResponse]>,
      close: async () => {
        slow.closeAllConnections();
        await promisify(slow.close.bind(slow))();
      },
    };
  }

  /** The next piece is sent when the one before is painted. */
  async function arrive(page: Page, { url, pieces, asked }: Awaited<ReturnType<typeof inPieces>>) {
    const opened = page.goto(url, { waitUntil: 'commit' });
    const [response] = await asked;
    for (const piece of pieces) {
      response.write(piece);
      await opened;
      const [, id] = /^<[a-z]+ id="([^"]+)"/.exec(piece) ?? [];
      if (id !== undefined) await page.locator(`#${id}`).waitFor({ state: 'attached' });
      await page.evaluate(PAINTED);
    }
    response.end();
    await page.waitForLoadState();
    await page.evaluate(PAINTED);
  }

  for (const width of [360, 1280] as const)
    for (const state of ['waiting', 'confirming', 'settled'])
      check(`${width} pixels: a page of state ${state} that arrives in pieces moves no block`, async () => {
        const { token_id } = await paymentIn(harness, state);
        const slow = await inPieces(`/checkout/${token_id}`);
        try {
          await withPage(browser, { width }, async (page) => {
            await page.addInitScript(WATCH_SHIFTS);
            await arrive(page, slow);
            const moved = await page.evaluate<string[]>('window.moved');
            // A time in the customer's zone is shorter than the server's: what follows it in its line moves.
            expect(await page.evaluate<number>('window.shift'), moved.join(', ')).to.be.below(0.02);
          });
        } finally {
          await slow.close();
        }
      });
});
