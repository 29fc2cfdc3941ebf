import type { Browser, BrowserContext, Page } from 'playwright-core';

/**
 * A page that stays open between uses. A new context costs a window and several renderer processes, five
 * times what loading the page in a warm one costs; most tests need neither, because a look is what a page can
 * change: its size and its colour scheme.
 */
export interface KeptPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Its scripts may leave something in the session. */
  readonly hasScripts: boolean;
  /** A use has changed for good what the next one would find. */
  isChanged: boolean;
}

/** By browser: what a closed one had is gone. */
const shelves = new WeakMap<Browser, Map<string, KeptPage[]>>();

/** What a page, or its context, never loses again. */
const LASTING = ['addInitScript', 'route', 'exposeFunction', 'exposeBinding', 'context'] as const;
/** What a use may listen to. */
const EVENTS = ['console', 'pageerror', 'request', 'response'] as const;

/** Returns a page of a kind that nobody uses, and opens one where there is none. */
export async function takePage(
  browser: Browser,
  kind: string,
  javaScriptEnabled: boolean,
): Promise<KeptPage> {
  const kept = shelves.get(browser)?.get(kind)?.pop();
  if (kept !== undefined) return kept;
  const context = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled });
  const page = await context.newPage();
  const opened = { context, page, hasScripts: javaScriptEnabled, isChanged: false };
  noteChanges(opened);
  return opened;
}

function noteChanges(kept: KeptPage): void {
  const { page } = kept;
  const { clock } = page;
  const changed = () => void (kept.isChanged = true);
  for (const name of LASTING) {
    const method = Reflect.get(page, name) as (...given: unknown[]) => unknown;
    const value = (...given: unknown[]) => {
      changed();
      return Reflect.apply(method, page, given);
    };
    Object.defineProperty(page, name, { value });
  }
  Object.defineProperty(page, 'clock', {
    get() {
      changed();
      return clock;
    },
  });
}

/** Puts a page back as it was taken; closes one that is changed for good. */
export async function putBack(browser: Browser, kind: string, kept: KeptPage): Promise<void> {
  const { page, context, hasScripts, isChanged } = kept;
  if (isChanged) return context.close();
  for (const event of EVENTS) page.removeAllListeners(event);
  // A page without scripts may be loading itself again, which ends what is evaluated in it.
  if (hasScripts && page.url().startsWith('http')) await page.evaluate('sessionStorage.clear()');
  // Ends its stream and its refresh, which could otherwise cut into the next use.
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  await page.mouse.move(0, 0);
  const shelf = shelves.get(browser) ?? new Map<string, KeptPage[]>();
  shelves.set(browser, shelf.set(kind, [...(shelf.get(kind) ?? []), kept]));
}
