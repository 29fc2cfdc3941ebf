import type { TObject, TSchema } from 'typebox';

/**
 * A query string's parameters as their schema means them: whole numbers for integers, and lists for values separated by commas.
 * Whatever does not fit is left as it came, for the schema to refuse. A repeated parameter comes as a list, which no schema takes.
 */
export function readQuery(query: object, schema: TObject | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, read(value, schema?.properties[name])]),
  );
}

function read(value: unknown, schema: TSchema | undefined): unknown {
  if (typeof value !== 'string') return typeOf(schema) === 'array' ? { repeated: value } : value;
  if (typeOf(schema) === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return typeOf(schema) === 'array' ? value.split(',') : value;
}

function typeOf(schema: TSchema | undefined): unknown {
  return schema !== undefined && 'type' in schema ? schema.type : undefined;
}
