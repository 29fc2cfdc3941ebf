// Paying with a wallet: the link says so where nothing opens, and an injected wallet pays with one click.

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

/**
 * What the wallet was asked to send for this payment, until the page shows it: nothing is offered a second
 * time, after a reload either. Kept from before the wallet is asked, whose answer a reload would lose.
 * @typedef {{ hash: string | null, shown: number, chain: string }} Sending
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

/**
 * The wallet that is asked, until it has answered: an update may put another button in the place of the
 * first.
 * @type {Provider | null} */
let asking = null;

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
const shownHashes = () => [...document.querySelectorAll('.hash')].map(({ textContent }) => textContent);

/** The page shows what was sent: its transaction or, where the wallet did not name it, one more than before. */
function isSendingShown() {
  if (!sending) return false;
  const hashes = shownHashes();
  const { hash, shown: before } = sending;
  return hash === null ? hashes.length > before : hashes.includes(hash.toLowerCase());
}

/** The page says that a transaction was sent, and has put away what asks for another. */
const saysSent = () => (shown.state ?? '').startsWith('sent');

/**
 * Names the transaction to the server, which looks it up and keeps it: then every page of the payment says
 * that it was sent. What does not reach the server stays with this tab, and is named again.
 */
async function keepSent() {
  if (!sending?.hash) return;
  const { hash, chain } = sending;
  const at = new URL(pagePath, location.href);
  at.pathname += '/transaction';
  try {
    const answer = await fetch(at, { method: 'POST', body: new URLSearchParams({ tx: hash, chain }) });
    show(await answer.text());
    follow();
  } catch {
    // Named again when the page is online, or loaded again.
  }
}

/**
 * Who loads the page again is told why nothing is offered. A wallet that had not answered by then may send it
 * or not: nobody but the customer can see that.
 */
async function sayWhatIsSent() {
  if (!sending) return;
  await keepSent();
  await loadKit();
  if (sending && kit) notify((sending.hash === null ? kit.texts.failed : kit.texts.sent) ?? '');
}

/** @param {Wallet} wallet */
async function payWith({ provider }) {
  const { chain = '' } = byId('injected')?.dataset ?? {};
  if (!kit || sending || asking) return;
  const { texts } = kit;
  const saidSent = saysSent();
  asking = provider;
  notify('');
  announce(texts.asking ?? '');
  offerWallets();
  let said = '';
  let isSending = false;
  try {
    const [from] = /** @type {string[]} */ (await provider.request({ method: 'eth_requestAccounts' }));
    await switchTo(provider, chain, kit.chains[chain]);
    // The customer may have taken minutes: what is asked for by now, and nothing where that is no more.
    await reload();
    // A wallet that is on another chain, still or again, would send other money to the same address.
    if (Number(await provider.request({ method: 'eth_chainId' })) !== Number(chain)) throw new UnknownChain();
    const { chain: asked, to, value, data } = byId('injected')?.dataset ?? {};
    if (asked !== chain) throw new UnknownChain();
    // Another tab was quicker: the page says so.
    if (saidSent || !saysSent()) {
      remember({ hash: null, shown: shownHashes().length, chain });
      isSending = true;
      const params = [{ from, to, value, data }];
      const sent = await provider.request({ method: 'eth_sendTransaction', params });
      // What is no hash is never shown: the page would wait for it beside the transaction itself.
      const hash = typeof sent === 'string' && /^0x[\da-f]{64}$/i.test(sent) ? sent : null;
      remember({ hash, shown: shownHashes().length, chain });
      byId('unsent')?.removeAttribute('open');
      await keepSent();
      said = sending ? (texts.sent ?? '') : '';
    }
  } catch (error) {
    const fault = faultOf(error, isSending);
    const unsure = sending;
    remember(null);
    // This visit offers nothing again; who has looked in the wallet, and loads the page again, gets the button.
    if (fault === 'unsure') sending = unsure;
    said = (texts[fault] ?? '').replace('{network}', () => kit?.chains[chain]?.chainName ?? '');
  }
  asking = null;
  offerWallets();
  if (said) notify(said);
}
