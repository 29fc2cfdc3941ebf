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
/**
 * What the wallet was asked to send for this payment, until the page shows it: nothing is offered a second
 * time, after a reload either. Kept from before the wallet is asked, whose answer a reload would lose.
 * @typedef {{ hash: string | null, shown: number }} Sending
 */
const SENDING = `sending ${statusPath}`;
/** @type {Sending | null} */
let sending = parsedSending();

/** A frame of another site may have no storage.
 * @returns {Sending | null} */
function parsedSending() {
  try {
    return /** @type {Sending | null} */ (JSON.parse(sessionStorage.getItem(SENDING) ?? 'null'));
  } catch {
    return null;
  }
}

/** Until the wallet has answered: an update may put another button in the place of the first. */
let isAsking = false;

/** @param {Sending | null} next */
function remember(next) {
  sending = next;
  try {
    if (next) sessionStorage.setItem(SENDING, JSON.stringify(next));
    else sessionStorage.removeItem(SENDING);
  } catch {
    // This visit remembers it all the same.
  }
}

/** The transactions that the page shows. */
const shownHashes = () =>
  [...document.querySelectorAll('#proof .hash')].map(({ textContent }) => textContent);

/** The page shows what was sent: its transaction or, where the wallet did not name it, one more than before. */
function isSendingShown() {
  if (!sending) return false;
  const hashes = shownHashes();
  const { hash, shown: before } = sending;
  return hash === null ? hashes.length > before : hashes.includes(hash);
}

// EIP-6963: wallets announce themselves when they are asked.
addEventListener('eip6963:announceProvider', (event) => {
  if (!(event instanceof CustomEvent)) return;
  provider ??= /** @type {{ provider: Provider }} */ (event.detail).provider;
  offerInjectedWallet();
});

function offerInjectedWallet() {
  if (isSendingShown()) remember(null);
  const button = byId('injected');
  if (button) button.hidden = !provider || sending !== null;
  // The link would ask another wallet for the same money.
  const link = byId('wallet');
  if (link) link.hidden = sending !== null;
}

/**
 * Who loads the page again is told why nothing is offered. A wallet that had not answered by then may send it
 * or not: nobody but the customer can see that.
 */
function sayWhatIsSent() {
  const button = byId('injected');
  if (!button || !sending) return;
  const { sent, failed } = button.dataset;
  notify((sending.hash === null ? failed : sent) ?? '');
}

/**
 * Errors by which a wallet has sent nothing: refused, not allowed, no such method or chain (EIP-1193, 3085),
 * not a valid request (JSON-RPC 2.0), and a call that would be reverted (geth). By any other, a time limit or
 * a node that is away, it may have sent it.
 */
const NOT_SENT = [4001, 4100, 4200, 4902, -32600, -32601, -32602, 3];

/** @param {HTMLButtonElement} button */
async function payInjected(button) {
  const texts = button.dataset;
  const { chain } = texts;
  if (!provider || sending || isAsking) return;
  isAsking = button.disabled = true;
  let isSending = false;
  try {
    const [from] = /** @type {string[]} */ (await provider.request({ method: 'eth_requestAccounts' }));
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] });
    // A wallet that stays on another chain would send other money to the same address.
    const now = await provider.request({ method: 'eth_chainId' });
    // The customer may have taken minutes: what is asked for by now, and nothing where that is no more.
    await reload();
    const { chain: asked, to, value, data } = byId('injected')?.dataset ?? {};
    if (asked !== chain || Number(now) !== Number(chain))
      throw Object.assign(new Error('another chain'), { code: 4902 });
    remember({ hash: null, shown: shownHashes().length });
    const params = [{ from, to, value, data }];
    isSending = true;
    const hash = await provider.request({ method: 'eth_sendTransaction', params });
    remember({ hash: String(hash), shown: shownHashes().length });
    notify(texts.sent ?? '');
  } catch (error) {
    const { code } = /** @type {{ code?: number }} */ (error);
    const isUnsure = isSending && !NOT_SENT.includes(Number(code));
    const unsure = sending;
    remember(null);
    // This visit offers nothing again; who has looked in the wallet, and loads the page again, gets the button.
    if (isUnsure) sending = unsure;
    const { cancelled, chainless, failed } = texts;
    notify((isUnsure ? texts.unsure : code === 4001 ? cancelled : code === 4902 ? chainless : failed) ?? '');
  }
  isAsking = button.disabled = false;
  offerInjectedWallet();
}
