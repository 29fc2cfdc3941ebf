import { html, type Html } from '../../../platform/pages/html.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly autocomplete?: string;
  readonly value?: string;
  readonly hint?: string;
  /** What is wrong with what was entered; null: nothing. */
  readonly fault?: string | null;
  readonly isNumeric?: true;
  readonly isOptional?: true;
}

/** A field with its label, its hint and what is wrong with it. */
export function field({ name, label, type = 'text', autocomplete = 'off', ...more }: Field): Html {
  const { value = '', hint = null, fault = null, isNumeric, isOptional } = more;
  const [hintId, faultId] = [`${name}-hint`, `${name}-fault`];
  const described = [...(hint === null ? [] : [hintId]), ...(fault === null ? [] : [faultId])].join(' ');
  const describedBy = described === '' ? null : html`aria-describedby="${described}"`;
  const invalid = fault === null ? null : html`aria-invalid="true"`;
  const required = isOptional === true ? null : html`required`;
  const numeric = isNumeric === true ? html`inputmode="numeric"` : null;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${type === 'password' ? '' : value}"
      autocomplete="${autocomplete}"
      ${required}
      ${numeric}
      ${describedBy}
      ${invalid}
    />
    ${hint === null ? null : html`<span class="small" id="${hintId}">${hint}</span>`}
    ${fault === null ? null : html`<span class="fault" id="${faultId}">${fault}</span>`}
  </p>`;
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** A form that posts to `path`. */
export function form(path: string, fields: Html, kind = 'step'): Html {
  return html`<form method="post" action="${path}" class="${kind}">${fields}</form>`;
}

/** `name`: what a screen reader reads where the same button stands in each row. */
export function button(label: string, { kind = 'main', name }: { kind?: string; name?: string } = {}): Html {
  const named = name === undefined ? null : html`aria-label="${name}"`;
  return html`<button class="${kind}" ${named}>${label}</button>`;
}

/** A choice of one. */
export function select(
  { name, label, value, isSeen = true }: { name: string; label: string; value: string; isSeen?: boolean },
  options: readonly (readonly [value: string, label: string])[],
  id = name,
): Html {
  const kind = isSeen ? 'field' : 'field bare';
  return html`<p class="${kind}">
    <label for="${id}" class="${isSeen ? '' : 'unseen'}">${label}</label>
    <select id="${id}" name="${name}">
      ${options.map(([option, text]) =>
        option === value
          ? html`<option value="${option}" selected>${text}</option>`
          : html`<option value="${option}">${text}</option>`,
      )}
    </select>
  </p>`;
}

/** Read out at once: what went wrong, or what was done. */
export function alert(text: string | null): Html | null {
  return text === null ? null : html`<p class="alert" role="alert">${text}</p>`;
}

export function said(text: string | null): Html | null {
  return text === null ? null : html`<p class="said" role="status">${text}</p>`;
}

/** Links to pages, below each other. */
export function cardLinks(links: readonly (readonly [to: string, content: Html])[]): Html {
  return html`<ul class="shops">
    ${links.map(([to, content]) => html`<li><a class="card" href="${to}">${content}</a></li>`)}
  </ul>`;
}

/** A table, which scrolls by itself on a phone. */
export function table(label: string, heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="wide" role="region" tabindex="0" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, at) => html`<td data-head="${heads[at] ?? ''}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** In UTC, to the minute. */
export function time(at: Date): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
