// Injected wallets (EIP-1193): each that announces itself (EIP-6963) is a button; else the browser's own is.

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
  offerWallets();
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

/**
 * What only a page with a wallet needs: texts, and the chains that it may not know (EIP-3085).
 * @typedef {{ texts: Record<string, string>, chains: Record<string, { chainName: string } | undefined> }} Kit
 */
/** @type {Kit | null} */
let kit = null;
/** @type {Promise<void> | null} */
let loadingKit = null;

/** Buttons are offered once it is there; where it cannot be loaded, the next update tries again. */
function loadKit() {
  const { kit: path } = byId('injected')?.dataset ?? {};
  if (path && !kit) loadingKit ??= loadKitFrom(path);
  return loadingKit;
}

/** @param {string} path */
async function loadKitFrom(path) {
  try {
    const answer = await fetch(path);
    if (answer.ok) kit = /** @type {Kit} */ (await answer.json());
  } catch {
    // Link and code pay as well.
  }
  loadingKit = null;
  if (kit) offerWallets();
}

/** Shows the wallets that can pay now: none while it is not known whether one has sent it. */
function offerWallets() {
  if (isSendingShown()) remember(null);
  // The links would ask another wallet for the same money.
  for (const link of [byId('wallets'), byId('wallet')])
    if (link) {
      link.hidden = sending !== null;
      link.inert = asking !== null;
    }
  const place = byId('injected');
  const wallets = walletsHere();
  if (!place || (wallets.length === 0 && !sending)) return;
  if (!kit) {
    void loadKit();
    return;
  }
  const { texts } = kit;
  const focused = document.activeElement?.id;
  const isOffered = asking !== null || sending === null;
  place.replaceChildren(
    ...(isOffered ? wallets.map((wallet, index) => buttonOf(wallet, index, wallets.length, texts)) : []),
  );
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus();
}

/**
 * @param {Wallet} wallet
 * @param {number} index
 * @param {number} count
 * @param {Record<string, string>} texts
 */
function buttonOf(wallet, index, count, texts) {
  const { name, icon, provider } = wallet;
  const button = document.createElement('button');
  button.type = 'button';
  button.id = `injected-${index}`;
  button.className = count === 1 ? 'main' : '';
  if (asking) button.setAttribute('aria-disabled', 'true');
  if (asking === provider) button.setAttribute('aria-busy', 'true');
  button.addEventListener('click', () => void payWith(wallet));
  if (icon) {
    const image = new Image(24, 24);
    image.alt = '';
    image.src = icon;
    button.append(image);
  }
  const label = document.createElement('span');
  const [before = '', after = ''] = (texts.payWith ?? '').split('{wallet}');
  const shownName = document.createElement('bdi');
  shownName.textContent = name;
  if (asking === provider) label.append(texts.asking ?? '');
  else if (name) label.append(before, shownName, after);
  else label.append(texts.pay ?? '');
  button.append(label);
  return button;
}
