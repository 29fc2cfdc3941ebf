// The layout as rules: processes -> http | background -> domain -> platform -> networks, and the SDK below all. test/architecture.test.ts keeps them,
// `npx depcruise src` shows them. Type-only imports count like any other.

const upwards = (name, from, to) => ({
  name,
  severity: 'error',
  comment: 'Imports point down: processes -> http | background -> domain -> platform.',
  from: { path: `^src/${from}/` },
  to: { path: `^src/(${to})/` },
});

const onlyIn = (name, comment, from, to) => ({
  name,
  severity: 'error',
  comment,
  from: { path: '^src/', pathNot: from },
  to: { path: to },
});

/** The package itself or its types, wherever npm put it. */
const npm = (names) => `(^|node_modules/)(@types/)?(${names})(/|$)`;

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A file that needs itself cannot be read from top to bottom.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      comment: 'Two folders that need each other are one: no arrow between rooms runs back up.',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'networks-are-data',
      severity: 'error',
      comment:
        'Coins and networks are what the world says of them, in one file for each network: they need no code.',
      from: { path: '^src/networks/' },
      to: { pathNot: '^src/networks/' },
    },
    upwards('platform-imports-downwards', 'platform', 'domain|http|background|processes'),
    upwards('domain-imports-downwards', 'domain', 'http|background|processes'),
    upwards('http-imports-downwards', 'http', 'background|processes'),
    upwards('background-imports-downwards', 'background', 'http|processes'),
    {
      name: 'sdk-stands-alone',
      severity: 'error',
      comment: 'Merchants import src/sdk into their own programs: it needs nothing but node:crypto.',
      from: { path: '^src/sdk/', pathNot: '^src/sdk/cli/' },
      to: { pathNot: '^(src/sdk/|(node:)?crypto$)' },
    },
    {
      name: 'program-needs-only-node',
      severity: 'error',
      comment: 'The command line is in the package of the SDK, which has no dependencies.',
      from: { path: '^src/sdk/cli/' },
      to: { pathNot: '^src/sdk/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'program-imports-entries',
      severity: 'error',
      comment: 'The build bundles the program without what merchants import (build-sdk.mjs).',
      from: { path: '^src/sdk/cli/' },
      to: { path: '^src/sdk/', pathNot: '^src/sdk/(cli/|(client/)?index\\.ts$)' },
    },
    {
      name: 'sdk-knows-no-program',
      severity: 'error',
      comment: 'Client and webhooks run where Node does not; the program does not.',
      from: { path: '^src/(?!sdk/cli/)' },
      to: { path: '^src/sdk/cli/' },
    },
    {
      name: 'client-needs-only-fetch',
      severity: 'error',
      comment: 'The client runs where Node does not: it needs no module but its own.',
      from: { path: '^src/sdk/client/' },
      to: { pathNot: '^src/sdk/(client/|event-types\\.ts$)' },
    },
    onlyIn(
      'sdk-in-domain-only',
      "They say how events are signed and what is in them, which is the domain's business.",
      '^src/(sdk|domain)/',
      '^src/sdk/',
    ),
    onlyIn(
      'express-in-http-only',
      'src/http is the only Express code.',
      '^src/http/',
      npm('express|express-serve-static-core|express-rate-limit'),
    ),
    onlyIn(
      'bullmq-in-background-only',
      'src/background is the only BullMQ code; the board is handed to http as a request handler.',
      '^src/background/',
      npm('bullmq|@bull-board/api|@bull-board/express'),
    ),
    {
      name: 'payments-know-only-the-outbox',
      severity: 'error',
      comment: 'A payment records an event; events/dispatch.ts does what follows from it.',
      from: { path: '^src/domain/payments/' },
      to: {
        path: '^src/domain/',
        pathNot: '^src/domain/(payments|outbox|schedule|idempotency|exchange|chain|audit|api)/',
      },
    },
    {
      name: 'api-knows-no-domain',
      severity: 'error',
      comment: 'What every endpoint is declared with: callers, permissions, schemas and errors of the API.',
      from: { path: '^src/domain/api/' },
      to: { path: '^src/(domain|sdk)/', pathNot: '^src/domain/api/' },
    },
    {
      name: 'outbox-knows-nobody',
      severity: 'error',
      comment: 'Whoever records an event does not depend on what it is about, or on what follows from it.',
      from: { path: '^src/domain/outbox/' },
      to: { path: '^src/domain/', pathNot: '^src/domain/(outbox|schedule)/' },
    },
    onlyIn(
      'adapters-name-the-simulator',
      'The simulator is one adapter of a chain: everybody else knows the port.',
      '^src/domain/(adapters\\.ts$|chain/simulator/)',
      '^src/domain/chain/simulator/',
    ),
    onlyIn(
      'handlers-in-workers-only',
      'Declaration (jobs.ts) and handler (worker.ts) are separate: anybody may schedule a job, one file runs them all.',
      '^src/background/workers\\.ts$',
      '^src/domain/[^/]+/worker\\.ts$',
    ),
    onlyIn(
      'endpoints-in-routes-only',
      'The API is on one page: http/routes.ts.',
      '^src/http/routes\\.ts$',
      '^src/domain/[^/]+/routes\\.ts$',
    ),
    {
      name: 'no-key-where-requests-are-served',
      severity: 'error',
      comment:
        'What opens keys and signs is loaded by commands alone: web, worker and watcher have no code for it.',
      from: { path: '^src/processes/(web|worker|watcher|release|merchants)\\.ts$' },
      to: { path: '^src/domain/chain/keys/', reachable: true },
    },
    onlyIn(
      'keys-in-money-out-only',
      'Only what sends transactions of its own opens a key.',
      '^src/(domain/chain/keys/|domain/wallets/flush/|domain/payouts/|processes/setup/(signer/|ops/flush\\.ts$))',
      '^src/domain/chain/keys/',
    ),
    {
      name: 'src-knows-no-tests',
      severity: 'error',
      comment:
        'The service runs without its tests, without what only development needs, and beside its documentation.',
      from: { path: '^src/' },
      to: { path: '^(test|dev|docs-site)/' },
    },
    {
      name: 'dependencies-are-declared',
      severity: 'error',
      comment:
        'The service must run after `npm ci --omit=dev`: its packages are in src/package.json, under "dependencies".',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      comment: 'What does not resolve cannot be judged by the rules above.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default', 'types'],
    },
  },
};
