import { COINS, COINS_ON_NETWORKS, COIN_IDS, isCoinOn, type CoinId } from '../../chain/coins.ts';
import { NETWORKS, NETWORKS_BY_FEE, secondsToConfirm, type NetworkId } from '../../chain/networks.ts';
import { duration } from '../markup/format.ts';
import { formTo } from '../markup/forms.ts';
import { fill, html, latin, type Html } from '../../../platform/pages/html.ts';
import type { PageTexts } from '../../languages/en.ts';
import type { Language } from '../../languages/languages.ts';
import { symbol } from '../markup/icons.ts';
import { isPayable, isSame, type PaymentMethod } from '../view/offer.ts';
import type { Served, View } from '../view/view.ts';

/** Every method, on cheap networks first. */
const CHEAPEST_FIRST: readonly PaymentMethod[] = NETWORKS_BY_FEE.flatMap((network) =>
  COINS_ON_NETWORKS.filter((method) => method.network === network),
);

/** What is on offer and can be paid with now, in the merchant's order. */
function offeredMethods({ appearance, payment }: View, served: Served): readonly PaymentMethod[] {
  const own = { coin: payment.pay_currency, network: payment.pay_network };
  const isUsual = (method: PaymentMethod) =>
    NETWORKS[method.network].isOnRequest !== true || isSame(method, own);
  const methods = appearance.methods ?? CHEAPEST_FIRST.filter(isUsual);
  return methods.filter((method) => isPayable(served, payment, method));
}

/**
 * All methods at once, each a button of its own, for a payment whose method is not offered; null: there is
 * nothing to choose.
 */
export function firstChoice(view: View, served: Served, language: Language, coinPath: string): Html | null {
  const offered = offeredMethods(view, served);
  if (!view.canChoose || offered.length === 0) return null;
  const { page: texts } = language;
  const buttons = offered.map((method) => {
    const { coin, network } = method;
    const label = html`${symbol(coin)}${networkLabel(network, language, methodName(view, method, texts))}`;
    return methodButton(method, coinPath, {
      here: 'status',
      id: `method-${coin}-${network}`,
      label,
    });
  });
  return html`<div class="choice" id="choice" role="group" aria-labelledby="methods">
    <h2 id="methods">${texts.chooseFirst}</h2>
    <div class="chips whole">${buttons}</div>
  </div>`;
}

/** Where the forms of the choice post, and how a page without a script keeps it open. */
export interface ChoicePaths {
  readonly coinPath: string;
  /** The page with the choice open or, where `isOpen`, closed. */
  readonly togglePath: string;
  readonly isOpen: boolean;
}

/**
 * The payment method as one row that opens into all coins at once, and the networks of the chosen one. Each
 * button is a form of its own, so that one tap is the whole choice; it closes, unless the coin leaves
 * networks to choose from. Without a script a link opens it: what only a browser has opened ends with a
 * reload.
 */
export function choice(
  view: View,
  served: Served,
  language: Language,
  { coinPath, togglePath, isOpen }: ChoicePaths,
): Html {
  const { payment, canChoose } = view;
  const { page: texts } = language;
  const method = html`<span class="named"
    >${symbol(payment.coin)}<span>${methodName(view, payment, texts)}</span></span
  >`;
  const isOnly = offeredMethods(view, served).length < 2;
  if (!canChoose || isOnly) return html`<p class="method">${method}</p>`;
  return html`<details class="choice" id="choice" ${isOpen ? html`open` : null}>
    <summary class="method" id="chosen">
      ${method}<span class="change">${texts.change}</span
      ><noscript><a href="${togglePath}" aria-label="${texts.change}"></a></noscript>
    </summary>
    ${options(view, served, language, coinPath)}
  </details>`;
}

function methodName({ nameOf }: View, { coin, network }: PaymentMethod, texts: PageTexts): Html {
  return fill(texts.method, { coin: latin(coin), network: latin(nameOf(network)) });
}

/** A form that selects the method; `here` is the part of the page that shows what came of it. */
function methodButton(
  { coin, network }: PaymentMethod,
  coinPath: string,
  {
    here,
    id,
    label,
    pressed = null,
    staysOpen = false,
  }: { here: string; id: string; label: Html; pressed?: boolean | null; staysOpen?: boolean },
): Html {
  const state = pressed === null ? null : html` aria-pressed="${String(pressed)}"`;
  const fields = html`<input type="hidden" name="coin" value="${coin}" /><input
      type="hidden"
      name="network"
      value="${network}"
    /><button id="${id}" ${staysOpen ? html`name="open"` : null} ${state}>${label}</button>`;
  return formTo(coinPath, here, fields, false);
}

function options(view: View, served: Served, language: Language, coinPath: string): Html {
  const { payment, appearance } = view;
  const offered = offeredMethods(view, served);
  const { page: texts } = language;
  const button = (method: PaymentMethod, id: string, pressed: boolean, label: Html, staysOpen = false) =>
    methodButton(method, coinPath, { here: 'choice', id, label, pressed, staysOpen });
  const ids = appearance.methods === null ? COIN_IDS : [...new Set(offered.map(({ coin }) => coin))];
  const coins = ids.flatMap((coin) => {
    const network = networkFor(coin, payment.network, offered);
    if (network === null) return [];
    const hasNetworks = offered.filter((method) => method.coin === coin).length > 1;
    return [button({ coin, network }, `coin-${coin}`, coin === payment.coin, coinLabel(coin), hasNetworks)];
  });
  const networks = offered
    .filter(({ coin }) => coin === payment.coin)
    .map((method) => {
      const { network } = method;
      const label = html`${symbol(network)}${networkLabel(network, language, latin(view.nameOf(network)))}`;
      return button(method, `network-${network}`, network === payment.network, label);
    });
  return html`<div class="step">
    <div role="group" aria-labelledby="coins">
      <h3 id="coins">${texts.coin}</h3>
      <div class="chips">${coins}</div>
    </div>
    <div role="group" aria-labelledby="networks">
      <h3 id="networks">${texts.network}</h3>
      <div class="chips names">${networks}</div>
    </div>
  </div>`;
}

function coinLabel(coin: CoinId): Html {
  return html`${symbol(coin)}${coin}<span class="unseen"> ${COINS[coin].name}</span>`;
}

const FEES = { low: 'feeLow', medium: 'feeMedium', high: 'feeHigh' } as const;

/** How long the network takes, and what it costs: people cannot choose without. */
function networkLabel(network: NetworkId, { locale, page: texts }: Language, name: Html): Html {
  const time = duration(secondsToConfirm(network), locale);
  return html`<span
    ><b>${name}</b><br /><span class="hint"
      >${fill(texts.networkHint, { time, fee: texts[FEES[NETWORKS[network].fee]] })}</span
    ></span
  >`;
}

/**
 * The network that is chosen already, where the coin lives there too; else the first that offers it; null:
 * none does.
 */
function networkFor(coin: CoinId, chosen: NetworkId, offered: readonly PaymentMethod[]): NetworkId | null {
  const isOffered = offered.some((method) => method.coin === coin && method.network === chosen);
  if (isOffered && isCoinOn(coin, chosen)) return chosen;
  return offered.find((method) => method.coin === coin)?.network ?? null;
}
