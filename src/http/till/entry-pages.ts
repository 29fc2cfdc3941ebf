import type { PairedTill } from '../../domain/tills/opening.ts';
import { fill, html, isolated } from '../../platform/pages/html.ts';
import { button, form } from '../desk/shell/fields.ts';
import type { TillPage } from './document.ts';
import { EN } from './texts.ts';

/** Of a device that is no till, or not any more: nobody learns which. */
export function nonePage(): TillPage {
  const { title, text, revoked } = EN.none;
  return {
    title,
    status: 403,
    main: html`<div class="sheet">
      <p>${text}</p>
      <p>${revoked}</p>
    </div>`,
  };
}

/** A link is used by its form: programs that look at links before people do use none up. */
export function pairPage(till: PairedTill, path: string): TillPage {
  const { title, text, submit } = EN.pair;
  const said = fill(text, { till: isolated(till.name), shop: isolated(till.merchant_name) });
  return {
    title,
    main: html`<div class="sheet">
      <p>${said}</p>
      ${form(path, button(submit))}
    </div>`,
  };
}

/** A link that does not work: whichever it was, and whether it ever did. */
export function gonePage(): TillPage {
  const { goneTitle: title, goneText } = EN.pair;
  return { title, status: 404, main: html`<div class="sheet"><p>${goneText}</p></div>` };
}

/** Asks for the PIN; `fault`: why the last one was refused. */
export function pinPage(fault: 'refused' | 'limited' | null): TillPage {
  const { title, label, submit } = EN.pin;
  const field = html`<p class="field">
    <label for="pin">${label}</label>
    <input
      id="pin"
      name="pin"
      type="password"
      inputmode="numeric"
      autocomplete="off"
      maxlength="12"
      required
      ${fault === null ? null : html`aria-invalid="true" aria-describedby="fault"`}
    />
    ${fault === null ? null : html`<span class="fault" id="fault" role="alert">${EN.pin[fault]}</span>`}
  </p>`;
  return {
    title,
    status: fault === null ? 200 : 400,
    main: html`<div class="sheet narrow">${form('/till/open', html`${field} ${button(submit)}`)}</div>`,
  };
}
