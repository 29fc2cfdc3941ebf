import {
  alternatives,
  nameOf,
  OPERATIONS,
  SCHEMAS,
  VERSION,
  type Operation,
  type Schema,
} from './operations.ts';

const HEAD = (what: string) =>
  `"""${what}\n\nWritten by npm run integrations, from the OpenAPI document of the service.\n"""\n`;
const MAX_COLUMNS = 99;
const RESERVED = new Set(['from', 'in', 'is', 'class', 'global', 'import', 'not', 'pass', 'with', 'as']);
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** The generated files of integrations/python/payment_checkout. */
export function pythonFiles(): ReadonlyMap<string, string> {
  const classes = new Classes();
  for (const [name, schema] of Object.entries(SCHEMAS)) classes.declare(name, schema);
  const methods = OPERATIONS.map((operation) => methodOf(operation, classes));
  return new Map([
    ['schemas.py', [HEAD('What the API takes and returns, as types.'), IMPORTS, ...classes.texts].join('\n')],
    [
      'client.py',
      [HEAD('The client: a method for each operation of the API.'), CLIENT, ...methods].join('\n'),
    ],
  ]);
}

const IMPORTS = `from __future__ import annotations

from typing import Any, Literal, TypedDict
`;

const CLIENT = `from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import schemas
from .http import Http

VERSION = "${VERSION}"


class Client(Http):
    """A client of the REST API: Client("https://pay.example", "sk_test_...")."""
`;

/** Declares the objects of schemas as classes, each once. */
class Classes {
  readonly texts: string[] = [];

  /** An object with fields becomes a class of this name; what is none, a class without fields. */
  declare(name: string, schema: Schema): void {
    // Reserved before its fields are: the order is that of first use.
    const at = this.texts.push('') - 1;
    const fields = Object.entries(schema.properties ?? {});
    const isRequired = ([field]: readonly [string, Schema]) => schema.required?.includes(field) === true;
    const lines = (chosen: typeof fields) =>
      chosen.map(([field, value]) => `    ${field}: ${this.typeOf(value, name + pascal(field), '    ')}\n`);
    const required = lines(fields.filter(isRequired));
    const optional = lines(fields.filter((field) => !isRequired(field)));
    const isClass = !fields.some(([field]) => RESERVED.has(field));
    this.texts[at] = isClass ? classesOf(name, required, optional) : this.#unnamable(name, schema);
  }

  /** The type of a schema. An object without a name is declared as `name`. */
  typeOf(schema: Schema, name: string, indent: string): string {
    const objects = alternatives(schema).filter(isShaped).length;
    const parts = alternatives(schema).map((one, index) =>
      this.#partOf(one, objects > 1 ? `${name}${index + 1}` : name, indent),
    );
    return union(parts, indent);
  }

  /** With a field whose name is a word of the language. */
  #unnamable(name: string, { properties = {}, required = [] }: Schema): string {
    const fields = Object.entries(properties);
    if (required.length < fields.length)
      throw new Error(`${name} has a field with a name that Python reserves`);
    const lines = fields.map(
      ([field, value]) => `    "${field}": "${this.typeOf(value, name + pascal(field), '')}",\n`,
    );
    return `\n${name} = TypedDict(\n    "${name}",\n    {\n${lines.map((line) => `    ${line}`).join('')}    },\n)\n`;
  }

  #partOf(schema: Schema, name: string, indent: string): string {
    const reference = nameOf(schema);
    if (reference !== null) return reference;
    if (schema.const !== undefined) return literal([schema.const], indent);
    if (schema.enum !== undefined) return literal(schema.enum, indent);
    if (schema.type === 'array')
      return listOf(this.typeOf(schema.items ?? {}, name, `${indent}    `), indent);
    if (isShaped(schema)) {
      this.declare(name, schema);
      return name;
    }
    if (schema.type === 'object') {
      const [rest] = Object.values(schema.patternProperties ?? {});
      const others = rest ?? schema.additionalProperties;
      return `dict[str, ${typeof others === 'object' ? this.typeOf(others, name, indent) : 'Any'}]`;
    }
    return PRIMITIVES[String(schema.type)] ?? 'Any';
  }
}

function listOf(item: string, indent: string): string {
  return item.includes('\n') ? `list[\n${indent}    ${item}\n${indent}]` : `list[${item}]`;
}

function isShaped(schema: Schema): boolean {
  return Object.keys(schema.properties ?? {}).length > 0;
}

