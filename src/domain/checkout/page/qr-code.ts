import { encode } from 'uqr';
import { html, type Html } from './html.ts';

/** Light modules around the code, without which scanners miss it (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * A QR code of `text` as an inline image named `label`. One path: a rectangle for each run of dark modules in
 * a row.
 */
export function qrCode(text: string, label: Html): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const path = data.flatMap((row, y) =>
    runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return html`<svg
    class="qr"
    role="img"
    aria-labelledby="qr-title"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <title id="qr-title">${label}</title>
    <path fill="#fff" d="M0 0h${size}v${size}H0z" />
    <path fill="#000" d="${path.join('')}" />
  </svg>`;
}

/** Where runs of dark modules begin, and how long they are. */
function runsOf(row: readonly boolean[]): [begin: number, length: number][] {
  const runs: [number, number][] = [];
  row.forEach((isDark, x) => {
    const last = runs.at(-1);
    if (isDark && last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else if (isDark) runs.push([x, 1]);
  });
  return runs;
}
