import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { pictures } from './browser.ts';
import { fitsSmallAndLarge } from './fits.ts';

/** Of a phone, a tablet and a desktop; axe looks at the first and the last. */
const WIDTHS = [360, 768, 1440] as const;

/**
 * Looks at a page of the desk at each width, light and dark, with `name` for its pictures. Null for `url`:
 * at what the page shows already.
 */
export async function lookAt(page: Page, name: string, url: string | null): Promise<void> {
  if (url !== null) await page.goto(url);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `${name} at ${width}`).to.equal(0);
    if (width !== 768) expect(await violationsOnEachScreen(page), `${name} at ${width}`).to.deep.equal([]);
    await pictures(page, (colorScheme) => `${name}-${width}-${colorScheme}`);
  }
  if (url !== null) await fitsSmallAndLarge(page, name);
}

/** What the keyboard would use now: its label or text. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document;
    const text = at.getAttribute('aria-label') ?? (at.labels?.[0] ?? at).textContent;
    return text.trim().replace(/\\s+/g, ' ');
  })()`);

/** Presses Tab until the keyboard has come to what `name` names, in a page that has arrived. */
export async function tabTo(page: Page, name: string): Promise<void> {
  await page.waitForLoadState();
  for (let i = 0; i < 60; i += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}
