import { html, type Html } from '../../../platform/pages/html.ts';

/**
 * A form that posts to `path`. The script shows its answer in place, first of all in the component with the
 * id `here`; without a script the answer is a page. `isStep`: its fields stand below each other.
 */
export function formTo(path: string, here: string, fields: Html, isStep = true): Html {
  const step = isStep ? html` class="step"` : null;
  return html`<form method="post" action="${path}" data-here="${here}" ${step}>${fields}</form>`;
}

/**
 * A button that only a script can serve: it copies what is shown in the element with the id `of`, or what the
 * code that is shown holds.
 */
export function copyButton(of: string, label: string): Html {
  return html`<button type="button" class="tiny" id="copy-${of}" data-script data-copy="${of}" hidden>
    ${label}
  </button>`;
}
