import { clock, decimal, inFours, time } from '../markup/format.ts';
import { copyButton } from '../markup/forms.ts';
import { fill, html, latin, type Html } from '../../../platform/pages/html.ts';
import { isZero } from '../../../platform/values/money.ts';
import type { Language } from '../../languages/languages.ts';
import { NETWORKS } from '../../chain/networks.ts';
import type { Served, View } from '../view/view.ts';
import { choice, firstChoice, type ChoicePaths } from './choice.ts';

/** Digits that fit a phone's line at full size. */
const LONG_AMOUNT = 12;

/**
 * Everything that is needed for sending money by hand: coin and network, amount, address, deadline; null when
 * none is asked for, and the choice alone while the customer must choose first. On a network that is not
 * served, nobody would see the money: it shows no address.
 */
export function payComponent(
  view: View,
  served: Served,
  language: Language,
  paths: ChoicePaths,
): Html | null {
  const { payment, toSend, nameOf } = view;
  const { page: texts } = language;
  if (view.mustChoose)
    return html`${firstChoice(view, served, language, paths.coinPath) ?? html`<p class="warning">${texts.cannotBePaid}</p>`}
    ${deadline(view, language)}`;
  if (toSend === null) return null;
  if (!served.networks.includes(payment.network)) return html`<p class="warning">${texts.cannotBePaid}</p>`;
  const parts = { coin: latin(payment.coin), network: latin(nameOf(payment.network)) };
  return html`<h2 class="unseen">${texts.payWith}</h2>
    ${choice(view, served, language, paths)} ${repriced(view, language)}
    <div class="line">
      <h3>${isZero(payment.amount_received) ? texts.sendExactly : texts.sendTheRest}</h3>
      ${copyButton('amount', texts.copyAmount)} ${amount(toSend, payment.coin, language)}
      ${price(view, language)}
    </div>
    <div class="line">
      <h3>${fill(texts.address, parts)}</h3>
      ${copyButton('address', texts.copyAddress)}
      <p class="whole" dir="ltr"><code id="address" class="copy address">${inFours(view.address)}</code></p>
    </div>
    ${deadline(view, language)} ${payingFrom(view, toSend, language, fill(texts.networkWarning, parts))}`;
}

/** What must arrive, and who pays the fee: wallets add it, and exchanges take it from what is sent. */
function payingFrom(
  { payment: { coin, network }, nameOf }: View,
  toSend: string,
  { locale, page: texts }: Language,
  networkWarning: Html,
): Html {
  const { name, exchangeName } = NETWORKS[network];
  // No exchange has test networks.
  const called = nameOf(network) === name ? exchangeName : nameOf(network);
  const amount = latin(`${decimal(toSend, locale, { grouped: false })} ${coin}`);
  const radio = (from: string, label: string, checked: Html | null) =>
    html`<input type="radio" name="from" class="unseen" id="from-${from}" ${checked} /><label
        for="from-${from}"
        >${label}</label
      >`;
  return html`<div class="codes from" role="radiogroup" aria-label="${texts.payingFrom}">
    ${radio('wallet', texts.fromWallet, html`checked`)} ${radio('exchange', texts.fromExchange, null)}
    <div class="warning whole">
      <span class="by-wallet">${texts.walletFee}</span>
      <div class="by-exchange">
        <p>${fill(texts.exchangeFee, { amount: html`<b>${amount}</b>` })}</p>
        <p>${fill(texts.exchangeNetwork, { network: html`<b>${latin(called)}</b>` })}</p>
        <p>${texts.exchangeDelay}</p>
      </div>
      ${networkWarning}
    </div>
  </div>`;
}

/** What is copied is always in digits and a point, whatever the language writes. */
function amount(toSend: string, coin: string, { locale }: Language): Html {
  const shown = decimal(toSend, locale, { grouped: false });
  const size = toSend.length > LONG_AMOUNT ? 'amount long' : 'amount';
  const value = shown === toSend ? null : html` data-value="${toSend}"`;
  const attributes = html`id="amount" class="copy"${value}`;
  return html`<p class="${size} whole" dir="ltr"><span ${attributes}>${shown}</span> ${coin}</p>`;
}

/** At which rate the amount is calculated, where it is in another coin than the price. */
function price({ payment, priceUntil }: View, { locale }: Language): Html | null {
  const { coin, pay_amount, pay_currency, quote } = payment;
  if (priceUntil === null || coin === pay_currency) return null;
  const rate = `1 ${coin} = ${decimal(shortened(quote.rate), locale)} ${pay_currency}`;
  const total = `${decimal(pay_amount, locale)} ${pay_currency}`;
  return html`<p class="small whole">${latin(`${total} · ${rate}`)}</p>`;
}

/** How the price changed when its lock ended, and what holds for who has already sent. The script says it. */
function repriced({ payment, toSend, askedBefore }: View, { locale, page: texts }: Language): Html | null {
  if (toSend === null || askedBefore === null) return null;
  const [amount, before] = [toSend, askedBefore].map((one) =>
    latin(`${decimal(one, locale, { grouped: false })} ${payment.coin}`),
  );
  if (amount === undefined || before === undefined) return null;
  return html`<p class="warning" id="repriced">
    <b>${fill(texts.repriced, { amount, before })}</b> ${fill(texts.repricedSent, { before })}
  </p>`;
}

/** A rate to six significant digits behind leading zeros: the amount is exact, the rate explains it. */
function shortened(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const [kept = ''] = (whole === '0' ? /^0*\d{0,6}/ : /^\d{0,4}/).exec(fraction) ?? [];
  const digits = kept.replace(/0+$/, '');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/** Below these, in seconds, the clock is amber, and red: the script announces both. */
const [SOON_SECONDS, LAST_SECONDS] = [300, 60];

/** One clock, for the nearer of the price's lock and the deadline. */
function deadline({ payBy, priceUntil, secondsLeft }: View, { locale, page: texts }: Language): Html | null {
  if (payBy === null) return null;
  const until = priceUntil ?? payBy;
  const secondsToPay = secondsLeft + (payBy.getTime() - until.getTime()) / 1000;
  const by = fill(texts.payBy, { time: time(payBy, locale, { secondsAway: secondsToPay }) });
  if (secondsLeft <= 0) return html`<p class="deadline">${priceUntil === null ? by : texts.priceOver}</p>`;
  const tone = secondsLeft <= LAST_SECONDS ? 'last' : secondsLeft <= SOON_SECONDS ? 'soon' : '';
  const left = html`<span id="left" data-seconds="${secondsLeft}" class="${tone}"
    >${clock(secondsLeft)}</span
  >`;
  const values = { left, time: time(until, locale, { secondsAway: secondsLeft }) };
  if (priceUntil === null) return html`<p class="deadline">${fill(texts.payWithin, values)}</p>`;
  return html`<p class="deadline">${fill(texts.priceHolds, values)}</p>
    <p class="small">${by}</p>`;
}
