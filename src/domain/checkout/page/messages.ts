import { document } from './document.ts';
import { html } from '../../../platform/pages/html.ts';
import { testBand } from '../components/summary.ts';
import type { Language } from '../../languages/languages.ts';

/** Messages instead of a payment, and the seconds after which the page tries again; null: never. */
const MESSAGES = {
  missing: { title: 'missingTitle', text: 'missingText', refreshSeconds: null },
  error: { title: 'errorTitle', text: 'errorText', refreshSeconds: 5 },
  maintenance: { title: 'maintenanceTitle', text: 'maintenanceText', refreshSeconds: 60 },
  limited: { title: 'limitedTitle', text: 'limitedText', refreshSeconds: 60 },
  badForm: { title: 'badFormTitle', text: 'badFormText', refreshSeconds: null },
  badMethod: { title: 'badMethodTitle', text: 'badMethodText', refreshSeconds: null },
  refundClosed: { title: 'refundClosedTitle', text: 'refundClosedText', refreshSeconds: null },
  closed: { title: 'closedTitle', text: 'closedText', refreshSeconds: null },
  badAction: { title: 'simulatorBadTitle', text: 'simulatorBadText', refreshSeconds: null },
  actionOver: { title: 'simulatorOverTitle', text: 'simulatorOverText', refreshSeconds: null },
  clockBusy: { title: 'simulatorBusyTitle', text: 'simulatorBusyText', refreshSeconds: null },
} as const;
export type Message = keyof typeof MESSAGES;

/** The page of the payment that a message is about. */
export interface About {
  readonly path: string;
  /** The query that keeps its language. */
  readonly query: string;
  readonly isTest: boolean;
}

/** A page with a message instead of a payment; `about`: the payment, when there is one. */
export function messagePage(message: Message, language: Language, about: About | null = null): string {
  const { title, text, refreshSeconds } = MESSAGES[message];
  const { page: texts } = language;
  const link =
    about === null
      ? null
      : html`<p><a class="button" href="${about.path}${about.query}">${texts.toPayment}</a></p>`;
  return document({
    language,
    title: texts[title],
    main: html`<main>
      ${about?.isTest === true ? testBand(language) : null}
      <div class="card step">
        <h1>${texts[title]}</h1>
        <p>${texts[text]}</p>
        ${link}
      </div>
    </main>`,
    // A form's response must not be requested again.
    refreshSeconds: about === null ? refreshSeconds : null,
    ...(about === null ? {} : { languagesAt: about.path }),
    live: null,
  });
}
