import type { DeliveryWithAttempts } from '../../../../domain/webhooks/deliveries/schemas.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { codeBlock, pairs } from '../../shell/choices.ts';
import { button, form, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { formField } from '../../verbs.ts';
import { framed, linkButton } from '../frame/frame.ts';
import { answerOf, deliveriesPath, endpointOf, type Registered } from './list-page.ts';

interface Shown {
  readonly delivery: DeliveryWithAttempts;
  /** What the endpoint, as it is set now, is sent of the event; null: it is older than events are kept. */
  readonly body: string | null;
  readonly registered: Registered;
  readonly fault: string | null;
}

/** A delivery with what was sent, every attempt, and what the receiver answered. */
export function deliveryPage(visit: AtMerchant, { delivery, body, registered, fault }: Shown): Page {
  const { deliveries: words } = visit.texts.developers;
  return framed(visit, {
    title: words.delivery,
    note: visit.query.get('said') === 'sent' ? words.sent : null,
    fault,
    main: html`<section class="card">
        ${factsOf(visit, delivery, registered)} ${again(visit, delivery)}
      </section>
      <section class="card">
        <h2>${words.log}</h2>
        ${delivery.log.length === 0 ? html`<p>${words.noAttempt}</p>` : null}
        ${delivery.log.toReversed().map((attempt) => attemptOf(visit, attempt))}
      </section>
      <section class="card">
        <h2>${words.body}</h2>
        ${
          body === null
            ? html`<p>${words.bodyGone}</p>`
            : html`<p>${words.bodyNote}</p>
                ${codeBlock(words.body, indented(body))}`
        }
      </section>
      ${linkButton(deliveriesPath(visit), words.back)}`,
  });
}

function factsOf(visit: AtMerchant, delivery: DeliveryWithAttempts, registered: Registered): Html {
  const { merchant, texts } = visit;
  const { deliveries: words } = texts.developers;
  const { payment_id, failed_because: because, next_attempt_at, finished_at } = delivery;
  const moment = (at: string | null) => (at === null ? null : time(new Date(at)));
  return pairs([
    [words.delivery, html`<code>${delivery.id}</code>`],
    [words.event, html`${delivery.type} ${delivery.sequence} <code>${delivery.event_id}</code>`],
    [
      words.payment,
      html`<a href="/dashboard/${merchant.merchant_id}/payments/${payment_id}"
        ><code>${payment_id}</code></a
      >`,
    ],
    [words.endpoint, endpointOf(visit, delivery, registered)],
    [words.status, html`<strong>${words.statuses[delivery.status]}</strong>`],
    [words.because, because === null ? null : html`${words.reasons[because]}`],
    [words.answer, answerOf(delivery) === '' ? null : html`${answerOf(delivery)}`],
    [words.created, moment(delivery.created_at)],
    [words.next, moment(next_attempt_at)],
    [words.finished, moment(finished_at)],
  ]);
}

/** What a receiver answers is anybody's text. */
function attemptOf(visit: AtMerchant, attempt: DeliveryWithAttempts['log'][number]): Html {
  const { deliveries: words } = visit.texts.developers;
  const { number, at, url, address, status_code, duration_ms, error_detail, response_excerpt } = attempt;
  const title = fillPlain(words.attempt, { number: String(number) });
  return html`<section class="attempt">
    <h3>${title}</h3>
    ${pairs([
      [words.at, time(new Date(at))],
      [words.took, html`${duration_ms} ms`],
      [words.where, html`<bdi>${url}</bdi> ${address === null ? null : html`(${address})`}`],
      [words.answer, status_code === null ? null : html`HTTP ${status_code}`],
      [words.error, error_detail === null ? null : html`<bdi>${error_detail}</bdi>`],
    ])}
    ${
      response_excerpt === null || response_excerpt === ''
        ? null
        : codeBlock(`${words.response}: ${title}`, response_excerpt)
    }
  </section>`;
}

function again(visit: AtMerchant, { id }: DeliveryWithAttempts): Html | null {
  if (!may(visit.merchant.role, 'webhooks:write')) return null;
  const { deliveries: words } = visit.texts.developers;
  return form(
    `${deliveriesPath(visit)}/${id}/redeliver`,
    html`${formField()} ${button(words.again)}`,
    'inline',
  );
}

/** For people: what is sent has no blanks. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
