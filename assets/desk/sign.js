// Signing a refund with a wallet of the browser: it sends the transaction, and the form below names it.

/**
 * @typedef {{ texts: Record<string, string>, network: string, added: unknown }} SignKit
 * @typedef {{ place: HTMLElement, kit: SignKit, key: string, isAsking: boolean }} ToSign
 */

/** @type {ToSign[]} */
const toSign = [...document.querySelectorAll('[data-sign]')].flatMap((place) => {
  if (!(place instanceof HTMLElement)) return [];
  const kit = /** @type {SignKit} */ (JSON.parse(place.dataset.kit ?? ''));
  return [{ place, kit, key: `signing ${place.dataset.sign}`, isAsking: false }];
});

class Changed extends Error {}

/** @param {ToSign} one
 * @param {string} name */
const signText = ({ kit }, name) => (kit.texts[name] ?? '').replace('{network}', () => kit.network);

/** @param {ToSign} one
 * @param {string} text */
function saySigning({ place }, text) {
  const line = place.querySelector('[role="status"]');
  if (line) line.textContent = text;
}

/** @param {string} label
 * @param {() => void} act */
function signButton(label, act) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.addEventListener('click', act);
  return button;
}

/**
 * A wallet that was asked may have sent it, whatever became of the page: nothing is offered a second time
 * before a person has looked into it. The browser remembers it from before the wallet is asked, for all of
 * its tabs.
 */
function offerSigning() {
  for (const one of toSign) {
    const { place, kit, key, isAsking } = one;
    const row = place.querySelector('.actions');
    if (!row || isAsking) continue;
    const wallets = walletsHere();
    const wasAsked = localStorage.getItem(key) !== null;
    place.hidden = wallets.length === 0 && !wasAsked;
    const again = signButton(kit.texts.again ?? '', () => {
      localStorage.removeItem(key);
      saySigning(one, '');
      offerSigning();
    });
    row.replaceChildren(
      ...(wasAsked
        ? [again]
        : wallets.map((wallet) => {
            const label = wallet.name
              ? (kit.texts.with ?? '').replace('{wallet}', () => wallet.name)
              : (kit.texts.any ?? '');
            return signButton(label, () => void signWith(one, wallet));
          })),
    );
    if (wasAsked) saySigning(one, kit.texts.asked ?? '');
  }
}

/** Whether the page, read again, asks for the same, and no other tab a wallet: somebody may have paid it since
 * this one was opened.
 * @param {ToSign} one */
async function isStillAsked({ place, key }) {
  const response = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const asked = page.querySelector(`[data-sign="${place.dataset.sign}"]`);
  return (
    localStorage.getItem(key) === null &&
    asked instanceof HTMLElement &&
    ['chain', 'to', 'value', 'data'].every((name) => asked.dataset[name] === place.dataset[name])
  );
}

/** @param {ToSign} one
 * @param {Wallet} wallet */
async function signWith(one, { provider }) {
  const { place, kit, key } = one;
  const { chain = '', to, value, data, sign } = place.dataset;
  if (one.isAsking) return;
  one.isAsking = true;
  let isSending = false;
  saySigning(one, kit.texts.asking ?? '');
  try {
    const [from] = /** @type {string[]} */ (await provider.request({ method: 'eth_requestAccounts' }));
    await switchTo(provider, chain, kit.added);
    // A wallet that is on another chain, still or again, would send other money to the same address.
    if (Number(await provider.request({ method: 'eth_chainId' })) !== Number(chain)) throw new UnknownChain();
    if (!(await isStillAsked(one))) throw new Changed();
    localStorage.setItem(key, '');
    isSending = true;
    const params = [{ from, to, value, data }];
    const sent = await provider.request({ method: 'eth_sendTransaction', params });
    const form = document.getElementById(`announce-${sign}`);
    const field = document.getElementById(`tx-${sign}`);
    if (typeof sent !== 'string' || !/^0x[\da-f]{64}$/i.test(sent)) throw new Error('no hash');
    if (!(form instanceof HTMLFormElement) || !(field instanceof HTMLInputElement)) return;
    field.value = sent;
    saySigning(one, kit.texts.sent ?? '');
    form.requestSubmit();
  } catch (error) {
    const fault = error instanceof Changed ? 'changed' : faultOf(error, isSending);
    one.isAsking = false;
    if (isSending && fault !== 'unsure') localStorage.removeItem(key);
    offerSigning();
    saySigning(one, signText(one, fault));
  }
}

addEventListener('wallets', offerSigning);
dispatchEvent(new Event('eip6963:requestProvider'));
offerSigning();
