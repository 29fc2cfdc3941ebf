import { CURRENCY_IDS } from '../../../domain/chain/currencies.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { textArea } from '../shell/choices.ts';
import { button, field, form, select } from '../shell/fields.ts';
import type { AtMerchant } from '../shell/route.ts';

/** A link has five questions at most. */
export const ASK_PLACES = [0, 1, 2, 3, 4] as const;
const ASK_PARTS = ['label', 'key', 'length', 'required'] as const;
type AskName = `ask-${(typeof ASK_PLACES)[number]}-${(typeof ASK_PARTS)[number]}`;

const NAMES = [
  'title',
  'description',
  'prices',
  'currency',
  'min',
  'max',
  'stock',
  'max_uses',
  'ends',
  'minutes',
  'success',
  'thanks',
] as const;

/** What the form of a new link has, as it is typed. */
export type NewFields = Readonly<Record<(typeof NAMES)[number] | AskName, string>>;

/** Reads the form, of a post, or of none for an empty one. */
export function enteredBy(read: (name: string) => string): NewFields {
  const asks = ASK_PLACES.flatMap((place) => ASK_PARTS.map((part): AskName => `ask-${place}-${part}`));
  return Object.fromEntries([...NAMES, ...asks].map((name) => [name, read(name).trim()])) as NewFields;
}

interface Shown {
  readonly entered: NewFields;
  readonly coin: string;
}

/** All that a link can be created with by the API, as one form without a script. */
export function createForm(visit: AtMerchant, path: string, { entered, coin }: Shown): Html {
  const { links: texts } = visit.texts;
  const line = (name: Exclude<keyof NewFields, 'currency'>, label: string, hint?: string) =>
    field({ name, label, value: entered[name], isOptional: true, ...(hint === undefined ? {} : { hint }) });
  const currencies = [
    ['', `${texts.settlement} (${coin})`],
    ...CURRENCY_IDS.map((id) => [id, id] as const),
  ] as const;
  const [label, hint, value] = [texts.pricesIn, texts.pricesHint, entered.prices];
  const fields = html`${field({ name: 'title', label: texts.name, value: entered.title })}
    ${line('description', texts.description)}
    ${textArea({ name: 'prices', label, hint, value, isOptional: true })}
    ${select({ name: 'currency', label: texts.currency, value: entered.currency }, currencies)}
    <div class="filters">${line('min', texts.min, texts.openHint)} ${line('max', texts.max)}</div>
    <div class="filters">
      ${line('stock', texts.stock, texts.stockHint)} ${line('max_uses', texts.uses, texts.usesHint)}
    </div>
    <div class="filters">
      ${field({ name: 'ends', label: texts.ends, type: 'date', value: entered.ends, hint: texts.endsHint, isOptional: true })}
      ${line('minutes', texts.minutes, texts.minutesHint)}
    </div>
    ${asksForm(visit, entered)} ${line('success', texts.success, texts.successHint)}
    ${line('thanks', texts.thanks, texts.thanksHint)} ${button(texts.create)}`;
  return html`<section class="card">
    <h2>${texts.createTitle}</h2>
    ${form(path, fields)}
  </section>`;
}

/** Folded, as most links ask nothing; open where something was typed, so that a fault is seen. */
function asksForm({ texts: { links: texts } }: AtMerchant, entered: NewFields): Html {
  const isOpen = ASK_PLACES.some(
    (place) => entered[`ask-${place}-label`] + entered[`ask-${place}-key`] !== '',
  );
  const rows = ASK_PLACES.map((place) => {
    const of = (part: 'label' | 'key' | 'length') => {
      const name = `ask-${place}-${part}` as const;
      return { name, label: texts.ask[part], value: entered[name], isOptional: true } as const;
    };
    return html`<fieldset class="choices">
      <legend>${fillPlain(texts.askOne, { number: String(place + 1) })}</legend>
      ${field(of('label'))} ${field({ ...of('key'), hint: texts.askKeyHint })}
      ${field({ ...of('length'), hint: texts.askLengthHint, isNumeric: true })}
      ${box(`ask-${place}-required`, texts.ask.required, entered[`ask-${place}-required`] === 'on')}
    </fieldset>`;
  });
  return html`<details ${isOpen ? html`open` : null}>
    <summary class="button">${texts.asks}</summary>
    <div class="step">
      <p class="small">${texts.asksHint}</p>
      ${rows}
    </div>
  </details>`;
}

/** A choice of yes or no. */
export const box = (name: string, label: string, isOn: boolean): Html =>
  html`<p class="check">
    <input type="checkbox" id="${name}" name="${name}" value="on" ${isOn ? html`checked` : null} />
    <label for="${name}"><bdi>${label}</bdi></label>
  </p>`;
