import type { ErrorObject } from 'ajv/dist/2020.js';
import { nearest } from '../../platform/values/nearest.ts';
import { AMOUNT_PATTERN, wordsOf } from './patterns.ts';

/** What is wrong with a value, as the end of a sentence that begins with its field. */
export function sentenceOf(error: ErrorObject): string {
  return SENTENCES[error.keyword]?.(error) ?? 'is not valid';
}

/** A sentence for each keyword of the schemas that a value can break by itself. */
export const SENTENCES: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  type: typeSentence,
  additionalProperties: ({ params, parentSchema }) => {
    const known = Object.keys((parentSchema?.properties ?? {}) as object);
    const near = nearest(String(params.additionalProperty), known);
    return `is not a known field${near === null ? '' : `: did you mean ${near}?`}`;
  },
  discriminator: ({ params }) =>
    params.tagValue === undefined ? 'is required' : `cannot be ${named(params.tagValue)}`,
  not: ({ propertyName }) =>
    propertyName === undefined ? 'cannot be combined with the other fields' : 'is a reserved name',
  propertyNames: () => 'is not an allowed name',
  uniqueItems: () => 'must not have the same entry twice',
  enum: ({ params }) => `must be one of ${(params.allowedValues as unknown[]).join(', ')}`,
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  minLength: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
  maxLength: ({ params }) => `must have at most ${params.limit} characters`,
  minimum: ({ params }) => `must be ${params.limit} or more`,
  maximum: ({ params }) => `must be ${params.limit} or less`,
  minItems: ({ params }) => `must have at least ${entries(params.limit)}`,
  maxItems: ({ params }) => `must have at most ${entries(params.limit)}`,
  minProperties: ({ params }) => `must have at least ${entries(params.limit)}`,
  maxProperties: ({ params }) => `must have at most ${entries(params.limit)}`,
  format: ({ params }) => `must be ${FORMATS[String(params.format)] ?? `a valid ${params.format}`}`,
  pattern: ({ params }) => {
    const words = wordsOf(String(params.pattern));
    return words === null ? `must match ${params.pattern}` : `must be ${words}`;
  },
};

/** A value as JSON; of a nested one, which may be too deep to be written, its kind. */
function named(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-or-time':
    'an ISO 8601 date (2026-01-31) or a date and time with its offset (2026-01-31T12:00:00Z; a "+" in a URL is written %2B)',
  'idn-email': 'an e-mail address',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** An amount as a number has lost its digits already: it is a string that the sender's program writes. */
function typeSentence({ params, parentSchema, data }: ErrorObject): string {
  const types = [params.type as string | string[]].flat();
  const sentence = `must be ${types.map((type) => TYPES[type] ?? type).join(' or ')}`;
  if (parentSchema?.pattern !== AMOUNT_PATTERN || typeof data !== 'number') return sentence;
  const [whole = '', decimals = ''] = String(data).split('.');
  const written = `${whole}.${decimals.padEnd(2, '0')}`;
  const example = new RegExp(AMOUNT_PATTERN).test(written) ? written : '25.00';
  return `${sentence}, not a number: write "${example}"`;
}

function entries(limit: unknown): string {
  return limit === 1 ? '1 entry' : `${String(limit)} entries`;
}
