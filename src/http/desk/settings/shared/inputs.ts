import { html, type Html } from '../../../../platform/pages/html.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly text: string;
  /** What it means, in figures. */
  readonly example: string;
}

/** One of several choices, each said in words and with an example. */
export function radios(
  { name, legend, value, isOff }: { name: string; legend: string; value: string; isOff: boolean },
  choices: readonly Choice[],
  more: Html | null = null,
): Html {
  return html`<fieldset class="choices" ${isOff ? html`disabled` : null}>
    <legend>${legend}</legend>
    ${choices.map((choice) => {
      const id = `${name}-${choice.value}`;
      return html`<div class="choice">
        <input
          type="radio"
          id="${id}"
          name="${name}"
          value="${choice.value}"
          aria-describedby="${id}-text"
          ${choice.value === value ? html`checked` : null}
        />
        <label for="${id}">${choice.label}</label>
        <div id="${id}-text" class="small">
          <p>${choice.text}</p>
          <p class="example">${choice.example}</p>
        </div>
      </div>`;
    })}
    ${more}
  </fieldset>`;
}

/** A box that is on or off; `label` is read out, and stands beside it unless it is unseen. */
export function checkbox({
  name,
  label,
  isOn,
  isOff = false,
  isSeen = true,
}: {
  name: string;
  label: string;
  isOn: boolean;
  isOff?: boolean;
  isSeen?: boolean;
}): Html {
  const box = html`<input
    type="checkbox"
    id="${name}"
    name="${name}"
    value="on"
    ${isOn ? html`checked` : null}
    ${isOff ? html`disabled` : null}
  />`;
  return html`<span class="check"
    >${box}<label for="${name}"><span class="${isSeen ? '' : 'unseen'}">${label}</span></label></span
  >`;
}
