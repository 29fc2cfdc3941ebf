export type Scheme = 'light' | 'dark';

/**
 * What the accent colour stands on, from assets/checkout/base.css: `--page`, `--card`, `--well` and `--calm`.
 * A test holds them to the style sheet.
 */
export const SURFACES: Readonly<Record<Scheme, readonly string[]>> = {
  light: ['#f1f3f7', '#ffffff', '#f6f8fb', '#edf3fd'],
  dark: ['#0d1015', '#171c23', '#1e242d', '#15263f'],
};

/** WCAG 2.2, 1.4.3: text of any size. The ring and the bar would need 3. */
export const MIN_CONTRAST = 4.5;

const BLACK = '#000000';
const WHITE = '#ffffff';

/** Steps in which a colour is mixed: finer ones could not be seen. */
const STEPS = 100;

/**
 * The colour `#rrggbb` as each scheme can use it for text, the focus ring and the bar: mixed with black on
 * light surfaces, and with white on dark ones, by no more than it takes until its contrast to each of them is
 * `MIN_CONTRAST`. One that has it stays.
 */
export function accentOf(color: string): Readonly<Record<Scheme, string>> {
  return { light: readable(color, 'light', BLACK), dark: readable(color, 'dark', WHITE) };
}

function readable(color: string, scheme: Scheme, towards: string): string {
  const isReadable = (candidate: string) =>
    SURFACES[scheme].every((surface) => contrast(candidate, surface) >= MIN_CONTRAST);
  let candidate = color.toLowerCase();
  for (let step = 1; step <= STEPS && !isReadable(candidate); step += 1)
    candidate = mixed(color, towards, step / STEPS);
  return candidate;
}

/** Black or white, whichever can be read on a colour: one of them has a contrast of at least 4.58 to any. */
export function textOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
}

/** The contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mixed(color: string, other: string, share: number): string {
  const others = channels(other);
  const values = channels(color).map((value, index) =>
    Math.round(value + ((others[index] ?? 0) - value) * share),
  );
  return `#${values.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
