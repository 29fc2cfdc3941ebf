// The pure tests, for `npm run check`: those that start no process, hence no Postgres and no Redis. They are found, not listed: a
// test file is pure when neither it nor a module that it loads, however indirectly, imports node:child_process.
// test/pure-tests.test.ts holds this to the imports as dependency-cruiser reads them.

const { readdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// Without the set-up: a test that needs a database fails.
const { require: _, ...shared } = require('./.mocharc.json');

/** What a file loads when it runs: type-only imports load nothing. */
const LOADS = /^(?:import|export) (?!type\b)(?:[^'"`;]*? from )?'([^']+)'|\bawait import\('([^']+)'\)/gm;

const ignored = shared.ignore.map(
  (glob) => new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll(/\*\*?\/?/g, '.*')}$`),
);
const loadedBy = new Map();

module.exports = {
  ...shared,
  spec: readdirSync(join(__dirname, 'test'), { recursive: true })
    .map((name) => `test/${name}`)
    .filter((file) => file.endsWith('.test.ts') && !ignored.some((glob) => glob.test(file)))
    .filter((file) => !startsProcesses(file))
    .sort(),
};

function startsProcesses(file, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  return modulesLoadedBy(file).some((name) =>
    name.startsWith('.') && name.endsWith('.ts')
      ? startsProcesses(join(dirname(file), name), seen)
      : name === 'node:child_process',
  );
}

function modulesLoadedBy(file) {
  if (!loadedBy.has(file)) {
    const imports = [...readFileSync(join(__dirname, file), 'utf8').matchAll(LOADS)];
    loadedBy.set(
      file,
      imports.map(([, name, later]) => name ?? later),
    );
  }
  return loadedBy.get(file);
}
