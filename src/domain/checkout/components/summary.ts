import { html, type Html } from '../../../platform/pages/html.ts';
import { decimal } from '../markup/format.ts';
import type { Language } from '../../languages/languages.ts';
import type { CheckoutPrice } from '../../../sdk/event-types.ts';
import type { DisplayPrice } from '../view/display-price.ts';
import { initialsOf } from '../markup/initials.ts';
import { logoPath, type Logo, type MerchantAppearance } from '../view/appearance.ts';
import type { View } from '../view/view.ts';

/**
 * Merchant and total beside each other, the latter with the price in money of which it was converted, or else
 * what it is about in the merchant's display currency, and below them the beginning of the description; what
 * the order is in full opens below.
 */
export function summary(
  { payment, appearance }: View,
  { locale, page: texts, receipt: { price: priceText } }: Language,
  about: DisplayPrice | null,
): Html {
  const { order_description, order_id, pay_amount, pay_currency, price } = payment;
  const description =
    order_description === null
      ? null
      : html`<span class="description" dir="auto">${order_description}</span>`;
  return html`<header class="summary">
    <details id="order">
      <summary>
        ${payee(appearance, texts)}
        <span class="sum">
          <span class="price"
            ><span class="unseen">${texts.total}</span>
            <bdi dir="ltr">${decimal(pay_amount, locale)} ${pay_currency}</bdi></span
          >
          ${price === null ? null : inMoney(price, locale, priceText)}
          ${about === null ? null : inMoney(about, locale, texts.about, '≈ ')}
        </span>
        ${description}
      </summary>
      <dl class="facts">
        <div>
          <dt>${texts.order}</dt>
          <dd dir="auto">${order_id}</dd>
        </div>
      </dl>
    </details>
  </header>`;
}

/** Who is paid: the merchant's mark and name. */
export function payee(
  appearance: Pick<MerchantAppearance, 'logo' | 'name'>,
  texts: Pick<Language['page'], 'paymentTo'>,
): Html {
  return html`<span class="payee"
    >${markOf(appearance)}<span class="unseen">${texts.paymentTo}</span> ${heading(appearance.name)}</span
  >`;
}

/** In pixels of the page; a phone shows at most a square of the height. */
const LOGO_WIDTH = 160;
const LOGO_HEIGHT = 40;
/** Of a logo that is wider or higher for its size the square of a phone would show a line. */
const MAX_RATIO = 3;

/** The merchant's logo; initials where there is none, and on a phone in the place of one that is too wide. */
function markOf({ logo, name }: Pick<MerchantAppearance, 'logo' | 'name'>): Html {
  const initials = html`<span class="initials" aria-hidden="true">${initialsOf(name)}</span>`;
  if (logo === null) return initials;
  const ratio = logo.width / logo.height;
  const isBroad = Math.max(ratio, 1 / ratio) > MAX_RATIO;
  return html`${logoImage(logo, isBroad ? 'logo broad' : 'logo')}${isBroad ? initials : null}`;
}

/** It has its size before it has loaded, so that nothing moves; the name beside it says what it is. */
function logoImage({ id, width, height }: Logo, kind: string): Html {
  const scale = Math.min(1, LOGO_WIDTH / width, LOGO_HEIGHT / height);
  const [shownWidth, shownHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  return html`<img
    class="${kind}"
    src="${logoPath(id)}"
    width="${shownWidth ?? 1}"
    height="${shownHeight ?? 1}"
    alt=""
  />`;
}

/** Small, and away from the amount to send: nobody may take it for that. */
function inMoney(
  { amount, currency }: Pick<CheckoutPrice, 'amount' | 'currency'>,
  locale: string,
  called: string,
  sign = '',
): Html {
  return html`<span class="about small"
    ><span class="unseen">${called}</span
    ><bdi dir="ltr"><span aria-hidden="true">${sign}</span>${decimal(amount, locale)} ${currency}</bdi></span
  >`;
}

const heading = (name: string) => html`<h1 dir="auto">${name}</h1>`;

/** Says in every state that no money may be sent. */
export function testBand({ page: texts }: Language): Html {
  return html`<p id="test" class="test">
    <strong>${texts.testMark}</strong> <span>${texts.testText}</span>
  </p>`;
}
