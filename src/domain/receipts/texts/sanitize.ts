/** Marks that change the direction of the text around them. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** What nobody sees, in a name that people know. Not the joiners: words and emoji need them. */
const INVISIBLE = /[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufff9-\ufffb]/g;

/**
 * A merchant's text for a header or a line of a mail: on one line, without control characters (a line break
 * would begin another header, or a line that looks like ours), without direction marks and what is
 * invisible, and at most `length` characters.
 */
export function sanitize(text: string, length: number): string {
  const line = text
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/[\p{Cc}\p{Z}\ufeff]+/gu, ' ')
    .trim();
  // Code points, not UTF-16 units: half of a surrogate pair is no text.
  const characters = [...line];
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}

/** What mail programs make links of: a dot before a letter, a scheme, an address of mail. */
const LINKS = /[.\u3002\uff0e\uff61](?=[^\s\d])|[:@](?=\S)/g;

/** Text that no mail program makes a link of: whoever has a test key can write it to anybody. */
export function unlinked(text: string): string {
  return text.replaceAll(LINKS, '$& ');
}
