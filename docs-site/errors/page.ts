import { STATUS_CODES } from 'node:http';
import { html, type Html } from '../../src/platform/pages/html.ts';
import { API_ERRORS, type ApiErrorCode } from '../../src/domain/api/errors.ts';
import { renderLine } from '../markdown/render.ts';
import { code, heading, joined, table } from '../markdown/elements.ts';
import { REMEDIES } from './remedies.ts';

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[];

/** Where an error is explained. */
export function addressOfError(error: ApiErrorCode): string {
  return `/docs/errors#${error}`;
}

/** The errors by their status, each a link to its explanation. */
export function errorsByStatus(): Html {
  const statuses = [...new Set(CODES.map((error) => API_ERRORS[error][0]))].sort((a, b) => a - b);
  return table(
    ['Status', 'Name', 'Errors'],
    statuses.map((status) => [
      String(status),
      STATUS_CODES[status] ?? '',
      joined(
        CODES.filter((error) => API_ERRORS[error][0] === status).map(
          (error) => html`<a href="${addressOfError(error)}">${code(error)}</a>`,
        ),
        ', ',
      ),
    ]),
  );
}

/** Every error with its status, its text, its cause and its remedy, under a heading of its own. */
export function everyError(): Html {
  return html`${CODES.map((error) => {
    const [status, message] = API_ERRORS[error];
    const { cause, remedy } = REMEDIES[error];
    return html`${heading(3, error, code(error))}
      <p><strong>${status} ${STATUS_CODES[status] ?? ''}</strong>: ${message}</p>
      <p><strong>Cause.</strong> ${renderLine(cause)}</p>
      <p><strong>Remedy.</strong> ${renderLine(remedy)}</p>`;
  })}`;
}
