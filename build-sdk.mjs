// `npm run build:sdk` (decision 68): src/sdk as CommonJS, which every runtime and bundler can import, and an ES module
// for each entry that passes its names on. JavaScript has no comments, and tabs instead of four spaces: it is to stay
// small. In JavaScript itself, because it runs wherever somebody installs the SDK from git.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const compiler = at('node_modules/@typescript/native/bin/tsc');

// `prepare` runs after every `npm ci`, also of production, which has no compiler.
if (existsSync(compiler) || !process.argv.includes('--if-possible')) build();

function build() {
  rmSync(at('dist-sdk'), { recursive: true, force: true });
  tsc('--removeComments');
  tsc('--declaration', '--emitDeclarationOnly');
  writeFileSync(at('dist-sdk/package.json'), '{ "type": "commonjs" }\n');
  for (const file of readdirSync(at('dist-sdk'), { recursive: true }).map((name) => at(`dist-sdk/${name}`))) {
    // What is only types is nothing at run time.
    if (/client[\\/]types[\\/][\w-]+\.js$/.test(file)) rmSync(file);
    else if (/\.(js|ts)$/.test(file)) writeFileSync(file, smaller(file, readFileSync(file, 'utf8')));
  }
  for (const entry of ['index', 'client/index']) {
    const names = Object.keys(require(at(`dist-sdk/${entry}.js`))).join(', ');
    writeFileSync(at(`dist-sdk/${entry}.mjs`), `export { ${names} } from './index.js';\n`);
    writeFileSync(at(`dist-sdk/${entry}.d.mts`), `export * from './index.js';\n`);
  }
}

function tsc(...flags) {
  const args = [compiler, '-p', 'tsconfig.sdk.json', ...flags];
  const { status } = spawnSync(process.execPath, args, { cwd: at('.'), stdio: 'inherit' });
  if (status !== 0) throw new Error('src/sdk does not compile');
}

/** What the generated types say of each field is in the OpenAPI document as well. */
function smaller(file, text) {
  const isGenerated = /client[\\/]types[\\/]/.test(file);
  const code = isGenerated ? text.replaceAll(/^ *\/\*\*.*?\*\/\n/gms, '') : text;
  return code.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}
