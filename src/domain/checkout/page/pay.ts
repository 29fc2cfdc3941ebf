import { COINS, COINS_ON_NETWORKS, COIN_IDS, isCoinOn, type CoinId } from '../../chain/coins.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { fill, html, latin, type Html } from './html.ts';
import type { Language } from '../../languages/languages.ts';
import { qrCode } from './qr-code.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import type { View } from '../view/view.ts';
import { walletUri } from '../view/wallet-uri.ts';

/** Digits that fit a phone's line at full size. */
const LONG_AMOUNT = 12;

/** What serves the payment: it can be paid on these networks, with real money or not. */
export type Served = Pick<PaymentAdapters, 'networks' | 'isSimulated'>;

/**
 * Everything that is needed for sending money: coin and network, amount, address, code, deadline; null when
 * none is asked for. On a network that is not served, nobody would see the money: it shows no address.
 */
export function payComponent(view: View, served: Served, language: Language, coinPath: string): Html | null {
  const { payment, state, toSend, canChoose } = view;
  if (toSend === null) return null;
  const { page: texts } = language;
  if (!served.networks.includes(payment.network)) return html`<p class="warning">${texts.cannotBePaid}</p>`;
  const parts = {
    coin: latin(payment.coin),
    network: latin(NETWORKS[payment.network].name),
    amount: toSend,
  };
  const label = fill(texts.qrLabel, {
    ...parts,
    coin: payment.coin,
    network: NETWORKS[payment.network].name,
  });
  const size = toSend.length > LONG_AMOUNT ? 'amount long' : 'amount';
  const uri = walletUri({ ...payment, amount: toSend, isSimulated: served.isSimulated });
  return html`${canChoose ? choice(view, served, language, coinPath) : null}
    <div class="step">
      <div class="line">
        <div>
          <h3>${state === 'underpaid' ? texts.sendTheRest : texts.sendExactly}</h3>
          <p class="${size}" dir="ltr"><span id="amount" class="copy">${toSend}</span> ${payment.coin}</p>
          <p class="small">
            ${fill(texts.coinOnNetwork, { ...parts, coin: latin(COINS[payment.coin].name) })}
          </p>
          ${price(view, language)}
        </div>
        ${copyButton('amount', texts.copyAmount, texts.copied)}
      </div>
      <div class="line">
        <div>
          <h3>${fill(texts.address, parts)}</h3>
          <p dir="ltr"><code id="address" class="copy address">${payment.address}</code></p>
        </div>
        ${copyButton('address', texts.copyAddress, texts.copied)}
      </div>
      <p class="warning">${fill(texts.networkWarning, parts)}</p>
    </div>
    ${uri === null ? null : scan(uri, label, texts.openWallet)} ${deadline(view, language)}`;
}

function scan(uri: string, label: Html, open: string): Html {
  return html`<div class="scan">
    ${qrCode(uri, label)} <a class="button main" id="wallet" href="${uri}">${open}</a>
  </div>`;
}

function copyButton(of: string, label: string, done: string): Html {
  return html`<button type="button" id="copy-${of}" data-script data-copy="${of}" data-done="${done}" hidden>
    ${label}
  </button>`;
}

/**
 * All coins at once, and the networks of the chosen one: each button is a form of its own, so that one tap is
 * the whole choice.
 */
function choice(
  { payment }: View,
  { networks: served }: Served,
  { page: texts }: Language,
  coinPath: string,
): Html {
  const offered = COINS_ON_NETWORKS.filter(({ network }) => served.includes(network));
  const button = (coin: CoinId, network: NetworkId, id: string, isChosen: boolean, label: Html) =>
    html`<form method="post" action="${coinPath}">
      <input type="hidden" name="coin" value="${coin}" /><input
        type="hidden"
        name="network"
        value="${network}"
      /><button id="${id}" aria-pressed="${String(isChosen)}">${label}</button>
    </form>`;
  const coins = COIN_IDS.flatMap((coin) => {
    const network = networkFor(coin, payment.network, offered);
    return network === null
      ? []
      : [button(coin, network, `coin-${coin}`, coin === payment.coin, coinLabel(coin))];
  });
  const networks = offered
    .filter(({ coin }) => coin === payment.coin)
    .map(({ coin, network }) =>
      button(coin, network, `network-${network}`, network === payment.network, latin(NETWORKS[network].name)),
    );
  return html`<div class="step">
    <h2>${texts.payWith}</h2>
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
  return html`${coin}<span class="unseen"> ${COINS[coin].name}</span>`;
}

/**
 * The network that is chosen already, where the coin lives there too; else the first that offers it; null:
 * none does.
 */
function networkFor(coin: CoinId, chosen: NetworkId, offered: typeof COINS_ON_NETWORKS): NetworkId | null {
  if (isCoinOn(coin, chosen)) return chosen;
  return offered.find((pair) => pair.coin === coin)?.network ?? null;
}

/** For how long the amount holds, where that is not as long as it can be paid. */
function price({ priceUntil }: View, { id, page: texts }: Language): Html | null {
  if (priceUntil === null) return null;
  return html`<p class="small">${fill(texts.priceHolds, { time: time(priceUntil, id) })}</p>`;
}

/** In words; only the last minutes are counted, by the script. */
function deadline({ payBy, secondsLeft }: View, { id, page: texts }: Language): Html | null {
  if (payBy === null) return null;
  const left = html`<span id="left" data-seconds="${secondsLeft}">${duration(secondsLeft, id)}</span>`;
  return html`<p class="small">
    ${fill(texts.payBy, { time: time(payBy, id) })}
    ${secondsLeft > 0 ? html`<span>${fill(texts.timeLeft, { left })}.</span>` : null}<br />${texts.mayClose}
  </p>`;
}

/** In UTC; the script says it in the customer's own time. */
function time(at: Date, language: string): Html {
  const written = new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at);
  return html`<time datetime="${at.toISOString()}">${written} UTC</time>`;
}

function duration(seconds: number, language: string): string {
  const minutes = Math.ceil(seconds / 60);
  const [value, unit] = minutes > 90 ? [Math.round(minutes / 60), 'hour'] : [minutes, 'minute'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(
    value,
  );
}
