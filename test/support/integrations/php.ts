import {
  alternatives,
  nameOf,
  OPERATIONS,
  SCHEMAS,
  VERSION,
  type Operation,
  type Schema,
} from './operations.ts';

const MAX_COLUMNS = 120;
const HEAD = `<?php

declare(strict_types=1);

namespace PaymentCheckout;

/**
 * A client of the REST API: \`new Client('https://pay.example', 'sk_test_...')\`.
 *
 * Written by \`npm run integrations\` from the OpenAPI document of the service.
 */
final class Client extends Http
{
    public const VERSION = '${VERSION}';
`;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'null',
};

/** integrations/php/src/Client.php. */
export function phpClient(): string {
  return `${[HEAD, ...OPERATIONS.map(methodOf)].join('\n')}}\n`;
}

function methodOf({
  id,
  summary,
  ids,
  query,
  body,
  needsBody,
  files,
  hasKey,
  method,
  path,
  response,
}: Operation) {
  const parameters = [
    ...ids.map((name) => `string $${camel(name)}`),
    ...(body === null ? [] : [`array $body${needsBody ? '' : ' = []'}`]),
    ...(files.length === 0 ? [] : ['string $file', 'string $contentType']),
    ...query.map(({ name, schema }) => `${nullable(queryType(schema))} $${camel(name)} = null`),
    ...(hasKey ? ['?string $idempotencyKey = null'] : []),
  ];
  const pairs = query.map(({ name }) => `'${name}' => $${camel(name)}`);
  const target = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? `'${part}'` : `self::id($${camel(part)})`));
  const call = [
    `'${method}'`,
    target.filter((part) => part !== "''").join(' . '),
    ...(query.length === 0 ? [] : [wrapped('query: [', pairs, ']', ' '.repeat(12))]),
    ...(body === null ? [] : ['body: $body']),
    ...(files.length === 0 ? [] : ['file: [$contentType, $file]']),
    ...(hasKey ? ['idempotencyKey: $idempotencyKey'] : []),
  ];
  return [
    '    /**',
    ...words(summary).map((line) => `     * ${line}`),
    '     *',
    ...(body === null ? [] : documented(body)),
    ...query
      .filter(({ schema }) => isList(schema))
      .map(({ name }) => `     * @param string|list<string>|null $${camel(name)}`),
    ...(files.length === 0
      ? []
      : [`     * @param ${files.map((type) => `'${type}'`).join('|')} $contentType`]),
    `     * @return ${response.type === undefined && nameOf(response) === null ? 'mixed' : 'array<string, mixed>'}`,
    '     */',
    definition(`public function ${id}`, parameters),
    `        ${wrapped('return $this->send(', call, ');', ' '.repeat(8))}`,
    '    }\n',
  ].join('\n');
}

/** PSR-12: with one parameter a line, the brace stands behind them. */
function definition(name: string, parameters: readonly string[]): string {
  const text = wrapped(`${name}(`, parameters, '): array', ' '.repeat(4));
  return `    ${text}${text.includes('\n') ? ' {' : '\n    {'}`;
}

/** The fields of a body, as PHPStan and editors read them. */
function documented(body: Schema): string[] {
  const { properties = {}, required = [] } = resolved(body);
  const fields = Object.entries(properties).map(
    ([name, schema]) => `     *     ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)},`,
  );
  return ['     * @param array{', ...fields, '     * } $body'];
}

function resolved(schema: Schema): Schema {
  const name = nameOf(schema);
  return name === null ? schema : (SCHEMAS[name] ?? {});
}

function typeOf(schema: Schema): string {
  return [...new Set(alternatives(schema).map(partOf))].join('|');
}

function partOf(schema: Schema): string {
  const { enum: values, items } = schema;
  const literals = values?.every((value) => typeof value === 'string')
    ? values.map((value) => `'${value}'`).join('|')
    : '';
  if (literals !== '' && literals.length < 80) return literals;
  if (schema.type === 'array') return `list<${typeOf(items ?? {})}>`;
  if (schema.type === 'object' || nameOf(schema) !== null) return 'array<string, mixed>';
  return PRIMITIVES[String(schema.type ?? (values === undefined ? '' : 'string'))] ?? 'mixed';
}

/** Several values are joined by commas; a single one may stand alone. */
function queryType(schema: Schema): string {
  return isList(schema) ? 'string|array' : (PRIMITIVES[String(alternatives(schema)[0]?.type)] ?? 'string');
}

const isList = (schema: Schema) => schema.type === 'array';
const nullable = (type: string) => (type.includes('|') ? `${type}|null` : `?${type}`);

/** Some code in brackets: in one line, or where that is too long one part a line. */
function wrapped(before: string, parts: readonly string[], after: string, indent: string): string {
  const line = `${before}${parts.join(', ')}${after}`;
  if (!line.includes('\n') && indent.length + line.length <= MAX_COLUMNS) return line;
  return `${before}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${after}`;
}

function words(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length > MAX_COLUMNS - 10) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** `order_id` as `orderId`. */
function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
