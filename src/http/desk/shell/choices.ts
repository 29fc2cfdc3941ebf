import { Html, html } from '../../../platform/pages/html.ts';

/** Text of several lines. */
export function textArea({
  name,
  label,
  value = '',
  hint = null,
  fault = null,
  rows = 3,
  maxLength,
  isOptional,
}: {
  name: string;
  label: string;
  value?: string;
  hint?: string | null;
  fault?: string | null;
  rows?: number;
  maxLength?: number;
  isOptional?: true;
}): Html {
  const described = [
    ...(hint === null ? [] : [`${name}-hint`]),
    ...(fault === null ? [] : [`${name}-fault`]),
  ];
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <textarea
      id="${name}"
      name="${name}"
      rows="${rows}"
      dir="auto"
      autocomplete="off"
      ${maxLength === undefined ? null : html`maxlength="${maxLength}"`}
      ${isOptional === true ? null : html`required`}
      ${described.length === 0 ? null : html`aria-describedby="${described.join(' ')}"`}
      ${fault === null ? null : html`aria-invalid="true"`}
    >
${withBlanks(value)}</textarea>
    ${hint === null ? null : html`<span class="small" id="${name}-hint">${hint}</span>`}
    ${fault === null ? null : html`<span class="fault" id="${name}-fault">${fault}</span>`}
  </p>`;
}

/** A choice of any number: each is a field of its own, which is there when it is chosen. */
export function checkboxes(
  { legend, hint, fault = null }: { legend: string; hint: string; fault?: string | null },
  options: readonly { name: string; label: string; isChecked: boolean }[],
): Html {
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    <p class="small">${hint}</p>
    ${fault === null ? null : html`<p class="fault">${fault}</p>`}
    ${options.map(({ name, label, isChecked }) => {
      const checked = isChecked ? html`checked` : null;
      return html`<label class="choice"
        ><input type="checkbox" name="${name}" value="on" ${checked} /> ${label}</label
      >`;
    })}
  </fieldset>`;
}

/** Names and values below each other; what has no value is left out. */
export function pairs(facts: readonly (readonly [name: string, value: Html | null])[]): Html {
  const given = facts.filter((fact): fact is readonly [string, Html] => fact[1] !== null);
  return html`<dl class="pairs">
    ${given.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Text as it is, line by line, which scrolls by itself. */
export function codeBlock(label: string, text: string): Html {
  return html`<pre class="code" tabindex="0" role="region" aria-label="${label}">${withBlanks(text)}</pre>`;
}

/**
 * A document drops blanks and lines behind the ends of its own lines: here they are the text's. A form ends
 * each with two characters.
 */
const withBlanks = (text: string): Html => new Html(html`${text}`.markup.replaceAll(/\r\n?|\n/g, '&#10;'));

/** What a page can show instead, and which of it is shown. */
export function choiceLinks(
  name: string,
  links: readonly { readonly to: string; readonly text: string; readonly isShown: boolean }[],
): Html {
  return html`<nav class="ranges" aria-label="${name}">
    ${links.map(({ to, text, isShown }) => {
      const current = isShown ? html`aria-current="page"` : null;
      return html`<a class="button" href="${to}" ${current}>${text}</a> `;
    })}
  </nav>`;
}
