import type { TObject, TSchema } from 'typebox';
import { ValidationError } from '../../platform/errors.ts';

/**
 * The parameters of a URL's query as their schema means them: whole numbers for integers, and lists for values separated by commas.
 * Whatever does not fit is left as it came, for the schema to refuse. Throws ValidationError for a parameter that is repeated, or
 * that is not percent-encoded UTF-8: a stand-in for bytes that cannot be read would be searched for in vain.
 */
export function readQuery(url: string, schema: TObject | undefined): Record<string, unknown> {
  const begin = url.indexOf('?');
  if (begin === -1) return {};
  const query = new Map<string, unknown>();
  for (const parameter of url
    .slice(begin + 1)
    .split('&')
    .filter(Boolean)) {
    const [rawName = '', ...rawValue] = parameter.split('=');
    const name = decode(rawName, 'query');
    if (query.has(name)) throw new ValidationError(name, 'type', 'must be given once');
    query.set(name, read(decode(rawValue.join('='), name), schema?.properties[name]));
  }
  return Object.fromEntries(query);
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ValidationError(field, 'format', 'must be percent-encoded UTF-8');
  }
}

function read(value: string, schema: TSchema | undefined): unknown {
  const type = schema !== undefined && 'type' in schema ? schema.type : undefined;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return type === 'array' ? value.split(',') : value;
}
