import { changes, document, pageCsp, type Shown } from './document.ts';
import { embeddersOf } from './embedding.ts';
import { componentsOf, mainElement, withFlag, type PageContent } from './components.ts';
import { html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import { pageTitle, stateKey, statusTone } from '../components/status.ts';
import { hasCode, isPutAway } from '../components/code.ts';
import type { Found } from '../components/help.ts';
import type { EnteredAddress } from '../components/refund.ts';
import type { DisplayRates } from '../../chain/rates/rates.ts';
import { displayPrice } from '../view/display-price.ts';
import { appearanceOf, logoPath } from '../view/appearance.ts';
import type { CheckoutPayment } from '../view/store.ts';
import { accentStyle } from './assets.ts';
import { viewOf, type Served } from '../view/view.ts';

/** Without a script the page reloads itself at this interval while it can still change. */
const REFRESH_SECONDS = 10;

export interface PageOptions {
  readonly chosen?: Language | null;
  /** Without a script the page does not reload itself. */
  readonly isStill?: boolean;
  /** The choice of coin and network is open. */
  readonly isOpen?: boolean;
  readonly hasSandbox?: boolean;
  readonly entered?: EnteredAddress | null;
  readonly found?: Found | null;
  readonly mail?: string | null;
  /** The base of the page's own URL; null: unknown. */
  readonly publicUrl?: string | null;
  readonly sendsReceipts?: boolean;
  /** For the price in the merchant's display currency; null: they are not to be had. */
  readonly rates?: DisplayRates | null;
}

/**
 * The policy that the page of a payment needs: it may have a style of its merchant's, and be shown in a frame
 * of its merchant's pages.
 */
export function policyFor(payment: CheckoutPayment): string {
  return pageCsp(accentStyle(appearanceOf(payment).accentColor), embeddersOf(payment));
}

/**
 * The checkout page of a payment at its own time `now`. `chosen` is the language that the URL asks for, and
 * that links keep; null: `language` is the browser's. `served` says where the payment can be paid, and
 * whether it is simulated: then the page says TEST. With a sandbox the page of a test payment has the
 * simulator's panel. `entered`: input for the refund address; `found`: what came of looking a transaction up;
 * `mail`: input for the receipt's address. Each of them responds to a form.
 */
export function checkoutPage(
  payment: CheckoutPayment,
  now: Date,
  language: Language,
  served: Served,
  options: PageOptions = {},
): string {
  const content = contentOf(payment, now, language, served, options);
  const { view, path, query, mail } = content;
  const pagePath = `${path}${query}`;
  // A reload would lose what a customer types into the form, and what the last one was answered with.
  const canReload = view.isLive && view.refundTo !== 'ask' && content.found === null && mail === null;
  return document({
    language,
    title: pageTitle(view, language),
    main: mainElement(content),
    style: accentStyle(view.appearance.accentColor),
    isFirst: view.state === 'waiting' && statusTone(view).startsWith('calm') && !isAnswer(options),
    icon: view.appearance.logo === null ? null : logoPath(view.appearance.logo.id),
    refreshSeconds: canReload && !options.isStill ? REFRESH_SECONDS : null,
    refreshTo: content.isOpen ? withFlag(pagePath, 'open') : pagePath,
    reloading: canReload ? reloadingLink(content, options.isStill ?? false) : null,
    ...(isAnswer(options) ? { languagesAt: path } : {}),
    live: {
      eventsPath: `${path}/events`,
      statusPath: `${path}/status`,
      pagePath,
      embedders: embeddersOf(payment),
      shown: shownOf(content),
    },
  });
}

/**
 * The components whose digest is not among `have` (digests by id), as a document for the page's script, and
 * the digests of all.
 */
export function changedComponents(
  have: ReadonlyMap<string, string>,
  ...[payment, now, language, served, options = {}]: Parameters<typeof checkoutPage>
): { document: string; digests: ReadonlyMap<string, string> } {
  const content = contentOf(payment, now, language, served, options);
  const components = Object.values(componentsOf(content));
  const changed = components.filter(({ id, digest }) => have.get(id) !== digest);
  return {
    document: changes(
      pageTitle(content.view, language),
      shownOf(content),
      html`${changed.map(({ element }) => element)}`,
    ),
    digests: new Map(components.map(({ id, digest }) => [id, digest])),
  };
}

/** The page answers a form, at whose path it has no page of its own. */
const isAnswer = ({ entered, found, mail }: PageOptions): boolean =>
  entered !== undefined || found !== undefined || mail !== undefined;

function reloadingLink({ path, query, language: { page: texts } }: PageContent, isStill: boolean) {
  if (isStill) return { path: `${path}${query}`, text: texts.reload };
  return { path: withFlag(`${path}${query}`, 'still'), text: texts.stopReloading };
}

function contentOf(
  payment: CheckoutPayment,
  now: Date,
  language: Language,
  served: Served,
  {
    chosen = null,
    hasSandbox = false,
    isOpen = false,
    entered = null,
    found = null,
    mail = null,
    publicUrl = null,
    sendsReceipts = false,
    rates = null,
  }: PageOptions,
): PageContent {
  const [path, query] = [checkoutPath(payment.token_id), languageQuery(chosen)];
  const view = viewOf(payment, now, served.chains);
  return {
    view,
    about: payment.price === null ? displayPrice(payment, view.appearance.displayCurrency, rates) : null,
    language,
    served,
    path,
    query,
    isOpen,
    pageUrl: publicUrl === null ? null : `${publicUrl}${path}${query}`,
    found,
    mail,
    sendsReceipts,
    canSimulate: hasSandbox && payment.merchant_mode === 'test',
    entered,
  };
}

function shownOf({ view, served }: PageContent): Shown {
  const { payment, isLive } = view;
  const state = { state: stateKey(view), tone: statusTone(view) };
  return { version: payment.version, isLive, ...state, hasCode: !isPutAway(view) && hasCode(view, served) };
}

/** The path of the page that `token` opens. */
export function checkoutPath(token: string): string {
  return `/checkout/${token}`;
}

/** The query that keeps the language of the URL. */
export function languageQuery(chosen: Language | null): string {
  return chosen === null ? '' : `?lang=${chosen.locale}`;
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
