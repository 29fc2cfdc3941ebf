import { createHash } from 'node:crypto';
import { document } from './document.ts';
import { fill, html, isolated, type Html } from './html.ts';
import type { Language } from '../../languages/languages.ts';
import { cancelLink, successLink } from './links.ts';
import { payComponent, type Served } from './pay.ts';
import { refundComponent } from './refund.ts';
import { simulatorComponent } from './simulator.ts';
import { statusComponent, stepsComponent, statusTone } from './status.ts';
import type { CheckoutPayment } from '../view/store.ts';
import { viewOf, type View } from '../view/view.ts';

/** Without a script the page reloads itself at this interval while it can still change. */
const REFRESH_SECONDS = 10;

/** Characters that fit a description's box even on a phone and at twice the size. */
const LONG_TEXT = 60;

export interface PageOptions {
  readonly chosen?: Language | null;
  readonly hasSandbox?: boolean;
  readonly refused?: string | null;
}

/**
 * The checkout page of a payment at its own time `now`. `chosen` is the language that the URL asks for, and
 * that links keep; null: `language` is the browser's. `served` says where the payment can be paid, and
 * whether it is simulated: then the page says TEST. With a sandbox the page of a test payment has the
 * simulator's panel. `refused`: input for the refund address that is no address.
 */
export function checkoutPage(
  payment: CheckoutPayment,
  now: Date,
  language: Language,
  served: Served,
  { chosen = null, hasSandbox = false, refused = null }: PageOptions = {},
): string {
  const view = viewOf(payment, now);
  const path = checkoutPath(payment.token_id);
  const query = languageQuery(chosen);
  const canSimulate = hasSandbox && payment.merchant_mode === 'test';
  const simulator = canSimulate ? simulatorComponent(view, language.page, `${path}/simulate${query}`) : null;
  return document({
    language,
    title: language.page.pageTitle.replace('{merchant}', () => payment.merchant_name),
    main: mainElement(view, language, { path, query, refused, simulator, served }),
    // A reload would lose what a customer types into the form.
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

/** The path of the page that `token` opens. */
export function checkoutPath(token: string): string {
  return `/checkout/${token}`;
}

/** The query that keeps the language of the URL. */
export function languageQuery(chosen: Language | null): string {
  return chosen === null ? '' : `?lang=${chosen.id}`;
}

/** What the script asks for, and page streams send: whether the page must change. */
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

/** Where the page's forms post to, and the input that the last one was refused for. */
interface Forms {
  readonly path: string;
  readonly query: string;
  readonly refused: string | null;
  readonly simulator: Html | null;
  readonly served: Served;
}

const LIVE_REGION = html`role="status" aria-live="polite" class="said"`;

/**
 * The script replaces components whose digest differs. The live region's element stays: screen readers
 * announce nothing in a new one.
 */
function mainElement(view: View, language: Language, forms: Forms): Html {
  const { path, query, refused, simulator, served } = forms;
  const { page: texts } = language;
  const refund = refundComponent(view, language, `${path}/refund-address${query}`, refused);
  return html`<main>
    ${served.isSimulated ? testBand(language) : null}
    <div class="left">
      ${summary(view, language)}
      <section
        id="status"
        class="card status ${statusTone(view)}"
        tabindex="-1"
        aria-label="${texts.progress}"
      >
        ${component('said', LIVE_REGION, statusComponent(view, texts))}
        ${component('steps', null, stepsComponent(view, texts))}
      </section>
    </div>
    ${component('pay', html`class="card pay"`, payComponent(view, served, language, `${path}/coin${query}`))}
    ${component('refund', html`class="card step refund"`, refund)}
    ${component('ways', html`class="ways"`, shopLinks(view, language))}
    ${simulator === null ? null : component('simulator', html`class="card simulator"`, simulator)}
    <p id="heard" class="unseen" role="status"></p>
  </main>`;
}

/** Says in every state that no money may be sent. */
function testBand({ page: texts }: Language): Html {
  return html`<p id="test" class="test">
    <strong>${texts.testMark}</strong> <span>${texts.testText}</span>
  </p>`;
}

function component(id: string, attributes: Html | null, content: Html | null): Html {
  // The time that is left replaces no component: the script counts down by itself.
  const stable = (content?.markup ?? '').replace(/data-seconds.*?<\/span>/s, '');
  const digest = createHash('sha256').update(stable).digest('base64url').slice(0, 12);
  return html`<div id="${id}" ${attributes} data-part="${digest}">${content}</div>`;
}

function summary({ payment }: View, { page: texts }: Language): Html {
  const { merchant_name, order_description, order_id, pay_amount, pay_currency } = payment;
  const description =
    order_description === null ? null : descriptionComponent(order_description, texts.order);
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

/** A long text scrolls in its own box, which the keyboard must reach. */
function descriptionComponent(text: string, label: string): Html {
  if (text.length <= LONG_TEXT) return html`<p class="description" dir="auto">${text}</p>`;
  return html`<div class="description" tabindex="0" role="region" aria-label="${label}">
    <p dir="auto">${text}</p>
  </div>`;
}

/** The links to the shop: back to it once paid, and cancelling while no money was seen. */
function shopLinks({ payment, state, refundTo }: View, { page: texts }: Language): Html | null {
  const merchant = isolated(payment.merchant_name);
  const [success, cancel] = [successLink(payment), cancelLink(payment)];
  // The script redirects after a moment, but never away from the refund form.
  const redirectNotice = html`<div id="going" class="line" data-script hidden>
    <p class="small">${fill(texts.goingBack, { merchant })}</p>
    <button type="button" id="stay">${texts.stay}</button>
  </div>`;
  if (state === 'settled' && success !== null)
    return html`<a class="button main" id="success" href="${success}"
        ><span>${fill(texts.back, { merchant })}</span></a
      >
      ${refundTo === 'ask' ? null : redirectNotice}`;
  if (cancel === null || (state !== 'waiting' && state !== 'expired')) return null;
  const label = state === 'waiting' ? texts.cancel : texts.back;
  return html`<a id="cancel" href="${cancel}">${fill(label, { merchant })}</a>`;
}
