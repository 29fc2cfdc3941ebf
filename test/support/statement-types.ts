import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The properties of an object type, each with the kinds of its values; of a union, those of all its members.
 */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A statement as the code declares it: `` sql<Row, Params>('name', ...) ``, or a call of a function that
 * returns one.
 */
export interface Declaration {
  /** `src/domain/x.ts:12` */
  readonly place: string;
  /** The names that it gives: one, or a pattern where a part of it is computed. */
  readonly name: RegExp;
  readonly isLiteral: boolean;
  /** The source lines, from the first to the last of the call. */
  readonly lines: readonly string[];
  /** Null: `never`, the statement returns no columns. */
  readonly row: Shape | null;
  /** Null: the positional form, which has no names. */
  readonly params: Shape | null;
}

/**
 * Every TypeScript module below src, from the project's root; entry points of processes and of the command
 * line, which run when they are imported, aside.
 */
export function modulesOfSrc(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:processes\/[^/]+|sdk\/cli\/main\.ts)$/.test(file))
    .map((file) => join(ROOT, 'src', file));
}

/** Every declaration of a statement in src, with its types as the compiler sees them. */
export function declarationsOfSrc(): Declaration[] {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram(modulesOfSrc(), options);
  const checker = program.getTypeChecker();
  const found: Declaration[] = [];
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(join(ROOT, 'src/'))) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const declaration = declarationOf(node, file, checker);
        if (declaration !== null) found.push(declaration);
      }
      node.forEachChild(visit);
    };
    visit(file);
  }
  return found;
}

/** What a declaration returns: a statement, or one text as two of them (domain/ops/verify/pages). */
const DECLARED: ReadonlySet<string> = new Set(['Statement', 'Twice']);

function declarationOf(
  call: ts.CallExpression,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): Declaration | null {
  const [first, second] = call.arguments;
  const name = first && nameOf(first);
  if (name === undefined || second === undefined) return null;
  const type = checker.getTypeAtLocation(call);
  if (!DECLARED.has(type.getSymbol()?.name ?? '')) return null;
  const [row, params] = checker.getTypeArguments(type as ts.TypeReference);
  if (row === undefined || params === undefined) return null;
  const [begin, end] = [call.getStart(file), call.getEnd()].map(
    (position) => file.getLineAndCharacterOfPosition(position).line,
  );
  return {
    place: `${relative(ROOT, file.fileName)}:${(begin ?? 0) + 1}`,
    name,
    isLiteral: first !== undefined && ts.isStringLiteral(first),
    lines: file.text.split('\n').slice(begin, (end ?? 0) + 1),
    row: row.flags & ts.TypeFlags.Never ? null : shapeOf(row, checker),
    params: checker.isArrayLikeType(params) ? null : shapeOf(params, checker),
  };
}

/** Undefined: this is no name of a statement, or it is one only where the enclosing function is called. */
function nameOf(node: ts.Expression): RegExp | undefined {
  if (ts.isStringLiteralLike(node))
    return /^[a-z]\w*$/.test(node.text) ? new RegExp(`^${node.text}$`) : undefined;
  if (!ts.isTemplateExpression(node)) return undefined;
  const texts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  return texts.every((text) => /^\w*$/.test(text)) ? new RegExp(`^${texts.join('.+')}$`) : undefined;
}

function shapeOf(type: ts.Type, checker: ts.TypeChecker): Shape {
  const shape = new Map<string, Set<string>>();
  for (const member of type.isUnion() ? type.types : [type])
    for (const property of checker.getPropertiesOfType(member)) {
      const kinds = shape.get(property.name) ?? new Set();
      for (const kind of kindsOf(checker.getTypeOfSymbol(property), checker)) kinds.add(kind);
      shape.set(property.name, kinds);
    }
  return shape;
}

/**
 * What a value may be: `string`, `number`, `Date`, ...; a list is its element's kind and `[]`. Null and
 * undefined are left out.
 */
function kindsOf(type: ts.Type, checker: ts.TypeChecker): string[] {
  if (type.isUnion()) return type.types.flatMap((member) => kindsOf(member, checker));
  if (type.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return [];
  if (type.flags & ts.TypeFlags.StringLike) return ['string'];
  if (type.flags & ts.TypeFlags.NumberLike) return ['number'];
  if (type.flags & ts.TypeFlags.BooleanLike) return ['boolean'];
  if (checker.isArrayLikeType(type)) {
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    return element === undefined ? ['object[]'] : kindsOf(element, checker).map((kind) => `${kind}[]`);
  }
  const name = type.getSymbol()?.name;
  return [name === 'Date' || name === 'Buffer' ? name : 'object'];
}
