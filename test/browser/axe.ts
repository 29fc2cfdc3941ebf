import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { withPage } from './browser.ts';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Of these, those that look at colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe-core finds. It is put in past the page's policy, which would refuse a script of ours as well. */
export async function violations(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
  await page.waitForLoadState();
  // A window whose document is written afresh still has it.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // Else axe describes thousands of elements that break no rule.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false });
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${options}).then((result) => result.violations)`,
  );
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`,
  );
}

/**
 * What axe-core finds on a light screen, and then on a dark one, where colours alone are others
 * (test/dark-screens.test.ts).
 */
export async function violationsOnEachScreen(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violations(page, COLOUR_RULES);
  return [...light, ...dark.map((one) => `on a dark screen, ${one}`)];
}

/**
 * What axe-core finds in a page without JavaScript, where it cannot run: in the same document, scripts taken
 * out, shown where it can, at each width. The refresh, which would take the document away, is taken out too.
 */
export async function violationsWithoutScript(
  browser: Browser,
  page: Page,
  widths: readonly number[],
): Promise<string[]> {
  await page.waitForLoadState();
  const document = (await page.content())
    .replaceAll(/<script.*?<\/script>/gs, '')
    .replaceAll(/<meta http-equiv="refresh"[^>]*>/g, '');
  const found: string[] = [];
  await withPage(browser, { purpose: 'bare' }, async (bare) => {
    await bare.setContent(document);
    for (const width of widths) {
      await bare.setViewportSize({ width, height: 800 });
      found.push(...(await violationsOnEachScreen(bare)).map((one) => `at ${width}, ${one}`));
    }
  });
  return found;
}

/** The marks that begin a line, apart from what they belong to. */
export const strayMarks = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const stray = [], range = document.createRange();
    for (const element of document.querySelectorAll('bdi,time')) {
      const behind = element.nextSibling;
      if (behind?.nodeType !== 3 || !/^[^\\s\\p{L}\\p{N}]/u.test(behind.data)) continue;
      range.setStart(behind, 0);
      range.setEnd(behind, 1);
      const mark = range.getBoundingClientRect();
      if (mark.height > 0 && mark.top >= element.getBoundingClientRect().bottom) stray.push(element.parentElement.textContent);
    }
    return stray;
  })()`);

/** How much wider than the window the page is, once it is loaded: a click ends when it begins to arrive. */
export async function overflow(page: Page): Promise<number> {
  await page.waitForLoadState();
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
