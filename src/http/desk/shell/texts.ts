import { ACCOUNT_TEXTS } from '../texts/account.ts';
import { EXPORTS } from '../texts/exports.ts';
import { HOME } from '../texts/home.ts';
import { LINKS } from '../texts/links.ts';
import { MAIL_TEXTS } from '../texts/mails.ts';
import { MESSAGES } from '../texts/messages.ts';
import { COMMANDS, PEOPLE } from '../texts/people.ts';
import { DEVELOPERS } from '../texts/developers.ts';
import { PAYMENTS } from '../texts/payments.ts';
import { SETTINGS } from '../texts/settings.ts';

/** Every text of the desk in English. Another language is another value of the same type. */
export const EN = {
  language: { id: 'en', direction: 'ltr' },
  desk: 'Dashboard',
  skip: 'Skip to the content',
  shops: 'Your shops',
  you: 'You',
  signOut: 'Sign out',
  test: 'TEST',
  testText: 'A test shop: no real money.',
  live: 'LIVE',
  tabs: {
    home: 'Home',
    payments: 'Payments',
    links: 'Links',
    tills: 'Tills',
    exports: 'Exports',
    developers: 'Developers',
    settings: 'Settings',
    people: 'People',
    audit: 'Audit log',
  },
  messages: MESSAGES,
  toPayments: 'Back to the payments',
  toDesk: 'Back to the dashboard',
  roles: { owner: 'Owner', developer: 'Developer', support: 'Support', 'read-only': 'Read-only' },
  ...ACCOUNT_TEXTS,
  home: HOME,
  people: PEOPLE,
  payments: PAYMENTS,
  exports: EXPORTS,
  developers: DEVELOPERS,
  links: LINKS,
  mails: MAIL_TEXTS,
  settings: SETTINGS,
  commands: COMMANDS,
  audit: {
    title: 'Audit log',
    at: 'Time',
    who: 'Who',
    what: 'What',
    details: 'Before and after',
    from: 'From',
    older: 'Older entries',
    none: 'Nothing has been written down yet.',
    command: 'operator',
  },
  /** What the API says in words for programs, by its codes. */
  faults: {
    webhooks_off: 'Events are not sent: set a URL at Endpoints, or resume one.',
    endpoint_off: 'The endpoint is switched off: switch it on again first, at Endpoints.',
    idempotency_conflict: 'This form was sent before. Look at the refunds of the payment.',
    rate_unavailable:
      'There is no rate now that can be trusted. Nothing was refunded: try again soon, or enter an amount in the coin.',
  },
  refused: {
    title: 'Your role does not allow this',
    text: 'Ask an owner of the shop.',
    suspendedTitle: 'This shop is suspended',
    suspendedText: 'Nothing can be changed. The operator of the service knows why.',
  },
  said: {
    passwordChanged: 'The password was changed. All other places are signed out.',
    sessionEnded: 'The session was ended.',
    roleChanged: 'The role was changed.',
    removed: 'The person was removed.',
    withdrawn: 'The invitation was withdrawn.',
    timeZone: 'The time zone was changed.',
    passkeyAdded: 'The passkey works from now on.',
    passkeyRemoved: 'The passkey was removed.',
    confirmed: 'Confirmed. Now do what you wanted to do again.',
  },
} as const;

type Widened<T> = { readonly [K in keyof T]: T[K] extends string ? string : Widened<T[K]> };
export type DeskTexts = Widened<typeof EN>;

/** What the audit log calls `command`, in words; one without any, of an operator's, as the log has it. */
export function wordsOf({ commands }: DeskTexts, command: string): string {
  const known: Readonly<Record<string, string>> = commands;
  return Object.hasOwn(known, command) ? (known[command] ?? command) : command;
}
