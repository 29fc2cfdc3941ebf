import { ROOT } from '../../../platform/root.ts';
import { accentOf, textOn } from '../markup/accent.ts';
import { inline, readMinified, type Inline } from '../../../platform/pages/assets.ts';

const FOLDER = new URL('assets/checkout/', ROOT);

/**
 * What the page wears and runs, in this order: later rules override, and later files use the ones before.
 * `later` is the style of what is not on the first page; its script brings it, and other pages have it.
 * `embed` is what shops run to open the page in a modal.
 */
export const PAGE_ASSETS = {
  style: ['base.css', 'sheet.css', 'states.css'],
  later: ['tones.css', 'copy.css', 'later.css'],
  boot: ['boot.js'],
  script: [
    'base.js',
    'copy.js',
    'time.js',
    'wallet.js',
    'wallet-faults.js',
    'announced.js',
    'wallets.js',
    '../embed/framed.js',
    'show.js',
    'forms.js',
    'follow.js',
  ],
  embed: ['../embed/checkout.js'],
} as const;

/**
 * The style that puts a merchant's accent colour over the page's own: on buttons as it is, and as text as
 * far as it can be read. Null: they chose none. On paper the page stays black. The API validates the
 * colour when it stores it; this second check keeps anything else out of the style, whatever the row holds.
 */
export function accentStyle(color: string | null): Inline | null {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  const { light, dark } = accentOf(color);
  const button = `--brand:${color};--on-brand:${textOn(color)}`;
  return inline(
    'style',
    `@media screen{:root{--accent:${light};${button}}}` +
      `@media screen and (prefers-color-scheme:dark){:root{--accent:${dark};${button}}}`,
  );
}

/** An asset's files in a row, without what only their readers need. */
export function readAsset(asset: keyof typeof PAGE_ASSETS): string {
  return readMinified(PAGE_ASSETS[asset].map((file) => new URL(file, FOLDER)));
}
