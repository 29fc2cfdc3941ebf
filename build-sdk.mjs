// `npm run build:sdk` (decisions 68, 96): each entry of src/sdk as one ES module, as one CommonJS module, and its types as one
// file; and the program. What merchants import is not minified: an uncaught error shows the line that threw. The program has no
// indents, in lines that are as short. In JavaScript itself, because it runs wherever somebody installs the SDK from git.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const compiler = at('node_modules/@typescript/native/bin/tsc');

/** The first declares the types of events, which the others import from it. */
const ENTRIES = ['index', 'client/index', 'edge/index'];
const PROGRAM = 'cli/main';

async function build() {
  rmSync(at('dist-sdk'), { recursive: true, force: true });
  const flags = ['--declaration', '--emitDeclarationOnly', '--stripInternal'];
  const options = { cwd: at('.'), stdio: 'inherit' };
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.sdk.json', ...flags], options);
  if (status !== 0) throw new Error('src/sdk does not compile');
  const types = ENTRIES.map((entry) => [entry, typesOf(`${entry}.d.ts`)]);
  rmSync(at('dist-sdk'), { recursive: true });
  await bundle();
  for (const [entry, text] of types) {
    writeFileSync(at(`dist-sdk/${entry}.d.ts`), indentedByTwo(text));
    writeFileSync(at(`dist-sdk/${entry}.d.mts`), `export * from './index.js';\n`);
  }
  writeFileSync(at('dist-sdk/package.json'), '{ "type": "commonjs" }\n');
}

/** The compiler writes four blanks a level. */
const indentedByTwo = (text) => text.replaceAll(/^(?: {4})+/gm, ({ length }) => ' '.repeat(length / 2));

/**
 * What is said of a field or a method, which esbuild keeps in classes: the types say it already. And the
 * files that esbuild names: the package does not hold them.
 */
const COMMENT = /^ +\/\*\*(?:(?!\*\/).)*\*\/\n|^\/\/ src\/[^\n]*\n/gms;

async function bundle() {
  const { build } = await import('esbuild');
  const settings = { absWorkingDir: at('.'), outdir: 'dist-sdk', bundle: true, platform: 'node' };
  const entries = {
    ...settings,
    entryPoints: ENTRIES.map((entry) => `src/sdk/${entry}.ts`),
    target: 'es2022',
  };
  await build({ ...entries, format: 'cjs' });
  await build({ ...entries, format: 'esm', outExtension: { '.js': '.mjs' } });
  const plugins = [{ name: 'the program imports the entries', setup: importEntries }];
  const program = { entryPoints: { [PROGRAM]: `src/sdk/${PROGRAM}.ts` }, outExtension: { '.js': '.mjs' } };
  const dense = { minifyWhitespace: true, lineLimit: 110 };
  await build({ ...settings, ...program, ...dense, format: 'esm', target: 'node20', plugins });
  for (const file of [...ENTRIES.flatMap((entry) => [`${entry}.js`, `${entry}.mjs`]), `${PROGRAM}.mjs`]) {
    const path = at(`dist-sdk/${file}`);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(COMMENT, ''));
  }
}

/** What merchants import is in the package already: the program does not hold it a second time. */
function importEntries({ onResolve }) {
  onResolve({ filter: /^(\.\.\/)+(client\/)?index\.ts$/ }, ({ path }) => ({
    path: path.replace(/^(\.\.\/)+(.*)\.ts$/, '../$2.mjs'),
    external: true,
  }));
}

/** A declaration with its comment; the groups are its kind and its name. It ends where the next begins. */
const DECLARATION =
  /(?:^\/\*\*(?:(?!\*\/).)*\*\/\n)?^(?:export )?(?:declare )?(class|const|function|interface|type) (\w+).*?\n(?=^(?:\/\*\*(?:(?!\*\/).)*\*\/\n)?(?:export|declare|interface|type) |(?![^]))/gms;
const IMPORT = /^(import|export) (.*)from '(.*)\.ts';\n/gm;

/** The types that an entry exports, and those that they need, of all files of its folder that it reaches. */
function typesOf(entry) {
  const folder = dirname(entry);
  const isOwn = (path) => folder === '.' || path.startsWith(`${folder}/`);
  const files = filesOf(entry, isOwn);
  const all = [...files.values()].flatMap((text) =>
    [...text.replaceAll(IMPORT, '').matchAll(DECLARATION)].map(([code, kind, name]) => {
      // A type needs a value only by `typeof`.
      const use = new RegExp(/^(const|function)$/.test(kind) ? `typeof ${name}\\b` : `\\b${name}\\b`);
      return { code, name, use };
    }),
  );
  // `export type *` of the generated types names nothing.
  const generated = [...files].flatMap(([file, code]) => (file.startsWith('client/types/') ? [code] : []));
  const named = [files.get(entry), ...generated.flatMap((code) => code.match(/^export .*/gm))].join('\n');
  const isPublic = ({ name }) => new RegExp(`\\b${name}\\b`).test(named);
  const needed = new Set(all.filter(isPublic));
  // A set shows what is added to it while it is walked.
  for (const { code } of needed) for (const one of all) if (one.use.test(code)) needed.add(one);
  const lines = all
    .filter((one) => needed.has(one))
    .map((one) => (isPublic(one) ? one.code : one.code.replace(/^export /m, '')));
  const foreign = [...files].flatMap(([file, text]) =>
    [...text.matchAll(IMPORT)].filter(([, , , path]) => !isOwn(join(dirname(file), path))),
  );
  return [...fromIndex(foreign, lines.join('')), ...lines, 'export {};\n'].join('');
}

/** What an entry takes over from the first one, and what its own declarations need of it. */
function fromIndex(foreign, code) {
  const names = foreign.flatMap(([, , text]) => text.match(/\b(?!type\b)\w+/g));
  const used = [...new Set(names)].filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const exported = foreign.filter(([, kind]) => kind === 'export');
  return [
    ...(used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '../index.js';\n`]),
    ...exported.map(([, kind, text]) => `${kind} ${text}from '../index.js';\n`),
  ];
}

function filesOf(file, isOwn, found = new Map()) {
  if (found.has(file)) return found;
  const text = readFileSync(at(`dist-sdk/${file}`), 'utf8');
  found.set(file, text);
  for (const [, , , path] of text.matchAll(IMPORT)) {
    const imported = join(dirname(file), `${path}.d.ts`);
    if (isOwn(imported)) filesOf(imported, isOwn, found);
  }
  return found;
}

// `prepare` runs after every `npm ci`, also of production, which has no compiler.
if (existsSync(compiler) || !process.argv.includes('--if-possible')) await build();
