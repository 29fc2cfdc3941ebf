import { html, Html } from '../../src/platform/pages/html.ts';

/** The id of a heading, from its text, as on GitHub: "Handle each event" is `handle-each-event`. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** A heading with a link to itself beside it, which readers copy. Nothing else on the page has the `id`. */
export function heading(level: 2 | 3 | 4, id: string, content: Html | string): Html {
  const element = new Html(`h${level}`);
  return html`<div class="heading">
    <${element} id="${id}">${content}</${element}>
    <a class="anchor" href="#${id}"><span class="unseen">Link to: ${content}</span
      ><span aria-hidden="true">#</span></a>
  </div>`;
}

/** A table that scrolls by itself where the window is narrower; the keyboard reaches it. */
export function table(head: readonly (Html | string)[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="wide" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Text in the typeface of code. */
export const code = (text: string): Html => html`<code>${text}</code>`;

/** Pieces in a row, with `between` between them. */
export function joined(pieces: readonly Html[], between: string): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`${between}${piece}`))}`;
}
