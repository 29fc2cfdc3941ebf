import { fill, html, isolated, latin, type Html } from '../../../platform/pages/html.ts';
import { formTo } from '../markup/forms.ts';
import { qrCode } from '../markup/qr-code.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { State, View } from '../view/view.ts';

/** What the network says of a transaction that the customer named, as far as it matters to them. */
export type LookupResult =
  | 'bad'
  | 'unknown'
  | 'elsewhere'
  | 'dropped'
  | 'seen'
  | 'counted'
  | 'unseen'
  | 'unable';

/** What was looked up, and what was found. */
export interface Found {
  readonly input: string;
  readonly result: LookupResult;
}

const TEXTS = {
  bad: 'findBad',
  unknown: 'findUnknown',
  elsewhere: 'findElsewhere',
  dropped: 'findDropped',
  seen: 'findSeen',
  counted: 'findCounted',
  unseen: 'findUnseen',
  unable: 'findUnable',
} as const satisfies Record<LookupResult, keyof PageTexts>;

/** The states in which a customer may have sent money that the page does not show. */
const MAY_MISS_MONEY: readonly State[] = [
  'waiting',
  'sent',
  'underpaid',
  'expired',
  'expiredPartly',
  'cancelled',
  'replaced',
];

/** Longest part of an input that the form shows again. */
const MAX_SHOWN = 200;

/** Paths of the forms, and what the last of them was answered with. */
interface HelpForms {
  /** Of looking a transaction up. */
  readonly path: string;
  readonly found: Found | null;
  /** Where a mail address for the receipt is posted; null: none is asked for. */
  readonly receiptPath: string | null;
  /** Input for the mail address that is none. */
  readonly mail: string | null;
  readonly pageUrl: string | null;
}

/**
 * Help for who has paid, and for who wants to pay with another device; for who has paid without an address of
 * mail, the receipt. Null: nobody needs it.
 */
export function helpComponent(view: View, texts: PageTexts, forms: HelpForms): Html | null {
  const { path, pageUrl, found, receiptPath, mail } = forms;
  if (receiptPath !== null) return mailForm(view, texts, receiptPath, mail);
  const canLookUp = found !== null || MAY_MISS_MONEY.includes(view.state);
  if (!canLookUp) return null;
  return html`${lookUp(view, texts, path, found)}
  ${view.toSend === null || pageUrl === null ? null : phone(pageUrl, texts)}`;
}

function lookUp({ payment, nameOf }: View, texts: PageTexts, path: string, found: Found | null): Html {
  const network = latin(nameOf(payment.network));
  const isBad = found?.result === 'bad';
  const marks = html`aria-describedby="found" value="${(found?.input ?? '').slice(0, MAX_SHOWN)}"`;
  const result =
    found === null
      ? null
      : html`<p id="found" data-heard class="${isBad ? 'fault' : 'answer'}">
          ${fill(texts[TEXTS[found.result]], { network })}
        </p>`;
  return html`<details id="find" ${found === null ? null : html`open`}>
    <summary>${texts.findTitle}</summary>
    ${formTo(
      path,
      'help',
      html`<p class="small">${texts.waitingText}</p>
        <label for="tx">${texts.findLabel}</label>
        <input
          id="tx"
          name="tx"
          dir="ltr"
          required
          maxlength="300"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          ${found === null ? null : marks}
          ${isBad ? html`aria-invalid="true"` : null}
        />
        ${result}
        <button>${texts.findButton}</button>`,
    )}
  </details>`;
}

/** Asks where a receipt goes that the shop gave no address for. */
function mailForm({ appearance }: View, texts: PageTexts, path: string, mail: string | null): Html {
  const fault = html`<p class="fault" id="mail-fault">${texts.mailBad}</p>`;
  const marks = html`aria-invalid="true" aria-describedby="mail-fault" autofocus`;
  return formTo(
    path,
    'help',
    html`<label for="mail">${texts.mailLabel}</label>
      ${mail === null ? null : fault}
      <input
        id="mail"
        name="mail"
        type="email"
        dir="ltr"
        required
        maxlength="254"
        autocomplete="email"
        value="${(mail ?? '').slice(0, MAX_SHOWN)}"
        ${mail === null ? null : marks}
      />
      <p class="small">${fill(texts.mailHint, { merchant: isolated(appearance.name) })}</p>
      <button data-done="${texts.mailDone}">${texts.mailButton}</button>`,
  );
}

/** The page's own address as a code: the camera of a phone opens it. */
function phone(pageUrl: string, texts: PageTexts): Html {
  return html`<details id="phone">
    <summary>${texts.phoneTitle}</summary>
    <p class="small">${texts.phoneText}</p>
    ${qrCode(pageUrl, texts.phoneTitle, { id: 'code-page', kind: 'self' })}
  </details>`;
}
