/**
 * Forms that a passkey fills: the browser asks its owner, and the form posts what the authenticator returned.
 * Without a script, or without passkeys in the browser, they stay hidden: another way is on the same page.
 */
{
  /** @param {string} text */
  const decoded = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));

  /** @param {ArrayBuffer | null} bytes */
  const encoded = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');

  /** @typedef {{ id: string, type: 'public-key' }} Named */

  /** @param {Named[]} list */
  const named = (list) => list.map((one) => ({ ...one, id: decoded(one.id) }));

  /** @typedef {{ challenge: string, allowCredentials: Named[] }} Used */
  /** @typedef {{ id: string, name: string, displayName: string }} User */
  /** @typedef {{ challenge: string, user: User, excludeCredentials: Named[], rp: { name: string }, pubKeyCredParams: [] }} New */

  /** What the options of a form ask for, with bytes in the place of base64url.
   * @param {string} text */
  function asked(text) {
    const options = /** @type {Used | New} */ (JSON.parse(text));
    const challenge = decoded(options.challenge);
    if ('allowCredentials' in options)
      return navigator.credentials.get({
        publicKey: { ...options, challenge, allowCredentials: named(options.allowCredentials) },
      });
    const user = { ...options.user, id: decoded(options.user.id) };
    const excludeCredentials = named(options.excludeCredentials);
    return navigator.credentials.create({ publicKey: { ...options, challenge, user, excludeCredentials } });
  }

  /** The fields of a form, by what the authenticator returned.
   * @param {PublicKeyCredential} credential
   * @returns {Record<string, string>} */
  function fieldsOf({ rawId, response }) {
    const fields = { id: encoded(rawId), clientDataJSON: encoded(response.clientDataJSON) };
    if (response instanceof AuthenticatorAttestationResponse)
      return { ...fields, attestationObject: encoded(response.attestationObject) };
    if (!(response instanceof AuthenticatorAssertionResponse)) return fields;
    return {
      ...fields,
      authenticatorData: encoded(response.authenticatorData),
      signature: encoded(response.signature),
      userHandle: encoded(response.userHandle),
    };
  }

  /** @param {HTMLFormElement} form */
  async function fill(form) {
    const { passkey = '', failed = '' } = form.dataset;
    const fault = form.querySelector('.fault');
    if (fault) fault.textContent = '';
    try {
      const credential = await asked(passkey);
      if (!(credential instanceof PublicKeyCredential)) throw new TypeError('no passkey');
      for (const [name, value] of Object.entries(fieldsOf(credential))) {
        const field = form.elements.namedItem(name);
        if (field instanceof HTMLInputElement) field.value = value;
      }
      form.submit();
    } catch {
      if (fault) fault.textContent = failed;
    }
  }

  if ('PublicKeyCredential' in globalThis) {
    for (const instead of document.querySelectorAll('.no-passkeys')) instead.remove();
    for (const form of document.querySelectorAll('form')) {
      if (form.dataset.passkey === undefined) continue;
      form.hidden = false;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        void fill(form);
      });
      if (form.dataset.begins === 'at once') void fill(form);
    }
  }
}
