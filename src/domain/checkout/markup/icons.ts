import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOT } from '../../../platform/root.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { html, type Html } from '../../../platform/pages/html.ts';

/** An image that the service serves itself, at a path that changes with its content. */
export interface Image {
  readonly path: string;
  readonly content: string;
}

function read(file: string): Image {
  const content = readFileSync(new URL(`assets/checkout/${file}`, ROOT), 'utf8');
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 20);
  return { path: `/checkout/assets/${hash}.svg`, content };
}

/** Of the browser's tab. */
export const ICON = read('icon.svg');

/** Every coin and network, each as a view of one image, which browsers load once. */
export const SYMBOLS = read('symbols.svg');

/** The symbol of a coin or a network, beside its name. */
export function symbol(id: CoinId | NetworkId): Html {
  return html`<img class="symbol" src="${SYMBOLS.path}#${id}" width="20" height="20" alt="" />`;
}
