import type { Facts, Happened } from '../../../../domain/events/timeline/facts.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { table, time } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { wordsOf } from '../../shell/texts.ts';
import { paymentPath } from './own.ts';
import { choiceLinks } from '../../shell/choices.ts';

/** A page of what happened to a payment. */
export interface Timeline {
  readonly shown: readonly Happened[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

type Kind = keyof Facts;

/** What the page shows of it; null: all. The first answers an owner: is it paid, and who did what? */
const VIEWS = {
  money: ['event', 'transfer', 'refund', 'action', 'mail'],
  webhooks: ['delivery'],
  all: null,
} as const satisfies Record<string, readonly Kind[] | null>;

type View = keyof typeof VIEWS;

const viewOf = ({ query }: AtMerchant): View => {
  const asked = query.get('show') ?? '';
  return Object.hasOwn(VIEWS, asked) ? (asked as View) : 'money';
};

/** The kinds of what happened that the page was asked for; by default those of an owner. */
export const kindsOf = (visit: AtMerchant): readonly Kind[] =>
  VIEWS[viewOf(visit)] ?? (Object.keys(LINES) as Kind[]);

/** What happened to a payment, oldest first, a page of it. */
export function timelineCard(visit: AtMerchant, { shown, next }: Timeline): Html {
  const { payments } = visit.texts;
  const path = `${paymentPath(visit)}?show=${viewOf(visit)}`;
  const link = (to: string, text: string) => html`<a class="button" href="${to}">${text}</a>`;
  const rows = shown.map((happened) => {
    const { what, facts, to } = lineOf(visit, happened);
    return [
      time(happened.at),
      to === undefined ? html`${what}` : html`<a href="${to}">${what}</a>`,
      html`<span class="facts-of">${facts.map((fact) => html`<code>${fact}</code>`)}</span>`,
    ];
  });
  return html`<section class="card" id="timeline">
    <h2>${payments.timeline}</h2>
    ${viewLinks(visit)}
    ${
      rows.length === 0
        ? html`<p>${payments.nothing}</p>`
        : table(payments.timeline, [payments.at, payments.what, payments.facts], rows)
    }
    <div class="actions">
      ${visit.query.has('after') ? link(`${path}#timeline`, payments.beginning) : null}
      ${next === null ? null : link(`${path}&after=${next}#timeline`, payments.later)}
    </div>
  </section>`;
}

function viewLinks(visit: AtMerchant): Html {
  const { payments } = visit.texts;
  const shown = viewOf(visit);
  const links = (Object.keys(VIEWS) as View[]).map((view) => ({
    to: `${paymentPath(visit)}?show=${view}#timeline`,
    text: payments.showing[view],
    isShown: view === shown,
  }));
  return choiceLinks(payments.shows, links);
}

interface Line {
  readonly what: string;
  /** Beside it: amounts, statuses, hashes. */
  readonly facts: readonly string[];
  /** The path of a page that says more; absent: there is none. */
  readonly to?: string;
}

const coins = ({ amount, coin, network }: { amount: string; coin: string; network: string }) =>
  `${amount} ${coin}, ${network}`;
const known = (fact: string | null): string[] => (fact === null ? [] : [fact]);

const LINES: { [One in Kind]: (visit: AtMerchant, facts: Facts[One]) => Line } = {
  event: ({ texts }, { type, sequence, status }) => ({
    what: texts.payments.events[type],
    facts: [status, `${type} ${sequence}`],
  }),
  transfer: ({ texts: { payments } }, transfer) => {
    const { confirmations, is_final, is_dropped, tx_hash } = transfer;
    const count = fillPlain(payments.confirmations, { count: String(confirmations) });
    const states = is_dropped ? [payments.dropped] : is_final ? [payments.final, count] : [count];
    return { what: payments.transfer, facts: [coins(transfer), ...states, ...known(tx_hash)] };
  },
  refund: ({ texts }, { coin_amount: amount, coin, network, status, tx_hash, reason }) => ({
    what: texts.payments.refund,
    facts: [coins({ amount, coin, network }), status, ...known(tx_hash), ...known(reason)],
  }),
  // The log's own word stands beside it: developers search for that.
  action: ({ texts }, { command, by }) => {
    const what = wordsOf(texts, command);
    return { what, facts: [by, ...(what === command ? [] : [command])] };
  },
  ledger: ({ texts: { payments } }, entry) => {
    const [from, to] = [payments.accounts[entry.from], payments.accounts[entry.to]];
    return { what: payments.booked, facts: [coins(entry), fillPlain(payments.moved, { from, to })] };
  },
  delivery: (visit, { id, type, sequence, status, attempts, status_code, error }) => ({
    what: visit.texts.payments.delivery,
    facts: [
      `${type} ${sequence}`,
      status,
      fillPlain(visit.texts.payments.attempts, { count: String(attempts) }),
      ...(status_code === null ? [] : [`HTTP ${status_code}`]),
      ...known(error),
    ],
    ...(may(visit.merchant.role, 'webhooks:read')
      ? { to: `/dashboard/${visit.merchant.merchant_id}/developers/deliveries/${id}` }
      : {}),
  }),
  mail: ({ texts: { payments } }, { about, is_sent, error }) => ({
    what: payments.mails[about],
    facts: [is_sent ? payments.mailSent : payments.mailUnsent, ...known(is_sent ? null : error)],
  }),
};

function lineOf(visit: AtMerchant, { kind, facts }: Happened): Line {
  return (LINES[kind] as (visit: AtMerchant, facts: Happened['facts']) => Line)(visit, facts);
}
