import { document } from './document.ts';
import { html } from './html.ts';
import type { Language } from '../../languages/languages.ts';

/** Why there is no payment to be seen, and the seconds after which it is tried again. */
const MESSAGES = {
  missing: { title: 'missingTitle', text: 'missingText', refreshSeconds: null },
  error: { title: 'errorTitle', text: 'errorText', refreshSeconds: 5 },
  limited: { title: 'limitedTitle', text: 'limitedText', refreshSeconds: 60 },
  badForm: { title: 'badFormTitle', text: 'badFormText', refreshSeconds: null },
  badChoice: { title: 'badChoiceTitle', text: 'badChoiceText', refreshSeconds: null },
  refundClosed: { title: 'refundClosedTitle', text: 'refundClosedText', refreshSeconds: null },
  closed: { title: 'closedTitle', text: 'closedText', refreshSeconds: null },
  badPlay: { title: 'simulatorBadTitle', text: 'simulatorBadText', refreshSeconds: null },
  playOver: { title: 'simulatorOverTitle', text: 'simulatorOverText', refreshSeconds: null },
  playHeld: { title: 'simulatorHeldTitle', text: 'simulatorHeldText', refreshSeconds: null },
} as const;
export type Message = keyof typeof MESSAGES;

/** A page that says something instead of showing a payment; `backTo`: the path of the payment's page, where there is one. */
export function messagePage(message: Message, language: Language, backTo: string | null = null): string {
  const { title, text, refreshSeconds } = MESSAGES[message];
  const { page: texts } = language;
  const link =
    backTo === null ? null : html`<p><a class="button" href="${backTo}">${texts.toPayment}</a></p>`;
  return document({
    language,
    title: texts[title],
    main: html`<main>
      <div class="card step">
        <h1>${texts[title]}</h1>
        <p>${texts[text]}</p>
        ${link}
      </div>
    </main>`,
    // What answers a form is not there to be loaded again.
    refreshSeconds: backTo === null ? refreshSeconds : null,
    live: null,
  });
}
