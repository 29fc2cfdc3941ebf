import { encode } from 'uqr';
import { html, type Html } from '../../../platform/pages/html.ts';

/**
 * A screen has no stains: the least correction makes the largest modules, and the fewest bytes.
 */
const CORRECTION = 'L';

/** Light modules around the code, without which scanners miss it (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * A QR code of `text` as an inline image named `label`, of the classes
 * `kind`, in an element with a unique `id`. One path: a stroke
 * for each run of dark modules in a row, in relative steps, which compress to a third of absolute ones.
 */
export function qrCode(text: string, label: Html, { id, kind }: { id: string; kind: string }): Html {
  const { data, size } = encode(text, { ecc: CORRECTION, border: QUIET_ZONE });
  const path = data.map((row, y) => strokesOf(row, y)).join('');
  return html`<svg
    class="${kind}"
    id="${id}"
    role="img"
    aria-labelledby="${id}-title"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <title id="${id}-title">${label}</title>
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path stroke="#000" d="${path}" />
  </svg>`;
}

/** The runs of dark modules in row `y`: each begins where the one before ends. */
function strokesOf(row: readonly boolean[], y: number): string {
  let strokes = '';
  let end = 0;
  row.forEach((isDark, x) => {
    if (!isDark || row[x - 1] === true) return;
    const light = row.indexOf(false, x);
    const length = (light === -1 ? row.length : light) - x;
    strokes += strokes === '' ? `M${x} ${y}.5h${length}` : `m${x - end} 0h${length}`;
    end = x + length;
  });
  return strokes;
}
