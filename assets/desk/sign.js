// Signing a refund with a wallet of the browser: it sends the transaction, and the form below names it.

/**
 * @typedef {{ texts: Record<string, string>, network: string, added: unknown }} SignKit
 * @typedef {{ place: HTMLElement, kit: SignKit, isAsking: boolean }} ToSign
 */

/** @type {ToSign[]} */
const toSign = [...document.querySelectorAll('[data-sign]')].flatMap((place) => {
  if (!(place instanceof HTMLElement)) return [];
  const kit = /** @type {SignKit} */ (JSON.parse(place.dataset.kit ?? ''));
  return [{ place, kit, isAsking: false }];
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

/** The form that says, for whoever sees the page, that a wallet was asked: it is hidden while none was.
 * @param {ToSign} one */
const askedForm = ({ place }) => {
  const form = document.getElementById(`asked-${place.dataset.sign}`);
  return form instanceof HTMLFormElement ? form : null;
};

/** A wallet that was asked may have sent it, whatever became of the page: none is offered meanwhile. */
function offerSigning() {
  for (const one of toSign) {
    const { place, kit, isAsking } = one;
    const row = place.querySelector('.actions');
    if (!row || isAsking) continue;
    const wallets = askedForm(one)?.hidden === true ? walletsHere() : [];
    place.hidden = wallets.length === 0;
    row.replaceChildren(
      ...wallets.map((wallet) => {
        const label = wallet.name
          ? (kit.texts.with ?? '').replace('{wallet}', () => wallet.name)
          : (kit.texts.any ?? '');
        return signButton(label, () => void signWith(one, wallet));
      }),
    );
  }
}

/** Notes at the service that a wallet is asked, or that the one which was asked has sent nothing: of two people
 * or tabs one may ask. Returns the page as it is then; null: the service has refused it.
 * @param {ToSign} one */
async function noteWallet(one) {
  const form = askedForm(one);
  const field = askedAt(form);
  const body = new URLSearchParams({ asked_at: field?.value ?? '' });
  const response = await fetch(form?.action ?? '', { method: 'POST', body });
  if (!response.ok) return null;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (field) field.value = askedAt(page.getElementById(form?.id ?? ''))?.value ?? '';
  return page;
}

/** When a wallet was asked, in the form that says so; empty: none was.
 * @param {HTMLElement | null} form */
function askedAt(form) {
  const field = form?.querySelector('[name="asked_at"]');
  return field instanceof HTMLInputElement ? field : null;
}

/** Whether the page, read again, asks for what this one does.
 * @param {ToSign} one
 * @param {Document} page */
function asksForSame({ place }, page) {
  const now = page.querySelector(`[data-sign="${place.dataset.sign}"]`);
  return (
    now instanceof HTMLElement &&
    ['chain', 'to', 'value', 'data'].every((name) => now.dataset[name] === place.dataset[name])
  );
}

/** @param {ToSign} one
 * @param {Wallet} wallet */
async function signWith(one, { provider }) {
  const { place, kit } = one;
  const { chain = '', to, value, data, sign } = place.dataset;
  if (one.isAsking) return;
  one.isAsking = true;
  let [isNoted, isSending] = [false, false];
  saySigning(one, kit.texts.asking ?? '');
  try {
    const [from] = /** @type {string[]} */ (await provider.request({ method: 'eth_requestAccounts' }));
    await switchTo(provider, chain, kit.added);
    // A wallet that is on another chain, still or again, would send other money to the same address.
    if (Number(await provider.request({ method: 'eth_chainId' })) !== Number(chain)) throw new UnknownChain();
    const page = await noteWallet(one);
    isNoted = page !== null;
    if (!page || !asksForSame(one, page)) throw new Changed();
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
    const isTakenBack = isNoted && fault !== 'unsure' && (await noteWallet(one).catch(() => null));
    const form = askedForm(one);
    if (isNoted && !isTakenBack && form) form.hidden = false;
    one.isAsking = false;
    offerSigning();
    place.hidden = false;
    saySigning(one, signText(one, fault));
  }
}

addEventListener('wallets', offerSigning);
dispatchEvent(new Event('eip6963:requestProvider'));
offerSigning();
