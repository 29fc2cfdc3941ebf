/** The keypad, and a sale that is sent until it is answered. */

/** @param {HTMLElement} key */
function press(key) {
  const amount = byId('amount');
  if (!(amount instanceof HTMLInputElement)) return;
  const { key: digit = '' } = key.dataset;
  if (digit === 'erase') amount.value = amount.value.slice(0, -1);
  else if (digit !== '.' || !amount.value.includes('.')) amount.value += digit;
  amount.dispatchEvent(new Event('input', { bubbles: true }));
}

/** One for each sale that is typed, made here: sent again it is the same sale. */
function newNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/**
 * Sends a sale until there is an answer, under one nonce: the service makes it once, whichever of these requests
 * it got. No code is shown before that.
 * @param {HTMLFormElement} form
 */
async function sendSale(form) {
  const mine = ++asked;
  const body = fieldsOf(form);
  form.inert = true;
  const stop = document.createElement('button');
  stop.type = 'button';
  stop.textContent = textOf('giveUp');
  stop.hidden = true;
  stop.addEventListener('click', () => {
    asked += 1;
    stop.remove();
    form.inert = false;
    renew(form);
    sayLine(textOf('gaveUp'));
    void follow();
  });
  form.after(stop);
  clearTimeout(followTimer);
  for (;;) {
    const page = await ask(form.action, { method: 'POST', body });
    if (mine !== asked) return;
    if (page) return showPage(page);
    sayLine(textOf('sending'));
    if (stop.hidden) {
      stop.hidden = false;
      stop.focus();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    if (mine !== asked) return;
  }
}

/** @param {HTMLFormElement} form */
function renew(form) {
  const nonce = form.elements.namedItem('nonce');
  if (nonce instanceof HTMLInputElement) nonce.value = newNonce();
}