/** Python 3.9 has no word for a single field that may be missing: a class of those that may not is below. */
function classesOf(name: string, required: readonly string[], optional: readonly string[]): string {
  const body = (lines: readonly string[]) => (lines.length === 0 ? '    pass\n' : lines.join(''));
  if (optional.length === 0) return `\nclass ${name}(TypedDict):\n${body(required)}`;
  if (required.length === 0) return `\nclass ${name}(TypedDict, total=False):\n${body(optional)}`;
  return [
    `\nclass _${name}(TypedDict):\n${body(required)}\n`,
    `\nclass ${name}(_${name}, total=False):\n${body(optional)}`,
  ].join('');
}

function literal(values: readonly unknown[], indent: string): string {
  const texts = values.map((value) =>
    value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  );
  const line = `Literal[${texts.join(', ')}]`;
  if (line.length < 50) return line;
  return `Literal[\n${texts.map((text) => `${indent}    ${text},\n`).join('')}${indent}]`;
}

function union(parts: readonly string[], indent: string): string {
  const unique = [...new Set(parts)];
  const line = unique.join(' | ');
  if (unique.length === 1 || (line.length < 60 && !line.includes('\n'))) return line;
  const deeper = unique.map((part) => part.replaceAll('\n', '\n    '));
  return `(\n${indent}    ${deeper.join(`\n${indent}    | `)}\n${indent})`;
}

function methodOf(operation: Operation, classes: Classes): string {
  const { id, summary, ids, query, body, needsBody, files, hasKey, method, path } = operation;
  const type = (schema: Schema, name: string) => qualified(classes.typeOf(schema, name, '        '));
  const variable = (name: string) => (RESERVED.has(name) ? `${name}_` : name);
  const positional = [
    'self',
    ...ids.map((name) => `${name}: str`),
    ...(body === null
      ? []
      : [`body: ${type(body, `${pascal(id)}Request`)}${needsBody ? '' : ' | None = None'}`]),
    ...(files.length === 0 ? [] : ['file: bytes', `content_type: ${literal(files, '        ')}`]),
  ];
  const named = [
    ...query.map(({ name, schema }) => `${variable(name)}: ${queryType(schema)} | None = None`),
    ...(hasKey ? ['idempotency_key: str | None = None'] : []),
  ];
  const parameters = [...positional, ...(named.length === 0 ? [] : ['*', ...named])];
  const pairs = query.map(({ name }) => `"${name}": ${variable(name)}`);
  const target = ids.length === 0 ? `"${path}"` : `f"${path.replaceAll(/\{(\w+)\}/g, '{self._id($1)}')}"`;
  const call = [
    `"${method}"`,
    target,
    ...(query.length === 0 ? [] : [wrapped('query={', pairs, '}', ' '.repeat(12))]),
    ...(body === null ? [] : ['body=body']),
    ...(files.length === 0 ? [] : ['file=(content_type, file)']),
    ...(hasKey ? ['idempotency_key=idempotency_key'] : []),
  ];
  const result = type(operation.response, `${pascal(id)}Response`);
  return [
    `    ${wrapped(`def ${snake(id)}(`, parameters, `) -> ${result}:`, ' '.repeat(4))}`,
    docstring(summary, '        '),
    `        ${wrapped('return self._send(', call, ')', ' '.repeat(8))}\n`,
  ].join('\n');
}

/** The types of schemas.py, as another module names them. */
function qualified(type: string): string {
  return type.replaceAll(/(?<!["\w])(?:[A-Z]\w+)/g, (name) =>
    ['Any', 'Literal', 'None'].includes(name) ? name : `schemas.${name}`,
  );
}

/** Several values are joined by commas; a single one may stand alone. */
function queryType(schema: Schema): string {
  const kind = schema.type === 'array' ? 'array' : String(alternatives(schema)[0]?.type ?? 'string');
  return kind === 'array' ? 'str | Sequence[str]' : (PRIMITIVES[kind] ?? 'str');
}

/** Some code in brackets: in one line, or where that is too long one part a line. */
function wrapped(before: string, parts: readonly string[], after: string, indent: string): string {
  const line = `${before}${parts.join(', ')}${after}`;
  if (!line.includes('\n') && indent.length + line.length <= MAX_COLUMNS) return line;
  return `${before}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${after}`;
}

function docstring(text: string, indent: string): string {
  const line = `${indent}"""${text}"""`;
  if (line.length <= MAX_COLUMNS) return line;
  const at = line.lastIndexOf(' ', MAX_COLUMNS - 3);
  return `${line.slice(0, at)}\n${indent}${line.slice(at + 1, -3)}\n${indent}"""`;
}

/** `createPayment` as `create_payment`. */
function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `order_id` and `orderId` as `OrderId`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
