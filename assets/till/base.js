/**
 * A till's script: these files in a row, as one. The till works without it: forms post, and the page of a sale
 * reloads itself. With it the document stays while its pages change, so that a line that drops takes nothing
 * off the screen, and the browser lets it make a sound.
 */

/** @param {string} id */
const byId = (id) => document.getElementById(id);
/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');
/** @param {'down' | 'sending' | 'undone' | 'unsure' | 'back' | 'paid' | 'giveUp' | 'gaveUp'} name */
const textOf = (name) => document.body.dataset[`line${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`] ?? '';

/** As long as a screen reader may need to come to a text. */
const HEARD_MS = 5000;

/** Screen readers announce the text. @param {string} text */
function announce(text) {
  const line = document.createElement('p');
  line.textContent = text;
  byId('heard')?.append(line);
  setTimeout(() => line.remove(), HEARD_MS);
}

/** In the clock of the counter. @param {Date} at */
const clockOf = (at) => at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** Times of the server are in UTC: shown in the zone of the counter. */
function localise() {
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    time.textContent = isToday ? clockOf(at) : `${at.toLocaleDateString()} ${clockOf(at)}`;
  }
}
