// Each wallet of the browser is a button.

addEventListener('wallets', () => offerWallets());

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
