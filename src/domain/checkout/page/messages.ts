import { document } from './document.ts';
import { ICON } from '../markup/icons.ts';
import { html } from '../../../platform/pages/html.ts';
import { testBand } from '../components/summary.ts';
import type { Language } from '../../languages/languages.ts';

/** Messages instead of a payment, their tone, and the seconds until the page tries again; null: never. */
const MESSAGES = {
  missing: { title: 'missingTitle', text: 'missingText', tone: 'bad', refreshSeconds: null },
  nowhere: { title: 'missingTitle', text: 'nowhereText', tone: 'bad', refreshSeconds: null },
  error: { title: 'errorTitle', text: 'errorText', tone: 'care', refreshSeconds: 5 },
  maintenance: { title: 'maintenanceTitle', text: 'maintenanceText', tone: 'care', refreshSeconds: 60 },
  limited: { title: 'limitedTitle', text: 'limitedText', tone: 'care', refreshSeconds: 60 },
  badForm: { title: 'badFormTitle', text: 'badFormText', tone: 'bad', refreshSeconds: null },
  tooLong: { title: 'tooLongTitle', text: 'tooLongText', tone: 'bad', refreshSeconds: null },
  badMethod: { title: 'badMethodTitle', text: 'badMethodText', tone: 'bad', refreshSeconds: null },
  refundClosed: { title: 'refundClosedTitle', text: 'refundClosedText', tone: 'care', refreshSeconds: null },
  mailClosed: { title: 'mailClosedTitle', text: 'mailClosedText', tone: 'care', refreshSeconds: null },
  closed: { title: 'closedTitle', text: 'closedText', tone: 'care', refreshSeconds: null },
  badAction: { title: 'simulatorBadTitle', text: 'simulatorBadText', tone: 'bad', refreshSeconds: null },
  actionOver: { title: 'simulatorOverTitle', text: 'simulatorOverText', tone: 'care', refreshSeconds: null },
  clockBusy: { title: 'simulatorBusyTitle', text: 'simulatorBusyText', tone: 'care', refreshSeconds: null },
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
  const { title, text, tone, refreshSeconds } = MESSAGES[message];
  const { page: texts } = language;
  const link =
    about === null
      ? null
      : html`<a class="button main" href="${about.path}${about.query}">${texts.toPayment}</a>`;
  return document({
    language,
    title: texts[title],
    main: html`<main>
      ${about?.isTest === true ? testBand(language) : null}
      <div class="sheet message">
        <img src="${ICON.path}" width="40" height="40" alt="" />
        <div class="status ${tone}">
          <h1>${texts[title]}</h1>
          <p>${texts[text]}</p>
        </div>
        ${link}
      </div>
    </main>`,
    // A form's response must not be requested again.
    refreshSeconds: about === null ? refreshSeconds : null,
    ...(about === null ? {} : { languagesAt: about.path }),
    live: null,
  });
}
