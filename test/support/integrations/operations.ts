import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { ENDPOINTS } from '../endpoints.ts';

/** What the generators read of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** An operation of the OpenAPI document, as a method of a client. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  /** With `{name}` for each of `ids`. */
  readonly path: string;
  readonly ids: readonly string[];
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  /** JSON; null: none. */
  readonly body: Schema | null;
  readonly needsBody: boolean;
  /** The media types of a body that is a file. */
  readonly files: readonly string[];
  /** Whether the request can have an Idempotency-Key. */
  readonly hasKey: boolean;
  readonly response: Schema;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { $ref?: string; name?: string; in?: string; schema?: Schema }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const JSON_TYPE = 'application/json';

/** The OpenAPI document as the service serves it, with all of its operations. */
const DOCUMENT = openApiDocument(ENDPOINTS, 'https://pay.example') as Document;

/** The schemas that have a name. */
export const SCHEMAS = DOCUMENT.components.schemas;

/** The version of the service, which the packages have as well. */
export const { version: VERSION } = DOCUMENT.info;

/** Every operation, in the document's order. */
export const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => operationOf(path, method, described)),
);

function operationOf(path: string, method: string, described: Described): Operation {
  const { operationId, summary, parameters, requestBody, responses } = described;
  const content = requestBody?.content ?? {};
  const within = (place: string) =>
    parameters.flatMap(({ name = '', in: found, schema = {} }) =>
      found === place ? [{ name, schema }] : [],
    );
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  return {
    id: operationId,
    summary,
    method: method.toUpperCase(),
    path,
    ids: within('path').map(({ name }) => name),
    query: within('query'),
    body: content[JSON_TYPE]?.schema ?? null,
    needsBody: requestBody?.required === true,
    files: Object.keys(content).filter((type) => type !== JSON_TYPE),
    hasKey: parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey')),
    response: success?.[1].content[JSON_TYPE]?.schema ?? {},
  };
}

/** The name that a reference names; null: the schema is none. */
export function nameOf({ $ref }: Schema): string | null {
  return $ref?.replace(/^.*\//, '') ?? null;
}

/** The shapes that a value can have, one by one. */
export function alternatives(schema: Schema): readonly Schema[] {
  // Those of an object with fields only say which of them go together.
  if (schema.properties !== undefined) return [schema];
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.flatMap(alternatives);
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => ({ ...schema, type }));
  return [schema];
}
