// Copying: "Copied" is said only when it was.

const COPIED_MS = 2000;

/** What is copied of an element: its value, where the language writes that in another way.
 * @param {HTMLElement} element */
const valueOf = (element) => element.dataset.value ?? element.textContent;

/** What the code that is shown holds: the link for wallets, or the address alone. */
function codeHolds() {
  const [full, link] = [byId('code-full'), byId('wallet')];
  const isFull = full !== null && full.getClientRects().length > 0 && link instanceof HTMLAnchorElement;
  return isFull ? link.href : (byId('address')?.textContent ?? '');
}

/** True when `text` is in the clipboard now, as far as the browser lets the page know.
 * @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    // Reading asks the customer, unless they have allowed it. A frame may write only.
    if (isFramed) return true;
    const permission = await navigator.permissions
      .query({ name: /** @type {PermissionName} */ ('clipboard-read') })
      .catch(() => null);
    return permission?.state !== 'granted' || (await navigator.clipboard.readText()) === text;
  } catch {
    return copiedByCommand(text);
  }
}

/** For browsers without the clipboard API, and pages that may not use it.
 * @param {string} text */
function copiedByCommand(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated
  const ok = document.execCommand('copy');
  area.remove();
  return ok;
}

/** @param {HTMLButtonElement} button */
async function copyFor(button) {
  const { copy: id = '' } = button.dataset;
  const { copied: done = '', uncopied: failed = '' } = shown;
  const element = byId(id === 'code' ? 'address' : id);
  if (!element) return;
  const isCopied = await copied(id === 'code' ? codeHolds() : valueOf(element));
  button.focus();
  if (!isCopied) {
    getSelection()?.selectAllChildren(element);
    notify(failed);
    return;
  }
  const label = button.textContent;
  if (label !== done) {
    button.textContent = done;
    setTimeout(() => {
      button.textContent = label;
    }, COPIED_MS);
  }
  announce(done);
}

// A selection of the shown amount copies the digits that wallets read.
document.addEventListener('copy', (event) => {
  const amount = byId('amount');
  if (!amount?.dataset.value || getSelection()?.toString() !== amount.textContent) return;
  event.clipboardData?.setData('text/plain', amount.dataset.value);
  event.preventDefault();
});
