import type { Assertion, Attestation } from '../../../domain/people/passkeys/verify.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { button, hidden } from './fields.ts';
import type { Visit } from './route.ts';
import { deskScript } from './style.ts';

/** What fills the forms of passkeys: a page that has one names it among its scripts. */
export const PASSKEY_SCRIPT = deskScript(['passkeys.js']);

const NEW = ['id', 'clientDataJSON', 'attestationObject'];
const USED = ['id', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];

interface PasskeyForm {
  readonly path: string;
  /** Of navigator.credentials, with bytes in base64url. */
  readonly options: object;
  readonly label: string;
  /** What is wrong with the last try; null: nothing. */
  readonly fault: string | null;
  readonly fields?: Html;
  /** The browser asks without a click. */
  readonly isAtOnce?: boolean;
}

/** A form that a passkey fills; hidden where no script runs. */
export function passkeyForm({ texts }: Pick<Visit, 'texts'>, asked: PasskeyForm): Html {
  const { path, options, label, fault, fields = null, isAtOnce = false } = asked;
  const names = 'user' in options ? NEW : USED;
  const begins = isAtOnce ? html`data-begins="at once"` : null;
  return html`<form
    method="post"
    action="${path}"
    class="step narrow"
    data-passkey="${JSON.stringify(options)}"
    data-failed="${texts.passkeys.failed}"
    ${begins}
    hidden
  >
    ${fields} ${names.map((name) => hidden(name, ''))} ${button(label)}
    <p class="fault" role="alert">${fault}</p>
  </form>`;
}

/** What the form of a new passkey sends. */
export function attestationOf({ field }: Pick<Visit, 'field'>): Attestation {
  return {
    id: field('id'),
    clientDataJSON: field('clientDataJSON'),
    attestationObject: field('attestationObject'),
  };
}

/** What the form sends for which a passkey was used. */
export function assertionOf({ field }: Pick<Visit, 'field'>): Assertion {
  return {
    id: field('id'),
    clientDataJSON: field('clientDataJSON'),
    authenticatorData: field('authenticatorData'),
    signature: field('signature'),
    userHandle: field('userHandle'),
  };
}
