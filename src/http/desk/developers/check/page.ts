import type { CaseReport, ReceiverCheck } from '../../../../domain/webhooks/receiver-check/schemas.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, select, table } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { formField } from '../../verbs.ts';
import { developersPath, framed, linkButton } from '../frame/frame.ts';

interface Check {
  /** Endpoints that have a URL: what the form calls them, and what people do. */
  readonly receivers: readonly (readonly [name: string, label: string])[];
  /** Null: nothing was checked yet. */
  readonly report: ReceiverCheck | null;
  readonly fault: string | null;
}

/** The form of a receiver check, and what the last one found. */
export function checkPage(visit: AtMerchant, { receivers, report, fault }: Check): Page {
  const { check: words } = visit.texts.developers;
  return framed(visit, {
    title: words.title,
    fault,
    main: html`<section class="card">
        <p>${words.text}</p>
        ${receivers.length === 0 ? noReceiver(visit) : checkForm(visit, receivers)}
      </section>
      ${report === null ? null : reportOf(visit, report)}`,
  });
}

function noReceiver(visit: AtMerchant): Html {
  const { check: words, endpoints } = visit.texts.developers;
  return html`<p>${words.none}</p>
    ${linkButton(`${developersPath(visit)}/endpoints`, endpoints.title)}`;
}

function checkForm(visit: AtMerchant, receivers: Check['receivers']): Html {
  const { check: words } = visit.texts.developers;
  const receiver = { name: 'endpoint', label: words.receiver, value: visit.field('endpoint') };
  const fields = html`${formField()} ${select(receiver, receivers)} ${button(words.submit)}`;
  return form(
    visit.path,
    html`${fields}
      <p class="small">${words.wait}</p>`,
    'step narrow',
  );
}

function reportOf(visit: AtMerchant, { url, passed, summary, cases }: ReceiverCheck): Html {
  const { check: words } = visit.texts.developers;
  const heads = [words.result, words.sent, words.expected, words.answer, words.took, words.advice];
  return html`<section class="card" aria-live="polite">
    <h2>${passed ? words.passed : words.failed}</h2>
    <p><bdi>${url}</bdi></p>
    <p>${summary}</p>
    ${table(
      words.title,
      heads,
      cases.map((one) => rowOf(visit, one)),
    )}
  </section>`;
}

function rowOf(
  visit: AtMerchant,
  { passed, sent, expected, status_code, error, duration_ms, advice }: CaseReport,
) {
  const { check: words } = visit.texts.developers;
  return [
    html`<strong>${passed ? words.right : words.wrong}</strong>`,
    html`<span>${sent}</span>`,
    html`${expected}`,
    html`<span class="${status_code === null ? '' : 'held'}"
      >${status_code === null ? (error ?? '') : `HTTP ${status_code}`}</span
    >`,
    html`<span class="held">${duration_ms} ms</span>`,
    html`${advice === null ? null : html`<span>${advice}</span>`}`,
  ];
}
