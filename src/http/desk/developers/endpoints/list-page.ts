import type {
  WebhookEndpoint,
  WebhookEndpointList,
} from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, hidden, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { framed, linkButton } from '../frame/frame.ts';
import { DEFAULT, endpointPath, endpointsPath } from './named.ts';

const SAID = ['removed', 'paused', 'resumed', 'switchedOn'] as const;

/** Where events go, and how the last ones fared there. */
export function endpointsPage(
  visit: AtMerchant,
  { data, pagination }: WebhookEndpointList,
  fault: string | null = null,
): Page {
  const { endpoints: words } = visit.texts.developers;
  const note = SAID.find((one) => one === visit.query.get('said'));
  const next = pagination.next_cursor;
  const heads = [
    words.url,
    words.state,
    words.events,
    words.lastSuccess,
    words.lastFailure,
    words.failed,
    words.actions,
  ];
  return framed(visit, {
    title: words.title,
    note: note === undefined ? null : words[note],
    fault,
    main: html`<section class="card">
      <p>${words.text}</p>
      ${data.some((one) => one.default) || visit.query.has('cursor') ? null : noDefault(visit)}
      ${table(
        words.title,
        heads,
        data.map((endpoint) => rowOf(visit, endpoint)),
      )}
      ${next === null ? null : linkButton(`${endpointsPath(visit)}?cursor=${encodeURIComponent(next)}`, words.more)}
      ${may(visit.merchant.role, 'webhooks:write') ? linkButton(`${endpointsPath(visit)}/new`, words.add) : null}
    </section>`,
  });
}

/** It is in the list once it has a URL, or had one. */
function noDefault(visit: AtMerchant): Html {
  const { endpoints: words } = visit.texts.developers;
  return html`<p>${words.noDefault} <a href="${endpointsPath(visit)}/${DEFAULT}">${words.setDefault}</a></p>`;
}

function rowOf(visit: AtMerchant, endpoint: WebhookEndpoint): Html[] {
  const { never, endpoints: words } = visit.texts.developers;
  const { health, url, event_types, description } = endpoint;
  const at = (moment: string | null) => (moment === null ? html`${never}` : time(new Date(moment)));
  const kind = endpoint.default ? words.default : endpoint.id === null ? words.callback : null;
  return [
    html`<span
      >${url === null ? words.noUrl : html`<bdi>${url}</bdi>`}
      ${kind === null ? null : html`<span class="badge">${kind}</span>`}
      ${description === null ? null : html`<span class="small"><bdi>${description}</bdi></span>`}</span
    >`,
    html`${stateOf(visit, endpoint)}`,
    html`${event_types === null ? words.all : event_types.join(', ')}`,
    at(health.lastSuccessAt),
    at(health.lastFailureAt),
    html`${health.failureRate === null ? null : `${Math.round(health.failureRate * 100)} %`}`,
    changesOf(visit, endpoint),
  ];
}

/** An endpoint that its merchant has paused is nothing else. */
export function stateOf({ texts }: AtMerchant, { enabled, url, health }: WebhookEndpoint): string {
  const { endpoints: words } = texts.developers;
  return enabled || url === null ? words.states[health.state] : words.off;
}

function changesOf(visit: AtMerchant, endpoint: WebhookEndpoint): Html {
  const { endpoints: words } = visit.texts.developers;
  const page = endpointPath(visit, endpoint);
  const open =
    page === null
      ? null
      : html`<a
          class="button quiet"
          href="${page}"
          aria-label="${words.open} ${endpoint.url ?? words.default}"
          >${words.open}</a
        >`;
  return html`<div class="actions">${open} ${switches(visit, endpoint)}</div>`;
}

/** The buttons that pause an endpoint, resume it, or switch it on again, for who may. */
export function switches(visit: AtMerchant, endpoint: WebhookEndpoint): Html | null {
  const { endpoints: words } = visit.texts.developers;
  const { url, enabled, health, id } = endpoint;
  if (!may(visit.merchant.role, 'webhooks:write') || url === null) return null;
  const path = `${endpointsPath(visit)}/${id ?? DEFAULT}`;
  const post = (verb: string, label: string, name: string, more: Html | null = null) =>
    form(
      `${path}/${verb}`,
      html`${more} ${button(label, { kind: 'quiet', name: fillPlain(name, { url }) })}`,
      'inline',
    );
  const isOwn = endpoint.default || id !== null;
  if (health.state === 'switched_off') {
    const whose = isOwn ? null : hidden('url', url);
    return post('switch-on', words.switchOn, words.switchOnWhich, whose);
  }
  if (!isOwn) return null;
  return enabled
    ? post('pause', words.pause, words.pauseWhich)
    : post('resume', words.resume, words.resumeWhich);
}
