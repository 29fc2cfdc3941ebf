// Injected wallets (EIP-1193): those that announce themselves (EIP-6963), of which `wallets` tells; else the browser's own.

/** @typedef {{ request: (asked: { method: string, params?: unknown[] }) => Promise<unknown> }} Provider */
/** @typedef {{ name: string, icon: string, provider: Provider }} Wallet */

/** What is announced is foreign: no page shows any number of wallets, or a name or an icon of any size. */
const MAX_WALLETS = 8;
const MAX_NAME = 32;
const MAX_ICON = 200_000;
/** As an image it runs no script and loads nothing, an SVG either. */
const ICON = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;

/** @type {Map<string, Wallet>} */
const announced = new Map();

addEventListener('eip6963:announceProvider', (event) => {
  if (!(event instanceof CustomEvent)) return;
  const { info, provider } = /** @type {{ info?: Record<string, unknown>, provider?: Provider }} */ (
    event.detail ?? {}
  );
  const { uuid, name, icon } = info ?? {};
  if (typeof uuid !== 'string' || typeof provider?.request !== 'function') return;
  // The first keeps its place: nobody puts another wallet behind its name.
  if (announced.has(uuid) || announced.size >= MAX_WALLETS) return;
  announced.set(uuid, { name: plainName(name), icon: plainIcon(icon), provider });
  dispatchEvent(new Event('wallets'));
});

/** One line without marks that turn text or hide it. @param {unknown} name */
function plainName(name) {
  if (typeof name !== 'string') return '';
  const plain = name
    .slice(0, 10 * MAX_NAME)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const signs = [...plain];
  return signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME).join('')}…` : plain;
}

/** @param {unknown} icon */
function plainIcon(icon) {
  return typeof icon === 'string' && icon.length <= MAX_ICON && ICON.test(icon) ? icon : '';
}

/** @returns {Wallet[]} */
function walletsHere() {
  if (announced.size > 0) return [...announced.values()];
  try {
    const { ethereum } = /** @type {{ ethereum?: Provider }} */ (/** @type {unknown} */ (window));
    return typeof ethereum?.request === 'function' ? [{ name: '', icon: '', provider: ethereum }] : [];
  } catch {
    // It is foreign, and may be a getter that throws: the page goes on.
    return [];
  }
}
