import { COINS_ON_NETWORKS } from '../../../domain/chain/coins.ts';
import { CURRENCY_IDS } from '../../../domain/chain/currencies.ts';
import { NETWORKS } from '../../../domain/chain/networks.ts';
import type { PaymentMethod } from '../../../domain/checkout/view/offer.ts';
import { may } from '../../../domain/people/rights/roles.ts';
import type { Till } from '../../../domain/tills/till.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, said, select, table } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import { TILLS } from '../texts/tills.ts';

/** What was entered, and what is wrong with it. */
export interface NewTillForm {
  readonly name?: string;
  readonly currency?: string;
  readonly fault?: string;
}

/** The name of a method's box in the form. */
export const methodField = ({ coin, network }: PaymentMethod): string => `method-${coin}-${network}`;

/** The tills of a merchant, and the form that makes one. */
export function listPage(visit: AtMerchant, tills: readonly Till[], entered: NewTillForm): Page {
  const { query, merchant } = visit;
  const note = query.get('said') === 'tillEnded' ? TILLS.said.tillEnded : null;
  return {
    title: TILLS.title,
    status: entered.fault === undefined ? 200 : 400,
    main: html`${said(note)} ${alert(entered.fault ?? null)}
      <section class="card">
        ${tills.length === 0 ? html`<p>${TILLS.none}</p>` : tillsTable(visit, tills)}
      </section>
      ${may(merchant.role, 'checkout:write') ? makeForm(visit, entered) : null}`,
  };
}

function tillsTable({ merchant }: AtMerchant, tills: readonly Till[]): Html {
  const own = TILLS;
  const rows = tills.map(({ id, name, price_currency, sales, closes }) => [
    html`<a href="/dashboard/${merchant.merchant_id}/tills/${id}"><bdi>${name}</bdi></a>`,
    html`${price_currency ?? ''}`,
    html`${sales}`,
    html`${closes}`,
  ]);
  return table(own.title, [own.till, own.currency, own.sales, own.closes], rows);
}

function makeForm({ merchant }: AtMerchant, { name = '', currency = '' }: NewTillForm): Html {
  const own = TILLS;
  const currencies = [['', own.settlement], ...CURRENCY_IDS.map((id) => [id, id] as const)] as const;
  const fields = html`${field({ name: 'name', label: own.name, value: name, hint: own.nameHint })}
  ${select({ name: 'currency', label: own.currency, value: currency }, currencies)}
  ${field({ name: 'pin', label: own.pin, type: 'password', isNumeric: true, hint: own.pinHint, autocomplete: 'new-password' })}
  ${coinBoxes(own.coins)} ${button(own.make)}`;
  return html`<section class="card">
    <h2>${own.makeTitle}</h2>
    ${form(`/dashboard/${merchant.merchant_id}/tills`, fields, 'step narrow')}
  </section>`;
}

/** None is all of what the merchant accepts. */
function coinBoxes(label: string): Html {
  const boxes = COINS_ON_NETWORKS.map((method) => {
    const name = methodField(method);
    const what = `${method.coin}, ${NETWORKS[method.network].name}`;
    return html`<li>
      <label><input type="checkbox" name="${name}" value="1" /> ${what}</label>
    </li>`;
  });
  return html`<details>
    <summary class="button">${label}</summary>
    <ul class="boxes">
      ${boxes}
    </ul>
  </details>`;
}
