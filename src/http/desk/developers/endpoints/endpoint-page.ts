import type { WebhookEndpoint } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, time } from '../../shell/fields.ts';
import { pairs } from '../../shell/choices.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { framed, linkButton } from '../frame/frame.ts';
import { defaultForm, settingsForm } from './form.ts';
import { stateOf, switches } from './list-page.ts';
import { endpointPath, endpointsPath } from './named.ts';

const SAID = ['saved', 'added', 'paused', 'resumed', 'switchedOn'] as const;

/** The form of an endpoint that is to be added. */
export function newEndpointPage(visit: AtMerchant, fault: string | null): Page {
  const { cancel, endpoints: words } = visit.texts.developers;
  return framed(visit, {
    title: words.add,
    fault,
    main: html`<section class="card">
      ${settingsForm(visit, `${endpointsPath(visit)}/new`, null)} ${linkButton(endpointsPath(visit), cancel)}
    </section>`,
  });
}

/** An endpoint with its health, its settings and the way to its secret. */
export function endpointPage(visit: AtMerchant, endpoint: WebhookEndpoint, fault: string | null): Page {
  const { endpoints: words } = visit.texts.developers;
  const note = SAID.find((one) => one === visit.query.get('said'));
  const isWriter = may(visit.merchant.role, 'webhooks:write');
  const path = endpointPath(visit, endpoint) ?? endpointsPath(visit);
  return framed(visit, {
    title: words.one,
    note: note === undefined ? null : words[note],
    fault,
    main: html`<section class="card">
        ${healthOf(visit, endpoint)} ${switches(visit, endpoint)}
        ${linkButton(deliveriesOf(visit, endpoint), visit.texts.developers.deliveries.title)}
      </section>
      ${isWriter ? settingsOf(visit, path, endpoint) : null}
      ${may(visit.merchant.role, 'webhooks:secrets') ? secretOf(visit, path) : null}
      ${linkButton(endpointsPath(visit), words.back)}`,
  });
}

function healthOf(visit: AtMerchant, endpoint: WebhookEndpoint): Html {
  const { never, endpoints: words } = visit.texts.developers;
  const { health, url, description } = endpoint;
  const at = (moment: string | null) => (moment === null ? html`${never}` : time(new Date(moment)));
  const { switchedOffAt, switchedOffBecause: because } = health;
  return pairs([
    [words.url, url === null ? html`${words.noUrl}` : html`<bdi>${url}</bdi>`],
    [words.description, description === null ? null : html`<bdi>${description}</bdi>`],
    [words.state, html`<strong>${stateOf(visit, endpoint)}</strong>`],
    [words.states.switched_off, switchedOffAt === null ? null : time(new Date(switchedOffAt))],
    [words.because.title, because === null ? null : html`${words.because[because]}`],
    [words.lastSuccess, at(health.lastSuccessAt)],
    [words.lastFailure, at(health.lastFailureAt)],
    [words.failed, health.failureRate === null ? null : html`${`${Math.round(health.failureRate * 100)} %`}`],
  ]);
}

/** Those of the default endpoint have no filter of their own. */
function deliveriesOf(visit: AtMerchant, { id }: WebhookEndpoint): string {
  const base = endpointsPath(visit).replace(/endpoints$/, 'deliveries');
  return id === null ? base : `${base}?endpoint_id=${id}`;
}

function settingsOf(visit: AtMerchant, path: string, endpoint: WebhookEndpoint): Html {
  const { endpoints: words } = visit.texts.developers;
  return html`<section class="card">
    <h2>${words.settings}</h2>
    ${endpoint.default ? defaultForm(visit, path, endpoint.url) : settingsForm(visit, path, endpoint)}
    ${endpoint.default ? null : linkButton(`${path}/delete`, words.remove)}
  </section>`;
}

function secretOf(visit: AtMerchant, path: string): Html {
  const { endpoints: words } = visit.texts.developers;
  return html`<section class="card">
    <h2>${words.secretTitle}</h2>
    <p>${words.secretText}</p>
    ${linkButton(`${path}/secret`, words.show)}
  </section>`;
}

/** Asks before an endpoint is deleted, which nothing undoes. */
export function deletePage(visit: AtMerchant, endpoint: WebhookEndpoint): Page {
  const { cancel, endpoints: words } = visit.texts.developers;
  const path = endpointPath(visit, endpoint) ?? endpointsPath(visit);
  return framed(visit, {
    title: words.removeTitle,
    main: html`<section class="card narrow">
      <p><bdi>${endpoint.url ?? ''}</bdi></p>
      <p>${words.removeText}</p>
      ${form(`${path}/delete`, button(words.remove))} ${linkButton(path, cancel)}
    </section>`,
  });
}
