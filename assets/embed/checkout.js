/**
 * The checkout page in a modal of a shop's page: for links and buttons with `data-checkout`, and by
 * `PaymentCheckout.open(url)`. Where the modal cannot be had (an old browser, an origin that the merchant has
 * not allowed, a policy of the shop) it leads to the page. A shop's policy allows `script-src` and `frame-src`
 * of this origin, and no inline style or script.
 */
(() => {
  if ('PaymentCheckout' in window) return;

  /**
   * Whose pages are framed: the service's, as the service has written it here, and the origin that serves this
   * file. A page of anybody else, in a frame that looks like the checkout, could ask the customer for anything.
   */
  const { currentScript: self } = document;
  const own = [
    'PUBLIC_ORIGIN',
    self instanceof HTMLScriptElement && self.src ? new URL(self.src).origin : '',
  ];

  /** Longest wait for the page in its frame. */
  const LOADING_MS = 15000;
  /** A page that is shown sends its state before its frame has loaded; the message may come a little later. */
  const SILENCE_MS = 1000;
  /** Nothing on phones, and much on larger screens: the modal has a margin and round corners there. */
  const ROOM = 'max(0px, (100vmin - 600px) * 99)';
  /** The whole height on phones, however high they are. */
  const TALL = '(600px - 100vmin) * 99';
  const STYLE = {
    dialog:
      'all:initial;position:fixed;inset:0;box-sizing:border-box;display:flex;width:100%;' +
      `height:100%;padding:min(24px, ${ROOM});background:rgba(0,0,0,.6);color-scheme:light dark`,
    host: 'display:flex;flex:1;min-width:0',
    card:
      `display:flex;flex-direction:column;width:min(100%, 920px);height:min(100%, max(780px, ${TALL}));margin:auto;` +
      `overflow:hidden;border-radius:min(16px, ${ROOM});background:Canvas;color:CanvasText;` +
      'font:14px/1.4 system-ui,sans-serif',
    bar: 'display:flex;align-items:center;justify-content:space-between;padding-inline-start:16px',
    link: 'color:inherit;text-decoration:none;padding:12px 0',
    button: 'width:44px;height:44px;border:0;background:none;color:inherit;font-size:24px;cursor:pointer',
    frame: 'flex:1;width:100%;border:0',
  };
  /** What the modal and its button are called, for screen readers. */
  const NAMES = [
    ['en', 'Payment', 'Close'],
    ['de', 'Zahlung', 'Schließen'],
    ['es', 'Pago', 'Cerrar'],
    ['fr', 'Paiement', 'Fermer'],
    ['ja', 'お支払い', '閉じる'],
    ['ar', 'الدفع', 'إغلاق'],
  ];

  /** @typedef {(detail: { state: string, url: string }) => void} Listener */
  /** @typedef {{ onState?: Listener, onSettled?: Listener, onClosed?: Listener }} Listeners */

  /** Closes the modal that is open. */
  let closeOpen = () => {};

  /**
   * @template {keyof HTMLElementTagNameMap} Tag
   * @param {Node} parent
   * @param {Tag} tag
   * @param {string} style set through CSSOM, which policies that refuse inline styles allow
   * @param {Record<string, string | undefined>} [attributes]
   */
  function add(parent, tag, style, attributes = {}) {
    const element = document.createElement(tag);
    element.style.cssText = style;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value || '');
    parent.appendChild(element);
    return element;
  }

  /** @param {URL} page */
  function addModal({ href, host, searchParams }) {
    const wanted = searchParams.get('lang') || navigator.language;
    const [lang, name, close] = NAMES.find(([lang = '']) => wanted.startsWith(lang)) || NAMES[0] || [];
    const dialog = add(document.body, 'dialog', STYLE.dialog, { 'aria-label': name, lang });
    // The shop's style sheets do not reach into a shadow tree.
    const inside = add(dialog, 'div', STYLE.host).attachShadow({ mode: 'open' });
    const card = add(inside, 'div', STYLE.card);
    const bar = add(card, 'div', STYLE.bar);
    // The way to the page outside the frame, for wallets and browsers that refuse to work in one.
    add(bar, 'a', STYLE.link, { href, target: '_top' }).textContent = `${host} ↗`;
    const button = add(bar, 'button', STYLE.button, { type: 'button', 'aria-label': close });
    button.textContent = '×';
    const allow = 'clipboard-write; payment';
    const frame = add(card, 'iframe', STYLE.frame, { title: name, allow, src: href });
    return { dialog, button, frame };
  }

  /**
   * Listens to the page in the frame, and gives up on one that is not shown. Returns what ends that.
   * @param {URL} page
   * @param {HTMLIFrameElement} frame
   * @param {{ enter: (state: string) => void, close: () => void, giveUp: () => void }} todo
   */
  function listen(page, frame, { enter, close, giveUp }) {
    let isShown = false;
    let timer = setTimeout(giveUp, LOADING_MS);
    /** @param {MessageEvent<{ type?: string, state?: string, url?: string } | null>} event */
    const hear = ({ source, origin, data }) => {
      const { contentWindow } = frame;
      if (!contentWindow || source !== contentWindow || origin !== page.origin) return;
      const { type, state = '', url = '' } = data || {};
      if (type === 'checkout.close') close();
      if (type === 'checkout.leave' && /^https?:/.test(url)) location.assign(url);
      if (type !== 'checkout.state' && type !== 'checkout.shown') return;
      isShown = true;
      clearTimeout(timer);
      // A message, such as that of a maintenance, after which the page comes by itself.
      if (type === 'checkout.shown') return;
      contentWindow.postMessage({ type: 'checkout.embedded' }, page.origin);
      enter(state);
    };
    frame.addEventListener('load', () => {
      clearTimeout(timer);
      if (!isShown) timer = setTimeout(giveUp, SILENCE_MS);
    });
    addEventListener('message', hear);
    return () => {
      clearTimeout(timer);
      removeEventListener('message', hear);
    };
  }

  /**
   * Opens the payment at `url` in a modal. The focus returns to `opener`, on which the events are dispatched.
   * @param {string} url
   * @param {Listeners} [listeners]
   * @param {Element | null} [opener]
   */
  function open(url, { onState, onSettled, onClosed } = {}, opener = document.activeElement) {
    const page = new URL(url, location.href);
    if (!own.includes(page.origin))
      throw new TypeError(
        `PaymentCheckout: ${page.href} is no checkout_url of ${own[0]}, and is not opened in a frame.`,
      );
    if (!('HTMLDialogElement' in window)) {
      location.assign(page.href);
      return { close() {} };
    }
    closeOpen();
    const { dialog, button, frame } = addModal(page);
    const root = document.documentElement.style;
    const { overflow } = root;
    let isOpen = true;
    let state = '';

    /** @type {(kind: string, listener?: Listener) => void} */
    const report = (kind, listener) => {
      const detail = { state, url: page.href };
      const target = opener && opener.isConnected ? opener : document;
      target.dispatchEvent(new CustomEvent(`checkout:${kind}`, { bubbles: true, detail }));
      if (listener) listener(detail);
    };
    const remove = () => {
      isOpen = false;
      stop();
      dialog.remove();
      root.overflow = overflow;
      if (opener instanceof HTMLElement) opener.focus();
    };
    const close = () => {
      if (!isOpen) return;
      remove();
      report('closed', onClosed);
    };
    const stop = listen(page, frame, {
      enter(entered) {
        if (entered === state) return;
        state = entered;
        report('state', onState);
        if (state === 'settled') report('settled', onSettled);
      },
      close,
      giveUp() {
        remove();
        location.assign(page.href);
      },
    });
    dialog.addEventListener('close', close);
    button.addEventListener('click', close);
    closeOpen = close;
    root.overflow = 'hidden';
    dialog.showModal();
    button.focus();
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
      dialog.animate([{ opacity: 0 }, { opacity: 1 }], 150);
    return { close };
  }

  document.addEventListener('click', (event) => {
    const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
    const [target] = event.composedPath();
    const opener = target instanceof Element ? target.closest('[data-checkout]') : null;
    if (!opener || defaultPrevented || button || ctrlKey || metaKey || shiftKey || altKey) return;
    const url = opener.getAttribute('data-checkout') || opener.getAttribute('href');
    if (!url) return;
    open(url, {}, opener);
    // Behind it: where that has failed the link leads to the page.
    event.preventDefault();
  });

  Object.assign(window, { PaymentCheckout: { open } });
})();
