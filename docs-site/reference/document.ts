/** A JSON Schema, as far as the reference shows it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly [limit: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** A body that was recorded; one that several operations share is a reference. */
export interface Example {
  readonly $ref?: string;
  readonly summary: string;
  readonly value: unknown;
}

interface Content {
  readonly content?: Readonly<
    Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> }>
  >;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** Empty in one of them: a request without a key is taken too. */
  readonly security?: readonly object[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Content;
  readonly responses: Readonly<
    Record<string, Content & { readonly description: string; readonly 'x-error-codes'?: readonly string[] }>
  >;
}

/** The OpenAPI document, as far as the reference shows it. */
export interface ReferenceDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: { readonly apiKey: { readonly name: string; readonly description: string } };
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** Reads the document as its clients do: as JSON, without what only the code has. */
export function readDocument(document: object): ReferenceDocument {
  return JSON.parse(JSON.stringify(document)) as ReferenceDocument;
}

/** The last part of a reference: the name under `components`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The parameters of an operation, those that it refers to included. */
export function parametersOf(document: ReferenceDocument, operation: Operation): readonly Parameter[] {
  return operation.parameters.map((parameter) => {
    if (!('$ref' in parameter)) return parameter;
    const found = document.components.parameters[nameOf(parameter.$ref)];
    if (found === undefined) throw new Error(`the document has no ${parameter.$ref}`);
    return found;
  });
}

/** A schema, or the one that it refers to. */
export function resolved({ components }: ReferenceDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[nameOf(schema.$ref)];
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`);
  return found;
}

/** The examples of a request or a response that are its own. */
export function examplesOf({ content = {} }: Content): readonly Example[] {
  return Object.values(content)
    .flatMap(({ examples = {} }) => Object.values(examples))
    .filter(({ $ref }) => $ref === undefined);
}

/** The schema of what a request or a response holds, and its media types; null: it holds nothing. */
export function bodyOf({ content = {} }: Content): { types: readonly string[]; schema: Schema } | null {
  const [first] = Object.values(content);
  return first === undefined ? null : { types: Object.keys(content), schema: first.schema };
}
