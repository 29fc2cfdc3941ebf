import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { putBack, takePage } from './shelf.ts';

const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

/** Not of this module: mocha loads another copy of it with its hooks (close.ts). */
const shared = globalThis as { testBrowser?: Promise<Browser> | undefined };

/** Returns the one browser of the process: it is launched at first use. */
export const openBrowser = (): Promise<Browser> => (shared.testBrowser ??= launch());

/** Closes the browser, with all that is kept open in it. */
export async function closeBrowser(): Promise<void> {
  const browser = await shared.testBrowser;
  shared.testBrowser = undefined;
  await browser?.close();
}

/** Debian's, the one first that has no windows: these take as much of the processor as the pages. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Chromium as root, and silent: it asks nobody but the page for anything. */
async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
  if (executablePath === undefined || !existsSync(executablePath))
    throw new Error(
      `There is no browser at ${executablePath ?? BROWSERS.join(' or ')}: install Debian's chromium-headless-shell or chromium, or name another in CHROMIUM.`,
    );
  if (TAKES_PICTURES) await mkdir(SCREENSHOTS, { recursive: true });
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Look {
  readonly width: (typeof WIDTHS)[number];
  readonly colorScheme: 'light' | 'dark';
  readonly javaScriptEnabled: boolean;
}

/** Of a phone and a desktop. */
export const WIDTHS = [360, 1280] as const;

export function nameOf({ width, colorScheme, javaScriptEnabled }: Look): string {
  return `${width}-${colorScheme}-${javaScriptEnabled ? 'script' : 'plain'}`;
}

/** What is no fault of a page. */
export interface Allowed {
  readonly refused?: string | RegExp;
  readonly isCutOff?: boolean;
  readonly opensWallet?: boolean;
  readonly shop?: string;
  /** What keeps apart pages that must not follow each other, such as one that shows text of ours. */
  readonly purpose?: string;
}

type PageOptions = Partial<Look> & BrowserContextOptions & Allowed;

/** What any page can be; all else needs a context of its own. */
const COMMON: readonly string[] = [
  'width',
  'viewport',
  'colorScheme',
  'javaScriptEnabled',
  'refused',
  'isCutOff',
  'opensWallet',
  'shop',
  'purpose',
];

/** Gives the page a clock that stands until `page.clock.runFor`: what it shows depends on no busy machine. */
export async function stopClock(page: Page): Promise<void> {
  const now = Date.now();
  await page.clock.install({ time: now - 60_000 });
  await page.clock.pauseAt(now);
}

/**
 * Runs `use` with a page that looks like that, and closes it. Fails when the page asked another origin or its
 * policy was broken, or when something could not be loaded, unless its path ends in `refused` or the
 * browser's message matches it, or the page `isCutOff` by the test itself. `shop` is the one other origin
 * that it may ask. Where it `opensWallet`, a click hands a wallet's link to the system.
 */
export async function withPage(
  browser: Browser,
  options: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  if (Object.keys(options).some((name) => !COMMON.includes(name))) return withOwnPage(browser, options, use);
  const { width = 360, viewport, colorScheme = 'light', javaScriptEnabled = true, purpose = '' } = options;
  const kind = `${purpose} ${String(javaScriptEnabled)}`;
  const kept = await takePage(browser, kind, javaScriptEnabled);
  const { page, context } = kept;
  try {
    await page.setViewportSize(viewport ?? { width, height: 800 });
    await page.emulateMedia({ media: null, colorScheme, reducedMotion: 'reduce' });
    const refuseFaults = watchFaults(page, options);
    await use(page);
    refuseFaults();
  } catch (error) {
    // What failed may have left anything behind.
    await context.close();
    throw error;
  }
  await putBack(browser, kind, kept);
}

async function withOwnPage(
  browser: Browser,
  options: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const {
    width = 360,
    refused: _refused,
    isCutOff: _isCutOff,
    opensWallet: _opens,
    shop: _shop,
    purpose: _purpose,
    ...rest
  } = options;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    ...rest,
  });
  try {
    const page = await context.newPage();
    const refuseFaults = watchFaults(page, options);
    await use(page);
    refuseFaults();
  } finally {
    await context.close();
  }
}

/**
 * Collects what goes wrong in the page. What it returns throws what was collected since it was last called.
 */
export function watchFaults(
  page: Page,
  { refused, isCutOff = false, opensWallet = false, shop }: Allowed = {},
): () => void {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (isCutOff && message.text().startsWith('Failed to load resource')) return;
    const { pathname } = new URL(message.location().url || 'about:blank');
    // The icon that every browser asks for by itself.
    const isRefused =
      typeof refused === 'string' ? pathname.endsWith(refused) : refused?.test(message.text()) === true;
    const isExpected = pathname.endsWith('/favicon.ico') || isRefused;
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => {
    if (!(refused instanceof RegExp && refused.test(message))) faults.push(message);
  });
  page.on('request', (request) => {
    const url = request.url();
    const isWallet = opensWallet && url.startsWith('ethereum:');
    const isShop = shop !== undefined && url.startsWith(`${shop}/`);
    if (!isWallet && !isShop && !url.startsWith('http://127.0.0.1:')) faults.push(`asked ${url}`);
  });
  return () => {
    if (faults.length > 0) throw new Error(faults.splice(0).join('\n'));
  };
}

/** Taking some 700 pictures of whole pages costs as much as all that is asserted about them. */
const TAKES_PICTURES = process.env.PICTURES === 'yes';

/** With PICTURES=yes, keeps a picture of the whole page for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  if (TAKES_PICTURES) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** The same, on a light and on a dark screen. */
export async function pictures(
  page: Page,
  nameOn: (colorScheme: Look['colorScheme']) => string,
): Promise<void> {
  if (!TAKES_PICTURES) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await picture(page, nameOn(colorScheme));
  }
}
