import type { RequestHandler } from 'express';
import { html, Html } from '../../../platform/pages/html.ts';
import { findPaymentsOf, MAX_FOUND, type FoundPayment } from '../../../domain/ops/payment-work/find.ts';
import { listPaymentWork, type PaymentWork } from '../../../domain/ops/payment-work/list.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';

export const PAYMENTS_PATH = '/admin/payments';

/** A job that a queue holds, and its page on the board. */
export interface JobOnBoard {
  readonly job: string;
  readonly state: string;
  readonly url: string;
}

/** Finds the jobs of queues with these keys; rejects when the queues' server is away. */
export type JobSearch = (keys: readonly string[]) => Promise<readonly JobOnBoard[]>;

/** A job carries up to 200 keys; a link of the board names some, and a person asks for one. */
const MAX_KEYS = 50;
const MAX_LENGTH = 4_000;

/**
 * The search for a payment by its id, or by that of an event, refund, delivery or endpoint. One payment is
 * shown with its work and the jobs that queues hold of it, several as a list.
 */
export function paymentsPage({ db, log }: Context, findJobs: JobSearch): RequestHandler {
  return async ({ url }, response) => {
    // Express's own parser of queries is off.
    const asked = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('id')?.trim() ?? '';
    const keys = asked.split(',').filter((key) => /^[\x21-\x7e]+( [\x21-\x7e]+)?$/.test(key));
    if (asked.length > MAX_LENGTH || keys.length > MAX_KEYS) {
      response.status(400).send(`Ask for at most ${MAX_KEYS} ids.`);
      return;
    }
    const found = keys.length === 0 ? [] : await findPaymentsOf(db, keys);
    const [only] = found;
    if (found.length !== 1 || only === undefined) {
      response.send(pageOf(asked, asked === '' ? html`` : listOf(found)));
      return;
    }
    const work = await listPaymentWork(db, only.id);
    const jobs = await findJobs([only.id, ...work.map(({ key }) => key)]).catch((error: unknown) => {
      log.warn('the queues were not searched for a payment', faultOf(error));
      return null;
    });
    response.send(pageOf(asked, html`${headOf(only)}${jobsOf(jobs)}${workOf(work)}`));
  };
}

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}table{border-collapse:collapse}' +
  'td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}code{font-size:13px}';

function pageOf(asked: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Payments</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <form>
          <label
            >Id of a payment, event, refund, delivery or endpoint
            <input name="id" size="40" value="${asked}" />
          </label>
          <button>Find</button>
        </form>
        ${content}
      </body>
    </html>`.markup;
}

const linkTo = (id: string) => html`<a href="${PAYMENTS_PATH}?id=${id}"><code>${id}</code></a>`;

function listOf(found: readonly FoundPayment[]): Html {
  if (found.length === 0) return html`<p>No payment has this id, nor anything that belongs to one.</p>`;
  const note = found.length === MAX_FOUND ? html`<p>The newest ${MAX_FOUND}.</p>` : html``;
  const rows = found.map(
    ({ id, status, created_at }) =>
      html`<tr>
        <td>${linkTo(id)}</td>
        <td>${status}</td>
        <td>${created_at.toISOString()}</td>
      </tr>`,
  );
  return html`${note}
    <table>
      ${rows}
    </table>`;
}

function headOf({ id, merchant_id, status, created_at }: FoundPayment): Html {
  return html`<h1><code>${id}</code></h1>
    <p>${status}, of ${merchant_id}, created ${created_at.toISOString()}</p>`;
}

function jobsOf(jobs: readonly JobOnBoard[] | null): Html {
  if (jobs === null) return html`<p>The queues cannot be reached; the work below is from Postgres.</p>`;
  if (jobs.length === 0) return html`<p>The queues hold no job of it any more, or none yet.</p>`;
  const items = jobs.map(({ job, state, url }) => html`<li><a href="${url}">${job}</a> ${state}</li>`);
  return html`<h2>Jobs on the board</h2>
    <ul>
      ${items}
    </ul>`;
}

function workOf(work: readonly PaymentWork[]): Html {
  const rows = work.map(
    ({ what, name, key, state, at, detail }) =>
      html`<tr>
        <td>${at.toISOString()}</td>
        <td>${what}</td>
        <td>${name}</td>
        <td>${state}</td>
        <td><code>${key}</code></td>
        <td>${detail}</td>
      </tr>`,
  );
  return html`<h2>Work</h2>
    <table>
      ${rows}
    </table>`;
}
