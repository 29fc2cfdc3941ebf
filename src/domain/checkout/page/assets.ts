import { ROOT } from '../../../platform/root.ts';
import { accentOf, type Accent } from '../markup/accent.ts';
import { inline, readMinified, type Inline } from '../../../platform/pages/assets.ts';

const FOLDER = new URL('assets/checkout/', ROOT);

/**
 * What the page wears and runs, in this order: later rules override, and later files use the ones before.
 * `embed` is what shops run to open the page in a modal.
 */
export const PAGE_ASSETS = {
  style: ['base.css', 'sheet.css', 'states.css'],
  boot: ['boot.js'],
  script: [
    'base.js',
    'copy.js',
    'time.js',
    'wallet.js',
    'wallet-faults.js',
    'wallets.js',
    '../embed/framed.js',
    'show.js',
    'forms.js',
    'follow.js',
  ],
  embed: ['../embed/checkout.js'],
} as const;

/**
 * The style that puts a merchant's accent colour over the page's own; null: they chose none. On paper the
 * page stays black. The API validates the colour when it stores it; this second check keeps anything else out
 * of the style, whatever the row holds.
 */
export function accentStyle(color: string | null): Inline | null {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  const { light, dark } = accentOf(color);
  return inline(
    'style',
    `@media screen{${variables(light)}}@media screen and (prefers-color-scheme:dark){${variables(dark)}}`,
  );
}

const variables = ({ color, on }: Accent) => `:root{--accent:${color};--on-accent:${on}}`;

/** An asset's files in a row, without what only their readers need. */
export function readAsset(asset: keyof typeof PAGE_ASSETS): string {
  return readMinified(PAGE_ASSETS[asset].map((file) => new URL(file, FOLDER)));
}
