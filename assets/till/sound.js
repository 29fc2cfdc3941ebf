/** Two notes when a sale is paid. Browsers let a page sound once somebody has touched it. */
/** @type {AudioContext | null} */
let audio = null;
const NOTES_HZ = [784, 1175];
const NOTE_SECONDS = 0.18;

/** Called for each touch: what was made without one is silent. */
function allowSound() {
  if (!('AudioContext' in window)) return;
  audio ??= new AudioContext();
  if (audio.state === 'suspended') void audio.resume().catch(() => undefined);
}

function chime() {
  if (audio === null || audio.state !== 'running') return;
  for (const [place, hertz] of NOTES_HZ.entries()) {
    const begin = audio.currentTime + place * NOTE_SECONDS;
    const [note, volume] = [audio.createOscillator(), audio.createGain()];
    note.frequency.value = hertz;
    volume.gain.setValueAtTime(0.4, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 2 * NOTE_SECONDS);
    note.connect(volume).connect(audio.destination);
    note.start(begin);
    note.stop(begin + 2 * NOTE_SECONDS);
  }
}

/** Whether each sale was paid when it was shown last. */
/** @type {Map<string, boolean>} */
const known = new Map();

/** Sounds for what was seen unpaid and is paid now, on whichever page. */
function hearPaid() {
  for (const shown of document.querySelectorAll('[data-sale]')) {
    if (!(shown instanceof HTMLElement)) continue;
    const { sale = '', paid } = shown.dataset;
    const isPaid = paid === 'true';
    if (isPaid && known.get(sale) === false) {
      chime();
      announce(textOf('paid').replace('{number}', sale));
    }
    known.set(sale, isPaid);
  }
}

document.addEventListener('pointerdown', allowSound);
document.addEventListener('keydown', allowSound);
