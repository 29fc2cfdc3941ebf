// Wallets: the link says so where nothing opens, and an injected wallet (EIP-1193) pays with one click.

const OPENS_WITHIN_MS = 1500;

/** A wallet that opens takes the focus from the page, or hides it. */
function watchForWallet() {
  let isOpened = false;
  const opened = () => {
    isOpened = true;
  };
  addEventListener('blur', opened, { once: true });
  addEventListener('pagehide', opened, { once: true });
  setTimeout(() => {
    removeEventListener('blur', opened);
    removeEventListener('pagehide', opened);
    const hint = byId('unopened');
    if (isOpened || document.hidden || !hint) return;
    hint.hidden = false;
    announce(hint.textContent);
  }, OPENS_WITHIN_MS);
}

/** @typedef {{ request: (asked: { method: string, params?: unknown[] }) => Promise<unknown> }} Provider */

/** @type {Provider | undefined} */
let provider = /** @type {{ ethereum?: Provider }} */ (/** @type {unknown} */ (window)).ethereum;
/** What was sent with it already: it must not be sent twice by a second click. */
let sentTo = '';

// EIP-6963: wallets announce themselves when they are asked.
addEventListener('eip6963:announceProvider', (event) => {
  if (!(event instanceof CustomEvent)) return;
  provider ??= /** @type {{ provider: Provider }} */ (event.detail).provider;
  offerInjectedWallet();
});

function offerInjectedWallet() {
  const button = byId('injected');
  if (button) button.hidden = !provider || sentTo === keyOf(button);
}

/** @param {HTMLElement} button */
const keyOf = ({ dataset: { chain, to, value, data } }) => [chain, to, value, data].join();

/** @param {HTMLButtonElement} button */
async function payInjected(button) {
  const { chain, to, value, data } = button.dataset;
  const texts = button.dataset;
  if (!provider) return;
  button.disabled = true;
  try {
    const [from] = /** @type {string[]} */ (await provider.request({ method: 'eth_requestAccounts' }));
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] });
    // A wallet that stays on another chain would send other money to the same address.
    const now = await provider.request({ method: 'eth_chainId' });
    if (Number(now) !== Number(chain)) throw Object.assign(new Error('another chain'), { code: 4902 });
    await provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value, data }] });
    sentTo = keyOf(button);
    notify(texts.sent ?? '');
  } catch (error) {
    const { code } = /** @type {{ code?: number }} */ (error);
    const [cancelled, chainless, failed] = [texts.cancelled, texts.chainless, texts.failed];
    notify((code === 4001 ? cancelled : code === 4902 ? chainless : failed) ?? '');
  }
  button.disabled = false;
  offerInjectedWallet();
}
