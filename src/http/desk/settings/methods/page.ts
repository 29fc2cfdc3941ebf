import type { Offerable } from '../../../../domain/checkout/appearance/offer.ts';
import { COINS } from '../../../../domain/chain/coins.ts';
import type { NetworkId } from '../../../../domain/chain/networks.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, table } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { checkbox } from '../shared/inputs.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';

/** What the page shows of a method. */
export interface ShownMethod extends Offerable {
  /** It is what payments are settled in, and always good. */
  readonly isPar: boolean;
  /** Why it cannot be switched on; null: it can. */
  readonly obstacle: 'wallet' | 'owner' | 'operator' | null;
}

export interface ShownMethods {
  readonly methods: readonly ShownMethod[];
  readonly nameOf: (network: NetworkId) => string;
  /** The owner accepts what they switch on; else the form chooses among what is accepted. */
  readonly accepts: boolean;
  readonly fault: string | null;
}

/** The name of a method's box in the form. */
export const boxOf = ({ coin, network }: Offerable): string => `${coin}/${network}`;

/** With which coins, on which networks, customers can pay. */
export function methodsPage(visit: AtMerchant, { methods, nameOf, accepts, fault }: ShownMethods): Page {
  const { methods: texts, save, changersOnly } = visit.texts.settings;
  const mayChange = may(visit.merchant.role, 'checkout:write');
  const heads = [texts.offered, texts.coin, texts.note];
  const rows = methods.map((method) => rowOf(visit, method, nameOf(method.network), mayChange));
  const path = settingsPath(visit, 'methods');
  const fields = html`<p>${accepts ? texts.introLive : texts.intro}</p>
    ${methods.length === 0 ? html`<p>${texts.none}</p>` : table(texts.title, heads, rows)}
    ${mayChange ? button(save) : html`<p class="small">${changersOnly}</p>`}`;
  const main = html`<section class="card">${form(accepts ? `${path}/accept` : path, fields)}</section>`;
  return settingsPage(visit, 'methods', { main, fault });
}

function rowOf(
  { texts }: AtMerchant,
  method: ShownMethod,
  network: string,
  mayChange: boolean,
): readonly Html[] {
  const { methods } = texts.settings;
  const label = fillPlain(methods.offer, { coin: method.coin, network });
  const isOff = !mayChange || method.obstacle !== null;
  const note = method.isPar ? methods.par : method.obstacle === null ? '' : methods[method.obstacle];
  return [
    checkbox({ name: boxOf(method), label, isOn: method.isOffered, isOff }),
    html`<span class="small">${COINS[method.coin].name}</span>`,
    html`${note}`,
  ];
}
