import { encode } from 'uqr';
import { html, type Html } from '../../../platform/pages/html.ts';
import { bitmap } from './bitmap.ts';

/**
 * A screen has no stains: the least correction makes the largest modules, and the fewest bytes.
 */
const CORRECTION = 'L';

/** Light modules around the code, without which scanners miss it (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Least side in pixels, for cameras; each module has a whole number of them, so that none is blurred. */
const LEAST_SIDE = 280;

/**
 * A QR code of `text` as an inline image named `label`, of the classes `kind`, with a unique `id`. A pixel a
 * module: a path of strokes takes twice the bytes. It is there at once when the script replaces it.
 */
export function qrCode(text: string, label: string, { id, kind }: { id: string; kind: string }): Html {
  const { data, size } = encode(text, { ecc: CORRECTION, border: QUIET_ZONE });
  const side = Math.ceil(LEAST_SIDE / size) * size;
  return html`<img
    class="${kind}"
    id="${id}"
    alt="${label}"
    width="${side}"
    height="${side}"
    decoding="sync"
    src="${bitmap(data)}"
  />`;
}
