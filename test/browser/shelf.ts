import type { Browser, BrowserContext, Page } from 'playwright-core';
import { watchFaults, type Look } from './browser.ts';

/**
 * Lends pages that stay open between uses. A new context costs a window and several renderer processes, five
 * times what loading the page in a warm one costs; a matrix of looks needs neither, because a look is what a
 * page can change: its size and its colour scheme.
 */
export interface Shelf {
  /**
   * Runs `use` with a page that looks like that and that nobody else uses meanwhile. Fails as `withPage`
   * does. `purpose` keeps apart pages that must not follow each other, such as one that shows text of ours
   * and one that loads the server's page under its policy.
   */
  lend(look: Look, use: (page: Page) => Promise<void>, purpose?: string): Promise<void>;
  close(): Promise<void>;
}

interface Kept {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly refuseFaults: () => void;
}

export function openShelf(browser: Browser): Shelf {
  const idle = new Map<string, Kept[]>();
  const open = async (javaScriptEnabled: boolean): Promise<Kept> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled });
    const page = await context.newPage();
    return { context, page, refuseFaults: watchFaults(page) };
  };
  return {
    async lend({ width, colorScheme, javaScriptEnabled }, use, purpose = 'served') {
      const kind = `${purpose} ${String(javaScriptEnabled)}`;
      const shelf = idle.get(kind) ?? [];
      idle.set(kind, shelf);
      const kept = shelf.pop() ?? (await open(javaScriptEnabled));
      try {
        await kept.page.setViewportSize({ width, height: 800 });
        await kept.page.emulateMedia({ colorScheme });
        await use(kept.page);
        kept.refuseFaults();
        // Ends its stream and its refresh, which could otherwise cut into the next use.
        if (kept.page.url() !== 'about:blank') await kept.page.goto('about:blank');
      } catch (error) {
        // What failed may have left anything behind.
        await kept.context.close();
        throw error;
      }
      shelf.push(kept);
    },
    async close() {
      for (const { context } of [...idle.values()].flat()) await context.close();
    },
  };
}
