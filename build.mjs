// `npm run build`: a file for each process in dist/processes, and what they share in dist/chunks (decision 81): a
// process that loads a few files instead of thousands answers sooner.
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROCESSES = ['web', 'worker', 'watcher', 'signer', 'worker-health', 'release', 'ops', 'merchants'];

/** What stays in node_modules: native code, what finds files beside itself, and what only some processes load. */
const EXTERNAL = ['sharp', '@node-rs/argon2', '@bull-board/*', 'nodemailer'];
/** What packages ask for and do without: drivers of other databases, a native one of Postgres. */
const ABSENT = ['better-sqlite3', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream'];
const ABSENT_TOO = ['sqlite3', 'tedious'];

/** Packages that are CommonJS ask for these names, which an ES module does not have. */
const COMMONJS = `import { createRequire as createRequire$ } from 'node:module';
const require = createRequire$(import.meta.url);
const __filename = require('node:url').fileURLToPath(import.meta.url);
const __dirname = require('node:path').dirname(__filename);`;

/** Argument: the folder to write, which is emptied before; dist/ without it. */
const outdir = process.argv[2] ?? at('dist');
rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: at('.'),
  entryPoints: PROCESSES.map((name) => ({ in: `src/processes/${name}.ts`, out: `processes/${name}` })),
  outdir,
  // As far below the project's root as src/platform/root.ts.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  external: [...EXTERNAL, ...ABSENT, ...ABSENT_TOO],
  banner: { js: COMMONJS },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // V8 keeps the text of what it runs: without comments. Names stay, for stacks without source maps.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'external',
  logLevel: 'warning',
  metafile: true,
});

// V8 keeps two bytes for each character of a file in which one is not ASCII. esbuild escapes those of strings, and
// leaves those of templates with a tag: write them as a string in the template.
for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) {
  const other = /[^\x00-\x7f]/.exec(readFileSync(at(file), 'utf8'));
  if (other !== null) throw new Error(`${file} has the character ${other[0]} outside a string`);
}
