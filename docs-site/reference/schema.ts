import { html, type Html } from '../../src/platform/pages/html.ts';
import { wordsOf } from '../../src/domain/api/patterns.ts';
import { code, joined, table } from '../markdown/elements.ts';
import { renderLine } from '../markdown/render.ts';
import { addressOfObject } from './addresses.ts';
import { nameOf, type Schema } from './document.ts';

/** A field of an object, or of one within it: `data[].id`. */
interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The fields of an object as a table; null: it has none of its own. */
export function fieldTable(schema: Schema): Html | null {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return null;
  return table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ path, schema: field, isRequired }) => [
      html`${code(path)}${isRequired ? null : html` <span class="small">optional</span>`}`,
      typeOf(field),
      meaningOf(field),
    ]),
  );
}

/** The type of a value: names of objects are links. */
export function typeOf(schema: Schema): Html {
  const { $ref, items, type, format, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return html`<a href="${addressOfObject(nameOf($ref))}">${nameOf($ref)}</a>`;
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return joined(distinct(choices.map(typeOf)), ' or ');
  if (allOf !== undefined) return joined(distinct(allOf.map(typeOf)), ' and ');
  // A format without a type is one of text.
  const [first = ''] = schema.enum ?? [];
  const names = typeof type === 'string' ? [type] : (type ?? [typeof first]);
  return html`${names.join(' or ')}${format === undefined ? null : html` (${format})`}`;
}

/** What a value means, and the rules that it obeys. */
export function meaningOf(schema: Schema): Html {
  const sentences = [
    schema.description === undefined ? null : renderLine(schema.description),
    schema.enum === undefined ? null : html`One of ${joined(schema.enum.map(shown), ', ')}.`,
    ...Object.entries(RULES).map(([name, words]) =>
      schema[name] === undefined ? null : html`${words} ${shown(schema[name])}.`,
    ),
    typeof schema.pattern === 'string' ? html`It is ${patternOf(schema.pattern)}.` : null,
  ];
  return joined(
    sentences.filter((sentence) => sentence !== null),
    ' ',
  );
}

/** The keywords of a schema that limit a value, in words. */
const RULES: Readonly<Record<string, string>> = {
  default: 'Default:',
  minimum: 'At least',
  maximum: 'At most',
  exclusiveMinimum: 'More than',
  minLength: 'Shortest length:',
  maxLength: 'Longest length:',
  minItems: 'Fewest items:',
  maxItems: 'Most items:',
  maxProperties: 'Most keys:',
};

/** What only the document has, beside the patterns that the validator knows. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[^\\u0000]*$': 'Unicode text without NUL',
  '^https?://': 'a URL that begins with https:// or http://',
  '^(https?://|mailto:[^?,]+@[^?,]+$)':
    'a URL that begins with https:// or http://, or mailto: and one address',
  '^[0-9]+$': 'digits',
  '^[0-9a-f]{64}$': '64 digits or letters from a to f',
  '^[!-~]+$': 'visible ASCII characters',
  '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*( v1a,[A-Za-z0-9+/]{86}==)*$':
    'signatures with blanks between them: v1 or v1a, a comma, and base64',
};

/** A pattern in words. Throws for one that nobody has put in words. */
function patternOf(pattern: string): string {
  const words = wordsOf(pattern) ?? PATTERNS[pattern];
  if (words === undefined) throw new Error(`the reference has no words for ${pattern}`);
  return words;
}

const shown = (value: unknown): Html => code(typeof value === 'string' ? value : JSON.stringify(value));

function distinct(types: readonly Html[]): readonly Html[] {
  return types.filter(({ markup }, index) => types.findIndex((type) => type.markup === markup) === index);
}

/** The fields of a schema and of the objects within it that have no name of their own. */
function fieldsOf(schema: Schema, prefix: string): readonly Field[] {
  const { properties = {}, required = [], items, anyOf, oneOf, allOf } = schema;
  const own = Object.entries(properties).flatMap(([name, field]): readonly Field[] => [
    { path: `${prefix}${name}`, schema: field, isRequired: required.includes(name) },
    ...fieldsOf(field, `${prefix}${name}${field.items === undefined ? '.' : ''}`),
  ]);
  const inItems = items === undefined ? [] : fieldsOf(items, `${prefix}[].`);
  const choices = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
  return [...own, ...inItems, ...choices.flatMap((choice) => fieldsOf(choice, prefixOf(choice, prefix)))];
}

/** Of several shapes each is named by its constant: `script[](transfer).amount`. */
function prefixOf({ properties = {} }: Schema, prefix: string): string {
  const [constant] = Object.values(properties).flatMap((field) =>
    typeof field.const === 'string' ? [field.const] : [],
  );
  return constant === undefined ? prefix : prefix.replace(/\.?$/, `(${constant}).`);
}
