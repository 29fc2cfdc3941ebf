/**
 * The checkout page's script: these files in a row, as one. The page works without it: forms post,
 * and the page reloads itself.
 *
 * The script learns that the payment has another version, and replaces the components that differ by those
 * that the server renders. The server stays the only one that renders a state, and what did not change keeps
 * its place and the focus.
 */
/** What the page shows: `version`, `live`, `state` and `code` change with it. */
const shown = document.body.dataset;
const { events: eventsPath = '', status: statusPath = '', page: pagePath = '', locale = 'en' } = shown;
const numbers = `${locale}-u-nu-latn`;

/** @param {string} id */
const byId = (id) => document.getElementById(id);
/** In details that are not open. @param {Element} element */
const isPutAway = (element) => element.closest('details:not([open])') !== null;
/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

/** As long as a screen reader may need to come to a text. */
const HEARD_MS = 5000;

/** Screen readers announce the text behind what they announce now, also when it is the one before.
 * @param {string} text */
function announce(text) {
  const line = document.createElement('p');
  line.textContent = text.replaceAll(/\s+/g, ' ').trim();
  byId('heard')?.append(line);
  setTimeout(() => line.remove(), HEARD_MS);
}

/** Shows what came of something that the customer did, until the next; '' hides it.
 * @param {string} text */
function notify(text) {
  const notice = byId('notice');
  if (!notice) return;
  notice.hidden = text === '';
  notice.textContent = text;
  if (text !== '') announce(text);
}
