import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overflow, strayMarks } from './axe.ts';

/** What `fitsSmallAndLarge` holds a page to: WCAG 2.2, 1.4.10 and 1.4.4. */
export const SMALL_AND_LARGE =
  '320 pixels, and a phone with text at 200 %, and no line begins with a full stop';

export async function fitsSmallAndLarge(page: Page, name: string): Promise<void> {
  for (const [width, fontSize] of [
    [320, ''],
    [360, '200%'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`document.documentElement.style.fontSize = '${fontSize}'`);
    expect(await overflow(page), `${name}, ${width} pixels ${fontSize}`).to.equal(0);
    expect(await strayMarks(page), `${name}, ${width} pixels ${fontSize}`).to.deep.equal([]);
  }
}
