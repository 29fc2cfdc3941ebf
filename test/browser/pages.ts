import type { Browser } from 'playwright-core';
import { listen, type Listening } from '../support/http.ts';
import { createWorld, type World } from '../support/world.ts';
import { openBrowser } from './browser.ts';

/** Gives the suite a world, a server that shows its pages, and a browser to see them with. */
export function showPages(
  take: (opened: { world: World; server: Listening; browser: Browser }) => void,
): void {
  const close: (() => Promise<void>)[] = [];
  before(async () => {
    const world = await createWorld();
    close.push(() => world.close());
    const server = await listen(world.app);
    close.push(() => server.close());
    const browser = await openBrowser();
    close.push(() => browser.close());
    take({ world, server, browser });
  });
  after(async () => {
    for (const end of close.toReversed()) await end();
  });
}
