import { TEXT_PATTERN } from '../../domain/api/patterns.ts';
import { ERROR_SCHEMA } from './errors.ts';
import { SCHEMA_NAMES } from './names.ts';

/** A name for each schema, by its text: options of TypeBox may copy a schema. */
const NAMES = new Map(Object.entries(SCHEMA_NAMES).map(([name, schema]) => [JSON.stringify(schema), name]));

/**
 * The formats of the project as others know them. `date-or-time` has no name elsewhere; what URLs may not
 * have, and the address rules of `delivery-url` (contract, "URLs"), cannot be expressed.
 */
const FORMATS: Readonly<Record<string, object>> = {
  'delivery-url': { format: 'iri', pattern: '^https?://' },
  'browser-url': { format: 'iri', pattern: '^https?://' },
  'support-url': { format: 'iri', pattern: '^(https?://|mailto:[^?,]+@[^?,]+$)' },
  'date-or-time': { anyOf: [{ format: 'date' }, { format: 'date-time' }] },
};

/** Without classes of Unicode, which not every language's patterns have: UTF-8 has no lone surrogates. */
const PATTERNS: Readonly<Record<string, object>> = {
  [TEXT_PATTERN]: { pattern: '^[^\\u0000]*$' },
};

/** The schemas that a document refers to; what nothing refers to is not among them. */
export class Components {
  readonly #schemas: Record<string, unknown> = { Error: ERROR_SCHEMA };

  get schemas(): Readonly<Record<string, unknown>> {
    return this.#schemas;
  }

  /** The schema as the document shows it: a reference where it has a name. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = 'properties' in schema ? NAMES.get(JSON.stringify(schema)) : undefined;
    if (name === undefined) return this.#show(schema);
    // Before its parts, so that the order is that of first use.
    if (!Object.hasOwn(this.#schemas, name)) {
      this.#schemas[name] = {};
      this.#schemas[name] = this.#show(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #show(schema: object): object {
    const shown = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      // OpenAPI's own selects among names; ajv's only makes errors clearer, and each shape has its constant.
      if (keyword === 'discriminator' && 'oneOf' in schema) return [];
      const portable = { format: FORMATS, pattern: PATTERNS }[keyword]?.[String(value)];
      return portable === undefined ? [[keyword, this.refer(value)]] : Object.entries(portable);
    });
    return Object.fromEntries(shown);
  }
}
