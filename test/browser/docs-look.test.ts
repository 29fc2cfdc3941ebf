import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { Listening } from '../support/http.ts';
import { picture, withPage } from './browser.ts';
import { showPages } from './pages.ts';

describe('code, drawings and search of the documentation in a browser', () => {
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ server, browser } = opened));

  check('the button that copies stands inside its block, beside the first line', async () => {
    for (const [path, width] of [
      ['/docs/quick-start', 360],
      ['/docs/receive-webhooks', 1366],
    ] as const)
      await withPage(browser, { viewport: { width, height: 800 } }, async (page) => {
        await page.goto(`${server.url}${path}`);
        const apart = await page.evaluate<readonly string[]>(APART_FROM_BLOCK);
        expect(apart, path).to.deep.equal([]);
        await picture(page, `docs-copy-${width}`);
      });
  });

  check('no arrow and no other label of the drawing goes through a label', async () => {
    await withPage(browser, { viewport: { width: 1366, height: 800 } }, async (page) => {
      await page.goto(`${server.url}/docs/states`);
      expect(await page.evaluate<readonly string[]>(STRUCK_LABELS)).to.deep.equal([]);
    });
  });

  check('the drawing says that it scrolls where it is wider than the window, and only there', async () => {
    for (const [width, isWider] of [
      [360, true],
      [960, true],
      [1366, false],
    ] as const)
      await withPage(browser, { viewport: { width, height: 800 } }, async (page) => {
        await page.goto(`${server.url}/docs/states`);
        const scrolls = await page.evaluate<boolean>(
          `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.drawing .wide'))`,
        );
        expect(scrolls, String(width)).to.equal(isWider);
        expect(await page.locator('.drawing figcaption').isVisible(), String(width)).to.equal(isWider);
      });
  });
});

/** The buttons that are not within their block, or have their block's first line below them. */
const APART_FROM_BLOCK = `(() =>
  [...document.querySelectorAll('.copied')].filter((frame) => frame.checkVisibility()).flatMap((frame) => {
    const block = frame.querySelector('pre').getBoundingClientRect();
    const code = frame.querySelector('code').getBoundingClientRect();
    const button = frame.querySelector('button').getBoundingClientRect();
    const isWithin = button.top >= block.top && button.bottom <= block.bottom
      && button.left >= block.left && button.right <= block.right;
    return isWithin && code.top < button.bottom - 8 ? [] : [frame.textContent.slice(0, 40)];
  }))()`;

/** The lines of labels that an arrow crosses, or another line. */
const STRUCK_LABELS = `(() => {
  const drawing = document.querySelector('.states');
  const lines = [...drawing.querySelectorAll('tspan')].map((line) => {
    const boxes = Array.from({ length: line.getNumberOfChars() }, (_, at) => line.getExtentOfChar(at));
    const last = boxes.at(-1);
    return { name: line.textContent, left: boxes[0].x, right: last.x + last.width,
      top: last.y + 3, bottom: last.y + last.height - 2 };
  });
  const struck = lines.filter((line) => lines.some((other) => other !== line
    && other.left < line.right && other.right > line.left && other.top < line.bottom && other.bottom > line.top));
  for (const arrow of drawing.querySelectorAll('.arrow'))
    for (let at = 0; at < arrow.getTotalLength(); at += 1) {
      const { x, y } = arrow.getPointAtLength(at);
      struck.push(...lines.filter(({ left, right, top, bottom }) =>
        x > left - 3 && x < right + 3 && y > top && y < bottom));
    }
  return [...new Set(struck.map(({ name }) => name))];
})()`;
