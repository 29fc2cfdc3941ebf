import { encode, renderSVG } from 'uqr';
import { html, type Html } from '../../../platform/pages/html.ts';
import { bitmap, png } from './bitmap.ts';

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

/** Paper has stains: a sixth of the code may be missing. */
const ON_PAPER = { ecc: 'M', border: QUIET_ZONE } as const;

/** A QR code of `text` for paper and other sites, as an SVG. */
export const qrSvg = (text: string): string => renderSVG(text, ON_PAPER);

/** Pixels a module. */
const SCALE = 10;

/** The same as a PNG. */
export function qrPng(text: string): Buffer {
  const { data } = encode(text, ON_PAPER);
  const wide = data.map((row) => row.flatMap((isBlack) => Array.from({ length: SCALE }, () => isBlack)));
  return png(wide.flatMap((row) => Array.from({ length: SCALE }, () => row)));
}
