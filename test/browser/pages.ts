import type { Browser } from 'playwright-core';
import { listen, type Listening } from '../support/http.ts';
import type { Environment } from '../../src/platform/config/config.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { openBrowser } from './browser.ts';
import { sideBySide, type DefineCase } from './side-by-side.ts';

/**
 * Gives the suite a harness, a server that shows its pages, and a browser to see them with. Returns an `it`
 * whose cases run side by side.
 */
export function showPages(
  take: (opened: { harness: Harness; server: Listening; browser: Browser }) => void,
  env: Environment = {},
): DefineCase {
  const defineCase = sideBySide();
  const close: (() => Promise<void>)[] = [];
  before(async () => {
    const harness = await createHarness(env);
    close.push(() => harness.close());
    const server = await listen(harness.app);
    close.push(() => server.close());
    take({ harness, server, browser: await openBrowser() });
  });
  after(async () => {
    for (const end of close.toReversed()) await end();
  });
  return defineCase;
}
