import { html, type Html } from '../../src/platform/pages/html.ts';
import { OPENAPI_PATH } from '../../src/http/openapi/serve.ts';
import { addressOfError } from '../errors/page.ts';
import { code, heading, table } from '../markdown/elements.ts';
import { codeBlock } from '../markdown/highlight.ts';
import { renderDescription, renderLine } from '../markdown/render.ts';
import {
  addressOfOperation,
  anchorOfEvent,
  EVENTS_PATH,
  OBJECTS_PATH,
  pathOfTag,
  REFERENCE_PATH,
} from './addresses.ts';
import { bodyOf, examplesOf, parametersOf, type Operation, type ReferenceDocument } from './document.ts';
import { examples, operationSection, parameterTable } from './operation.ts';
import { fieldTable, typeOf } from './schema.ts';

export interface ReferencePage {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly content: Html;
}

/**
 * Renders the reference, page by page: an overview, a page for each group of operations, the events, and the
 * objects.
 */
export function* referencePages(document: ReferenceDocument): Generator<ReferencePage> {
  yield overview(document);
  for (const tag of document.tags) yield tagPage(document, tag);
  yield events(document);
  yield objects(document);
}

interface Named {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function operationsOf({ paths }: ReferenceDocument): readonly Named[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function overview(document: ReferenceDocument): ReferencePage {
  const { description, version } = document.info;
  const rows = document.tags.flatMap(({ name }) =>
    operationsOf(document)
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation }) => [
        html`<span class="method">${method.toUpperCase()}</span> ${code(path)}`,
        html`<a href="${addressOfOperation(name, operation.operationId)}">${operation.summary}</a>`,
        name,
      ]),
  );
  return {
    path: REFERENCE_PATH,
    title: 'API reference',
    summary: 'Every operation, field, limit and error of the API.',
    content: html`${authentication(document)} ${heading(2, 'about', 'About the API')}
      ${renderDescription(description)}
      <p>
        This is version ${version} of the API. The same as an OpenAPI 3.1 document, for generators of clients:
        <a href="${OPENAPI_PATH}">${OPENAPI_PATH}</a>.
      </p>
      ${heading(2, 'operations', 'Operations')} ${table(['Request', 'What it does', 'Group'], rows)}`,
  };
}

function authentication({ components }: ReferenceDocument): Html {
  const { name, description } = components.securitySchemes.apiKey;
  const request = `curl "$PAYMENT_CHECKOUT_URL/v1/payments" -H "${name}: $PAYMENT_CHECKOUT_KEY"`;
  return html`${heading(2, 'authentication', 'Authentication: your API key')}
    <p>Every request has your API key in the header ${code(name)}: ${renderLine(description)}</p>
    ${codeBlock(request, 'sh')}
    <p>
      Keys are for servers: whoever has one acts as you. ${code('Authorization')} is not read. Without a valid
      key the response is <a href="${addressOfError('unauthorized')}">${code('unauthorized')}</a>, and without
      the permission that an operation names
      <a href="${addressOfError('forbidden')}">${code('forbidden')}</a>.
    </p>`;
}

function tagPage(
  document: ReferenceDocument,
  { name, description }: { name: string; description: string },
): ReferencePage {
  const own = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
  return {
    path: pathOfTag(name),
    title: `API: ${name}`,
    summary: description,
    content: html`<p>${renderLine(description)}</p>
      ${own.map((named) => operationSection(document, named))}`,
  };
}

function events(document: ReferenceDocument): ReferencePage {
  const all = Object.entries(document.webhooks);
  const [, first] = all[0] ?? [];
  if (first === undefined) throw new Error('the document has no webhooks');
  const summary =
    'The requests that the service sends to your receiver: their headers, and each type of event.';
  return {
    path: EVENTS_PATH,
    title: 'Webhook events',
    summary,
    content: html`<p>${summary}</p>
      ${renderDescription(first.post.description)} ${heading(2, 'headers', 'Headers')}
      ${parameterTable(parametersOf(document, first.post))}
      ${all.map(([type, { post }]) => eventSection(type, post))}`,
  };
}

function eventSection(type: string, operation: Operation): Html {
  const body = bodyOf(operation.requestBody ?? {});
  const [event, own] = body?.schema.allOf ?? [];
  if (event === undefined || own === undefined) throw new Error(`the event ${type} has no shape`);
  return html`${heading(2, anchorOfEvent(type), code(type))}
    <p>${renderLine(operation.summary)}</p>
    <p>Its body is an ${typeOf(event)}, in which:</p>
    ${fieldTable(own)} ${examples(examplesOf(operation.requestBody ?? {}))}`;
}

function objects({ components }: ReferenceDocument): ReferencePage {
  const summary = 'What requests and responses hold, by name.';
  return {
    path: OBJECTS_PATH,
    title: 'Objects',
    summary,
    content: html`<p>${summary}</p>
      ${Object.entries(components.schemas).map(
        ([name, schema]) =>
          html`${heading(2, name, code(name))}
          ${schema.description === undefined ? null : html`<p>${renderLine(schema.description)}</p>`}
          ${fieldTable(schema)}`,
      )}`,
  };
}
