import { STATUS_CODES } from 'node:http';
import { html, type Html } from '../../src/platform/pages/html.ts';
import { API_ERRORS, type ApiErrorCode } from '../../src/domain/api/errors.ts';
import { addressOfError } from '../errors/page.ts';
import { code, heading, joined, table } from '../markdown/elements.ts';
import { codeBlock } from '../markdown/highlight.ts';
import { renderDescription, renderLine } from '../markdown/render.ts';
import { AUTHENTICATION } from './addresses.ts';
import {
  bodyOf,
  examplesOf,
  parametersOf,
  resolved,
  type Example,
  type Operation,
  type Parameter,
  type ReferenceDocument,
} from './document.ts';
import { fieldTable, meaningOf, typeOf } from './schema.ts';

/** An operation under a heading of its own: what it does, takes and returns, and its errors. */
export function operationSection(
  document: ReferenceDocument,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): Html {
  const { operationId, summary, description } = operation;
  return html`${heading(2, operationId, summary.replace(/\.$/, ''))}
    <p class="endpoint"><span class="method">${method.toUpperCase()}</span> ${code(path)}</p>
    ${keyOf(document, operation)} ${renderDescription(description)}
    ${parameters(operationId, parametersOf(document, operation))} ${requestBody(document, operation)}
    ${responses(operation)}`;
}

/** Where the key of a request stands. */
function keyOf({ components }: ReferenceDocument, { security = [] }: Operation): Html {
  const isOptional = security.some((way) => Object.keys(way).length === 0);
  return html`<p>
    <a href="${AUTHENTICATION}">Authentication</a>:
    ${isOptional ? 'none, or ' : null}${code(`${components.securitySchemes.apiKey.name}: sk_...`)}
  </p>`;
}

/** Parameters as a table. */
export function parameterTable(shown: readonly Parameter[]): Html {
  return table(
    ['Name', 'In', 'Type', 'Meaning'],
    shown.map(({ name, in: where, required = false, description, schema }) => [
      html`${code(name)}${required ? null : html` <span class="small">optional</span>`}`,
      where,
      typeOf(schema),
      html`${description === undefined ? null : renderLine(description)}
      ${meaningOf(withoutText(schema, description))}`,
    ]),
  );
}

/** A query's parameter repeats the description of its schema. */
function withoutText(schema: Parameter['schema'], text: string | undefined): Parameter['schema'] {
  if (schema.description !== text) return schema;
  const { description: _, ...rules } = schema;
  return rules;
}

function parameters(operationId: string, shown: readonly Parameter[]): Html | null {
  if (shown.length === 0) return null;
  return html`${heading(3, `${operationId}-parameters`, 'Parameters')}${parameterTable(shown)}`;
}

function requestBody(
  document: ReferenceDocument,
  { operationId, requestBody: request = {} }: Operation,
): Html | null {
  const body = bodyOf(request);
  if (body === null) return null;
  const { types, schema } = body;
  return html`${heading(3, `${operationId}-body`, 'Request body')}
    <p>${joined(types.map(code), ', ')}: ${typeOf(schema)}</p>
    ${fieldTable(resolved(document, schema))} ${examples(examplesOf(request))}`;
}

/** Bodies as they were recorded, each behind its summary. */
export function examples(recorded: readonly Example[], status = ''): Html {
  return html`${recorded.map(
    ({ summary, value }) =>
      html`<details class="example">
        <summary>Example${status === '' ? null : `, ${status}`}: ${summary}</summary>
        ${codeBlock(JSON.stringify(value, null, 2), 'json')}
      </details>`,
  )}`;
}

function responses({ operationId, responses: all }: Operation): Html {
  const rows = Object.entries(all).map(([status, response]) => {
    const codes = response['x-error-codes'];
    const body = bodyOf(response);
    const holds = body === null ? renderLine(response.description) : typeOf(body.schema);
    return [html`${status} ${STATUS_CODES[status] ?? ''}`, codes === undefined ? holds : errors(codes)];
  });
  return html`${heading(3, `${operationId}-responses`, 'Responses')}${table(['Status', 'Body'], rows)}
  ${Object.entries(all).map(([status, response]) => examples(examplesOf(response), status))}`;
}

function errors(codes: readonly string[]): Html {
  const known = Object.keys(API_ERRORS) as ApiErrorCode[];
  return joined(
    known
      .filter((error) => codes.includes(error))
      .map((error) => html`<a href="${addressOfError(error)}">${code(error)}</a>`),
    ', ',
  );
}
