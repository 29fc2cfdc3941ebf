import { createHash } from 'node:crypto';
import { document } from './document.ts';
import { fill, html, isolated, type Html } from './html.ts';
import type { Language } from '../../languages/languages.ts';
import { cancelLink, successLink } from './links.ts';
import { payComponent } from './pay.ts';
import { refundComponent } from './refund.ts';
import { simulatorComponent } from './simulator.ts';
import { statusComponent, stepsComponent, toneOf } from './status.ts';
import type { CheckoutPayment } from '../view/store.ts';
import { viewOf, type View } from '../view/view.ts';

/** Without a script the page loads itself again this often while it can still change. */
const REFRESH_SECONDS = 10;

/** Characters that surely fit the window of a description, even on a phone and at twice the size. */
const LONG_TEXT = 60;

export interface PageOptions {
  readonly chosen?: Language | null;
  readonly hasSandbox?: boolean;
  readonly refused?: string | null;
}

/**
 * The checkout page of a payment at its own time `now`. `chosen` is the language that the address asks for, and that links keep;
 * null: `language` is the browser's. With a sandbox the page of a test payment has the simulator's panel. `refused`: what was typed as
 * an address for refunds, and is none.
 */
export function checkoutPage(
  payment: CheckoutPayment,
  now: Date,
  language: Language,
  { chosen = null, hasSandbox = false, refused = null }: PageOptions = {},
): string {
  const view = viewOf(payment, now);
  const path = checkoutPath(payment.token_id);
  const query = languageQuery(chosen);
  const canPlay = hasSandbox && payment.merchant_mode === 'test';
  const simulator = canPlay ? simulatorComponent(view, language.page, `${path}/simulate${query}`) : null;
  return document({
    language,
    title: language.page.pageTitle.replace('{merchant}', () => payment.merchant_name),
    main: main(view, language, { path, query, refused, simulator }),
    // Never under somebody's hands who is typing.
    refreshSeconds: view.isLive && view.refundTo !== 'ask' ? REFRESH_SECONDS : null,
    refreshTo: `${path}${query}`,
    live: {
      eventsPath: `${path}/events`,
      statusPath: `${path}/status`,
      version: payment.version,
      isLive: view.isLive,
    },
  });
}

/** Where the page of a token is, below the service's own address. */
export function checkoutPath(token: string): string {
  return `/checkout/${token}`;
}

/** The query that keeps a language that was asked for. */
export function languageQuery(chosen: Language | null): string {
  return chosen === null ? '' : `?lang=${chosen.id}`;
}

/** What the script asks for: whether anything that the page shows has changed. */
export function checkoutStatus(payment: CheckoutPayment, now: Date) {
  const view = viewOf(payment, now);
  return {
    status: payment.status,
    state: view.state,
    exceptions: payment.exceptions,
    sequence: payment.sequence,
    confirmations: view.confirmations,
    required_confirmations: view.requiredConfirmations,
    version: payment.version,
    is_live: view.isLive,
  };
}

/** Where the page's forms lead, below `path` and keeping `query`, and what was refused of the last one. */
interface Forms {
  readonly path: string;
  readonly query: string;
  readonly refused: string | null;
  readonly simulator: Html | null;
}

/** Parts that the script replaces one by one carry a digest of what they hold. The live region itself stays, or nothing is announced. */
function main(view: View, language: Language, { path, query, refused, simulator }: Forms): Html {
  const { page: texts } = language;
  const refund = refundComponent(view, language, `${path}/refund-address${query}`, refused);
  return html`<main>
    <div class="left">
      ${summary(view, language)}
      <section id="status" class="card status ${toneOf(view)}" tabindex="-1" aria-label="${texts.progress}">
        ${part('said', html`role="status" aria-live="polite" class="said"`, statusComponent(view, texts))}
        ${part('steps', null, stepsComponent(view, texts))}
      </section>
    </div>
    ${part('pay', html`class="card pay"`, payComponent(view, language, `${path}/coin${query}`))}
    ${part('refund', html`class="card step refund"`, refund)}
    ${part('ways', html`class="ways"`, ways(view, language))}
    ${simulator === null ? null : part('simulator', html`class="card simulator"`, simulator)}
    <p id="heard" class="unseen" role="status"></p>
  </main>`;
}

function part(id: string, attributes: Html | null, content: Html | null): Html {
  // The time that is left is no reason to draw a part anew: the script counts by itself.
  const lasting = (content?.markup ?? '').replace(/data-seconds.*?<\/span>/s, '');
  const digest = createHash('sha256').update(lasting).digest('base64url').slice(0, 12);
  return html`<div id="${id}" ${attributes} data-part="${digest}">${content}</div>`;
}

function summary({ payment }: View, { page: texts }: Language): Html {
  const { merchant_name, order_description, order_id, pay_amount, pay_currency } = payment;
  const description = order_description === null ? null : descriptionPart(order_description, texts.order);
  return html`<header class="card summary">
    <div>
      <p class="label">${texts.paymentTo}</p>
      <h1 dir="auto">${merchant_name}</h1>
    </div>
    ${description}
    <dl class="facts">
      <div>
        <dt>${texts.total}</dt>
        <dd class="price" dir="ltr">${pay_amount} ${pay_currency}</dd>
      </div>
      <div>
        <dt>${texts.order}</dt>
        <dd dir="auto">${order_id}</dd>
      </div>
    </dl>
  </header>`;
}

/** A long text scrolls in a window of its own, which the keyboard must reach. */
function descriptionPart(text: string, label: string): Html {
  if (text.length <= LONG_TEXT) return html`<p class="description" dir="auto">${text}</p>`;
  return html`<div class="description" tabindex="0" role="region" aria-label="${label}">
    <p dir="auto">${text}</p>
  </div>`;
}

/** The ways on: back to the shop once paid, and out of it as long as no money was seen. */
function ways({ payment, state, refundTo }: View, { page: texts }: Language): Html | null {
  const merchant = isolated(payment.merchant_name);
  const [success, cancel] = [successLink(payment), cancelLink(payment)];
  // Nobody is taken away from a form.
  const going = html`<div id="going" class="line" data-script hidden>
    <p class="small">${fill(texts.goingBack, { merchant })}</p>
    <button type="button" id="stay">${texts.stay}</button>
  </div>`;
  if (state === 'settled' && success !== null)
    return html`<a class="button main" id="success" href="${success}"
        ><span>${fill(texts.back, { merchant })}</span></a
      >
      ${refundTo === 'ask' ? null : going}`;
  if (cancel === null || (state !== 'waiting' && state !== 'expired')) return null;
  const label = state === 'waiting' ? texts.cancel : texts.back;
  return html`<a id="cancel" href="${cancel}">${fill(label, { merchant })}</a>`;
}
