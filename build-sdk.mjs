// `npm run build:sdk` (decision 68): src/sdk as CommonJS, which every runtime and bundler can import, and an ES module
// for each entry that passes its names on. Each entry is one minified file, and its types are one file: the package is
// to stay small (decision 70). In JavaScript itself, because it runs wherever somebody installs the SDK from git.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const compiler = at('node_modules/@typescript/native/bin/tsc');

const ENTRIES = ['index', 'client/index'];
const PROGRAM = 'cli/main';

async function build() {
  rmSync(at('dist-sdk'), { recursive: true, force: true });
  const flags = ['--declaration', '--emitDeclarationOnly', '--stripInternal'];
  const options = { cwd: at('.'), stdio: 'inherit' };
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.sdk.json', ...flags], options);
  if (status !== 0) throw new Error('src/sdk does not compile');
  const types = ENTRIES.map((entry) => [`dist-sdk/${entry}.d.ts`, typesOf(`${entry}.d.ts`)]);
  rmSync(at('dist-sdk'), { recursive: true });
  await bundle();
  for (const [path, text] of types) writeFileSync(at(path), text);
  writeFileSync(at('dist-sdk/package.json'), '{ "type": "commonjs" }\n');
  for (const entry of ENTRIES) {
    const names = Object.keys(require(at(`dist-sdk/${entry}.js`))).join();
    writeFileSync(at(`dist-sdk/${entry}.mjs`), `export {${names}} from './index.js';\n`);
    writeFileSync(at(`dist-sdk/${entry}.d.mts`), `export * from './index.js';\n`);
  }
}

async function bundle() {
  const { build } = await import('esbuild');
  const settings = {
    absWorkingDir: at('.'),
    outdir: 'dist-sdk',
    bundle: true,
    minify: true,
    platform: 'node',
  };
  const entryPoints = ENTRIES.map((entry) => `src/sdk/${entry}.ts`);
  await build({ ...settings, entryPoints, target: 'es2022' });
  const plugins = [{ name: 'the program imports the entries', setup: importEntries }];
  const program = { entryPoints: { [PROGRAM]: `src/sdk/${PROGRAM}.ts` }, outExtension: { '.js': '.mjs' } };
  await build({ ...settings, ...program, format: 'esm', target: 'node20', plugins });
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
const IMPORT = /^(?:import|export) .*from '(.*)\.ts';\n/gm;
/** The events' types are those of the other entry. */
const SHARED = /(^|\/)event-types$/;

/** The types that an entry exports, and those that they need, of all files that it reaches. */
function typesOf(entry) {
  const isIndex = entry === 'index.d.ts';
  const files = filesOf(entry, (path) => isIndex || !SHARED.test(path));
  const text = [...files.values()].join('').replaceAll(IMPORT, '');
  const all = [...text.matchAll(DECLARATION)].map(([code, kind, name]) => {
    // A type needs a value only by `typeof`.
    const use = new RegExp(/^(const|function)$/.test(kind) ? `typeof ${name}\\b` : `\\b${name}\\b`);
    return { code, name, use };
  });
  // `export type *` of the generated types names nothing.
  const generated = [...files].flatMap(([file, code]) => (isGenerated(file) ? [code] : []));
  const named = [files.get(entry), ...generated.flatMap((code) => code.match(/^export .*/gm))].join('\n');
  const isPublic = ({ name }) => new RegExp(`\\b${name}\\b`).test(named);
  const needed = new Set(all.filter(isPublic));
  // A set shows what is added to it while it is walked.
  for (const { code } of needed) for (const one of all) if (one.use.test(code)) needed.add(one);
  const lines = all
    .filter((one) => needed.has(one))
    .map((one) => (isPublic(one) ? one.code : one.code.replace(/^export /m, '')));
  // What is not exported stays inside where something says so.
  const shared = isIndex
    ? 'export {};\n'
    : `import type { EventType, WebhookEvent } from '../index.js';\nexport type { EventType, WebhookEvent };\n`;
  return `${lines.join('')}${shared}`;
}

function filesOf(file, isWanted, found = new Map()) {
  if (found.has(file)) return found;
  const text = readFileSync(at(`dist-sdk/${file}`), 'utf8');
  // What the generated types say of each field is in the OpenAPI document as well.
  const code = isGenerated(file) ? text.replaceAll(/^ *\/\*\*.*?\*\/\n/gms, '') : text;
  found.set(file, smaller(code));
  for (const [, path] of code.matchAll(IMPORT))
    if (isWanted(path)) filesOf(join(dirname(file), `${path}.d.ts`), isWanted, found);
  return found;
}

/** What an editor shows of a comment: as many sentences as fit, at least one. The whole is in the source. */
const COMMENT_LENGTH = 240;

/** Tabs instead of four spaces, comments on one line, and members without one beside each other. */
function smaller(code) {
  const tabs = code.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
  const lines = tabs.replaceAll(/(?<=\S)\n[\t ]+\* (?=[^@\s])/g, ' ').replaceAll(/\n[\t ]+\*\/\n/g, ' */\n');
  const short = lines.replaceAll(/\/\*\* (.*?) \*\//g, (_, text) => `/** ${firstSentences(text)} */`);
  return short.replaceAll(/([{;])\n\t+(?!\/\*\*)/g, '$1');
}

function firstSentences(text) {
  const [first, ...more] = text.split(/(?<=\.) (?=[A-Z`])/);
  let shown = first;
  for (const sentence of more) {
    if (`${shown} ${sentence}`.length > COMMENT_LENGTH) break;
    shown += ` ${sentence}`;
  }
  return shown;
}

function isGenerated(file) {
  return file.startsWith('client/types/');
}

// `prepare` runs after every `npm ci`, also of production, which has no compiler.
if (existsSync(compiler) || !process.argv.includes('--if-possible')) await build();
