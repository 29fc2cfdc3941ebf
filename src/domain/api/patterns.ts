/** Text that JSON and Postgres keep as it is: no NUL, no lone surrogate. */
export const TEXT_PATTERN = '^[^\\u0000\\p{Cs}]*$';
/**
 * A decimal string greater than zero: at most 18 digits before the point and 18 after it, no sign, no
 * exponent.
 */
export const AMOUNT_PATTERN = '^(?!0(\\.0+)?$)(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$';

/** A colour. */
export const COLOR_PATTERN = '^#[0-9A-Fa-f]{6}$';

/** A key of a payment's metadata that programs can name: it is none of those that are reserved. */
export const KEY_PATTERN = '^[a-z][a-z0-9_]{0,39}$';

/** What `encodeCursor` returns, and an id: base64url. */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$';

/**
 * A duration: a number and s, m, h or d. At most about three years, so that no sum exceeds a timestamp's
 * range.
 */
export const DURATION_PATTERN = '^([0-9]{1,8}s|[0-9]{1,6}m|[0-9]{1,4}h|[0-9]{1,3}d)$';

const WORDS = new Map([
  [CURSOR_PATTERN, 'the next_cursor of a page'],
  [KEY_PATTERN, 'a small letter, and at most 39 more, digits and "_" among them'],
  [COLOR_PATTERN, 'a colour as #rrggbb, such as "#0a56c7"'],
  [TEXT_PATTERN, 'Unicode text without NUL and without lone surrogates'],
  [DURATION_PATTERN, 'a whole number and s, m, h or d, such as "61m"'],
  [
    AMOUNT_PATTERN,
    'a decimal string greater than zero, such as "10.50": at most 18 digits before and after the point',
  ],
]);

/** What a pattern takes, as the end of "must be ..."; null: nobody has put it in words. */
export function wordsOf(pattern: string): string | null {
  const [, prefix] = /^\^([a-z]+)_\[[0-9A-Z-]+\]\{26\}\$$/.exec(pattern) ?? [];
  if (prefix !== undefined) return `an id: ${prefix}_ and 26 digits or capitals`;
  return WORDS.get(pattern) ?? null;
}
