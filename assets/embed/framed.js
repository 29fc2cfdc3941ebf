// In a frame of a shop's page: the shop's script hears the state, and its page is the one that leaves.

/** A page that no shop may embed is never in a frame: browsers refuse it. */
const isFramed = window.parent !== window;
const { embed = '' } = shown;
/** The state that the shop's page knows. */
let sentState = '';
/** A frame may not lead the page around it elsewhere without a click: checkout.js does, where it is there. */
let canLeave = !isFramed;

addEventListener('message', ({ source, origin, data }) => {
  const { type } = /** @type {{ type?: string }} */ (data ?? {});
  if (source === window.parent && embed.split(' ').includes(origin) && type === 'checkout.embedded')
    canLeave = true;
});

/** The browser delivers a message to pages of the origin that it names, and to no others.
 * @param {{ type: string, state?: string, isLive?: boolean, url?: string }} message */
function sendToShop(message) {
  // Browsers that name the origin of the page around need no attempts.
  const [around] = 'ancestorOrigins' in location ? location.ancestorOrigins : [];
  for (const origin of embed.split(' '))
    if (isFramed && origin && (!around || origin === around)) window.parent.postMessage(message, origin);
}

/** After each change of the page: a new state is sent once. */
function followInFrame() {
  if (!isFramed) return;
  const [state = ''] = (shown.state ?? '').split(' ');
  if (state === sentState) return;
  sentState = state;
  sendToShop({ type: 'checkout.state', state, isLive: shown.live === 'true' });
}

/** @param {string} url */
function leaveTo(url) {
  if (isFramed) sendToShop({ type: 'checkout.leave', url });
  else location.assign(url);
}

// The key goes to the page that has the focus, so the modal around would not hear it.
document.addEventListener('keydown', ({ key, isComposing, defaultPrevented }) => {
  if (key === 'Escape' && !isComposing && !defaultPrevented) sendToShop({ type: 'checkout.close' });
});
