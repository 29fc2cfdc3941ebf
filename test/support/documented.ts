import type { IncomingMessage } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Request, RequestHandler, Response } from 'express';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { factsOf } from '../../src/http/logging/access-log.ts';
import { OPENAPI_PATH } from '../../src/http/openapi/serve.ts';
import { createEndpoints, type Dependencies } from '../../src/http/routes.ts';
import { API_ERRORS } from '../../src/domain/api/errors.ts';
import { isMailAddress } from '../../src/platform/values/emails.ts';

/** What responses of this process have violated since it was last asked for. */
const violations: string[] = [];

/** Fails when a response under /v1 was not as the OpenAPI document describes it. */
export function refuseUndocumented(): void {
  const found = violations.splice(0);
  if (found.length > 0)
    throw new Error(`not as the OpenAPI document says:\n${[...new Set(found)].slice(0, 6).join('\n')}`);
}

/**
 * Compares every response under /v1 with the OpenAPI document: its status, error code, media type, headers
 * and body. A field that the document does not name is a violation, too. The hooks of setup.ts fail the test
 * that got it.
 */
export function watchResponses(dependencies: Dependencies): RequestHandler {
  const document = documentOf(dependencies);
  return (request, response, next) => {
    if (!/^\/v1(?:[/?]|$)/i.test(request.originalUrl)) return next();
    const chunks: Buffer[] = [];
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    const keep = (chunk: unknown, encoding: unknown) => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding as BufferEncoding | undefined));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    response.write = ((...args: Parameters<typeof write>) => {
      keep(args[0], args[1]);
      return write(...args);
    }) as typeof write;
    // Before the client has the end of it: the test cannot be over by then.
    response.end = ((...args: Parameters<typeof end>) => {
      keep(args[0], args[1]);
      const faults = document.faultsOf(request, response, Buffer.concat(chunks).toString());
      violations.push(
        ...faults.map((fault) => `${request.method} ${request.originalUrl} ${response.statusCode}: ${fault}`),
      );
      return end(...args);
    }) as typeof end;
    next();
  };
}

/** The formats of the document that a validator knows. */
export function addDocumentFormats(ajv: Ajv2020): void {
  formats.default(ajv, ['date', 'date-time', 'uri']);
  ajv.addFormat('idn-email', isMailAddress);
  // Its schemas have a pattern beside it.
  ajv.addFormat('iri', true);
}

interface Described {
  readonly 'x-error-codes'?: readonly string[];
  readonly headers: Record<string, unknown>;
}
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  readonly components: { headers: Record<string, { required?: boolean }> };
}

class Watched {
  readonly #ajv = new Ajv2020({ strict: false });
  readonly #document: Document;

  constructor(dependencies: Dependencies) {
    addDocumentFormats(this.#ajv);
    const document = openApiDocument(createEndpoints(dependencies), 'https://pay.example');
    this.#document = closed(JSON.parse(JSON.stringify(document))) as Document;
    this.#ajv.addSchema(this.#document, 'openapi.json');
  }

  faultsOf(request: Request & IncomingMessage, response: Response, text: string): string[] {
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    if (route === OPENAPI_PATH && response.statusCode === 200) return [];
    const path = route.replaceAll(/:(\w+)/g, '{$1}');
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const operation = this.#document.paths[path]?.[method];
    if (operation === undefined && response.statusCode < 400) return ['no such operation'];
    const described = operation?.responses[response.statusCode];
    if (operation !== undefined && described === undefined) return ['undocumented status'];
    return [
      ...codeFaults(response, described),
      ...this.#headerFaults(response, described),
      ...(request.method === 'HEAD' ? [] : this.#bodyFaults(response, text, described && { path, method })),
    ];
  }

  #headerFaults(response: Response, described: Described | undefined): string[] {
    const { headers } = this.#document.components;
    const names = Object.keys(described?.headers ?? {}).filter((name) => headers[name]?.required === true);
    const [type] = String(response.getHeader('Content-Type')).split(';');
    return [
      ...names.filter((name) => !response.hasHeader(name)).map((name) => `no header ${name}`),
      ...(type === 'application/json' ? [] : [`the type is ${type}`]),
    ];
  }

  #bodyFaults(
    { statusCode }: Response,
    text: string,
    at: { path: string; method: string } | undefined,
  ): string[] {
    const steps =
      at === undefined
        ? ['components', 'schemas', 'Error']
        : ['paths', at.path, at.method, 'responses', statusCode, 'content', 'application/json', 'schema'];
    const pointer = steps.map((step) =>
      encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const validate = this.#ajv.getSchema(`openapi.json#/${pointer.join('/')}`);
    if (validate === undefined) return ['no schema'];
    if (validate(JSON.parse(text)) === true) return [];
    return [`${this.#ajv.errorsText(validate.errors)}: ${JSON.stringify(validate.errors?.[0]?.params)}`];
  }
}

/** A body does not say its error's code, but the access log does, first of all. */
function codeFaults(response: Response, described: Described | undefined): string[] {
  const [code = ''] = factsOf(response).reason?.split(':') ?? [];
  const isKnown = Object.hasOwn(API_ERRORS, code) && response.statusCode >= 400 && described !== undefined;
  return isKnown && described['x-error-codes']?.includes(code) !== true ? [`undocumented code ${code}`] : [];
}

const documents = new Map<boolean, Watched>();

/** One for all harnesses of a process, with and without the sandbox: schemas are compiled once. */
function documentOf(dependencies: Dependencies): Watched {
  const hasSandbox = dependencies.sandbox !== null;
  const document = documents.get(hasSandbox) ?? new Watched(dependencies);
  documents.set(hasSandbox, document);
  return document;
}

/** The document with every object closed: clients ignore what they do not know, tests do not. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isOpen = members.type === 'object' && 'properties' in members && !('additionalProperties' in members);
  return isOpen ? { ...members, additionalProperties: false } : members;
}
