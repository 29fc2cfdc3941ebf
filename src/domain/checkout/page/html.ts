/** Markup that is safe to send as it is: only `html` makes it, and it escapes everything else. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = Html | string | number | null | readonly Html[];

/** Markup as it is written, with every value in it escaped, for the inside of an element or a quoted attribute; null is nothing. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: markup }, ...parts.map(markupOf)));
}

/** A place for a part, and the marks right behind it: all but a space, letters and digits. */
const PLACE = /\{(\w+)\}([^ {\p{L}\p{N}]*)/u;

/**
 * `text` with each `{name}` replaced by the part of that name, so that a translator may move them. A part and the marks behind it are one
 * element, which the page's style sheet holds together: behind a block within a line the next may begin, and would with the full stop.
 */
export function fill(text: string, parts: Readonly<Record<string, Part>>): Html {
  const pieces = text.split(PLACE);
  const filled = pieces.map((piece, index) => {
    if (index % 3 === 0) return escape(piece);
    return index % 3 === 1 ? keptTogether(parts[piece] ?? null, pieces[index + 1] ?? '').markup : '';
  });
  return new Html(filled.join(''));
}

function keptTogether(part: Part, marks: string): Html {
  return marks === '' ? html`${part}` : html`<span class="held">${part}${marks}</span>`;
}

/**
 * Text of strangers inside a sentence: its direction ends where it ends. The style sheet makes it a block of its own, because a
 * closing mark in the text could end a mere isolate.
 */
export function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Digits and codes, which read from left to right in every language. */
export function latin(text: string): Html {
  return html`<bdi dir="ltr">${text}</bdi>`;
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('');
  return escape(String(part));
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
