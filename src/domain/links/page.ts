import { accentStyle } from '../checkout/page/assets.ts';
import { document, shownCsp } from '../checkout/page/document.ts';
import { payee, testBand } from '../checkout/components/summary.ts';
import { supportLink } from '../checkout/markup/links.ts';
import { decimal } from '../checkout/markup/format.ts';
import { isFrameOrigin, logoPath } from '../checkout/view/appearance.ts';
import type { Language } from '../languages/languages.ts';
import { fill, fillPlain, html, isolated, latin, type Html } from '../../platform/pages/html.ts';
import type { BuyForm } from './buy.ts';
import { leftOf, linkPath, offerOf, type LinkState } from './link.ts';
import type { ShownLink } from './store.ts';

/** What a link's page shows. */
export interface LinkPage {
  readonly link: ShownLink;
  readonly language: Language;
  /** That keeps the language of the URL. */
  readonly query: string;
  readonly isTest: boolean;
  readonly state: LinkState | 'thanks';
  /** Of this page's form alone, and of what it asks for when it is sent again. */
  readonly nonce: string;
  /** What a customer entered; null: nothing yet. */
  readonly entered: Entered | null;
}

/** `bad`: it is not within its bounds. `later`: the same form may succeed in a moment. */
export interface Entered {
  readonly form: BuyForm;
  readonly fault: 'bad' | 'later';
}

/** The public page of a payment link, and the policy that its response needs. */
export function linkPage(page: LinkPage): { html: string; policy: string } {
  const { link, language, isTest, state } = page;
  const { appearance } = link;
  const name = appearance?.name ?? link.merchant_name;
  const logo = appearance?.logo ?? null;
  const style = accentStyle(appearance?.accent_color ?? null);
  const main = html`<main>
    ${isTest ? testBand(language) : null}
    <div class="sheet">
      <header class="summary">${payee({ name, logo }, language.page)}</header>
      <h2 dir="auto">${link.title}</h2>
      ${link.description === null ? null : html`<p dir="auto">${link.description}</p>`}
      ${state === 'open' ? formOf(page) : noticeOf(page, state)} ${supportOf(page, name)}
    </div>
  </main>`;
  const content = { language, title: `${link.title}, ${name}`, main, style, languagesAt: pathOf(page) };
  const icon = logo === null ? null : logoPath(logo.id);
  const embedders = (appearance?.embed_origins ?? []).filter(isFrameOrigin);
  return {
    html: document({ ...content, icon, refreshSeconds: null, live: null, isFramed: embedders.length > 0 }),
    policy: shownCsp(style, embedders),
  };
}

const pathOf = ({ link, state }: LinkPage) => `${linkPath(link.token)}${state === 'thanks' ? '/thanks' : ''}`;

function noticeOf(
  { link, language: { page: texts } }: LinkPage,
  state: Exclude<LinkState, 'open'> | 'thanks',
): Html {
  const [tone, title, text] = {
    sold: ['care', texts.linkSoldTitle, texts.linkSoldText],
    paused: ['care', texts.linkPausedTitle, texts.linkPausedText],
    over: ['bad', texts.linkOverTitle, texts.linkOverText],
    thanks: ['good', texts.linkThanks, link.thank_you ?? ''],
  }[state] as [string, string, string];
  return html`<div class="status ${tone}">
    <h2>${title}</h2>
    <p dir="auto">${text}</p>
  </div>`;
}

function supportOf({ link, language }: LinkPage, name: string): Html | null {
  const url = supportLink(link.appearance?.support_url ?? null, link.id);
  if (url === null) return null;
  return html`<a class="button" id="contact" href="${url}"
    ><span>${fill(language.page.contact, { merchant: isolated(name) })}</span></a
  >`;
}

function formOf(page: LinkPage): Html {
  const { link, language, query, nonce, entered } = page;
  const { page: texts } = language;
  const left = leftOf(link);
  const said = entered?.fault === 'later' ? texts.linkLater : texts.linkBad;
  const fault = html`<p class="fault" id="fault" role="alert">${said}</p>`;
  return html`<form method="post" action="${linkPath(link.token)}${query}" class="step">
    <input type="hidden" name="nonce" value="${nonce}" />
    <input type="hidden" name="offer" value="${offerOf(link)}" />
    ${entered === null ? null : fault} ${link.fields.map((field) => fieldOf(page, field))}
    ${link.prices === null ? amountOf(page) : pricesOf(page, link.prices)}
    ${left === null ? null : html`<p class="small">${fill(texts.linkLeft, { count: latin(String(left)) })}</p>`}
  </form>`;
}

/** What was typed, as far as it is shown again. */
const typed = ({ entered }: LinkPage, name: string): string => {
  const value = entered?.form[name];
  return typeof value === 'string' ? value.slice(0, 500) : '';
};

function fieldOf(page: LinkPage, { key, label, required, max_length }: ShownLink['fields'][number]): Html {
  const name = `field_${key}`;
  const { linkOptional } = page.language.page;
  const shown = required ? isolated(label) : fill(linkOptional, { label: isolated(label) });
  return html`<label for="${name}">${shown}</label>
    <input
      id="${name}"
      name="${name}"
      dir="auto"
      maxlength="${max_length}"
      value="${typed(page, name)}"
      ${required ? html`required` : null}
    />`;
}

const currencyOf = ({ link }: LinkPage) => link.price_currency ?? link.settlement_currency;

/** The browser writes the number with a point, whatever its owner's language writes. */
function amountOf(page: LinkPage): Html {
  const { link, language } = page;
  const { page: texts, locale } = language;
  const { min = '0', max = '0' } = link.open_amount ?? {};
  const currency = currencyOf(page);
  const bounds = { min: latin(decimal(min, locale)), max: latin(`${decimal(max, locale)} ${currency}`) };
  return html`<label for="amount">${fill(texts.linkAmount, { currency: latin(currency) })}</label>
    <input
      id="amount"
      name="amount"
      type="number"
      step="any"
      inputmode="decimal"
      dir="ltr"
      required
      min="${min}"
      max="${max}"
      aria-describedby="bounds"
      value="${typed(page, 'amount')}"
    />
    <p class="small" id="bounds">${fill(texts.linkBounds, bounds)}</p>
    <button class="main">${texts.refundNext}</button>`;
}

/** One button for each price: it chooses and goes on. */
function pricesOf(page: LinkPage, prices: NonNullable<ShownLink['prices']>): Html {
  const { page: texts, locale } = page.language;
  const buttons = prices.map(({ name, amount, closed }, place) => {
    if (closed === true) return html``;
    const sum = `${decimal(amount, locale)} ${currencyOf(page)}`;
    const label = name === undefined ? fillPlain(texts.linkPay, { amount: sum }) : `${name}: ${sum}`;
    return html`<button class="main" name="price" value="${place}">${isolated(label)}</button>`;
  });
  return html`${buttons}`;
}
