import type { TObject, TSchema } from 'typebox';
import { ValidationError } from '../../domain/api/errors.ts';

/**
 * The parameters of a URL's query, converted by their schema: integers to numbers, and comma-separated values
 * to lists. A value that cannot be converted stays as it is, for the schema to reject. Throws ValidationError
 * for a parameter that is repeated, or that is not percent-encoded UTF-8: with replacement characters it
 * would match nothing.
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
