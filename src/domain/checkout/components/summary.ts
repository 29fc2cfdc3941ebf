import { html, type Html } from '../../../platform/pages/html.ts';
import { decimal } from '../markup/format.ts';
import type { Language } from '../../languages/languages.ts';
import type { DisplayPrice } from '../view/display-price.ts';
import { logoPath, type Logo } from '../view/appearance.ts';
import type { View } from '../view/view.ts';

/**
 * Merchant and total in one line, and under it the beginning of the description and the price in the
 * merchant's display currency; what the order is in full opens below.
 */
export function summary(
  { payment, appearance }: View,
  { locale, page: texts }: Language,
  about: DisplayPrice | null,
): Html {
  const { order_description, order_id, pay_amount, pay_currency } = payment;
  const description =
    order_description === null
      ? null
      : html`<span class="description" dir="auto">${order_description}</span>`;
  return html`<header class="summary">
    <details id="order">
      <summary>
        ${appearance.logo === null ? null : logoImage(appearance.logo)}
        <span class="payee"><span class="unseen">${texts.paymentTo}</span> ${heading(appearance.name)}</span>
        <span class="price"
          ><span class="unseen">${texts.total}</span>
          <bdi dir="ltr">${decimal(pay_amount, locale)} ${pay_currency}</bdi></span
        >
        ${description} ${about === null ? null : approximately(about, locale, texts.about)}
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

/** In pixels of the page. */
const LOGO_WIDTH = 96;
const LOGO_HEIGHT = 40;

/** It has its size before it has loaded, so that nothing moves; the name beside it says what it is. */
function logoImage({ id, width, height }: Logo): Html {
  const scale = Math.min(1, LOGO_WIDTH / width, LOGO_HEIGHT / height);
  const [shownWidth, shownHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  return html`<img
    class="logo"
    src="${logoPath(id)}"
    width="${shownWidth ?? 1}"
    height="${shownHeight ?? 1}"
    alt=""
  />`;
}

/** Small, and away from the amount to send: nobody may take it for that. */
function approximately({ amount, currency }: DisplayPrice, locale: string, about: string): Html {
  return html`<span class="about small"
    ><span class="unseen">${about}</span
    ><bdi dir="ltr"><span aria-hidden="true">${'≈ '}</span>${decimal(amount, locale)} ${currency}</bdi></span
  >`;
}

const heading = (name: string) => html`<h1 dir="auto">${name}</h1>`;

/** Says in every state that no money may be sent. */
export function testBand({ page: texts }: Language): Html {
  return html`<p id="test" class="test">
    <strong>${texts.testMark}</strong> <span>${texts.testText}</span>
  </p>`;
}
