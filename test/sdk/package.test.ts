import { readFileSync, readdirSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Pool } from 'pg';
import * as client from '../../src/sdk/client/index.ts';
import * as edge from '../../src/sdk/edge/index.ts';
import * as webhooks from '../../src/sdk/index.ts';
import { filesBelow, read, ROOT } from '../support/documents.ts';
import { installPackedSdk, run, type SdkApp } from '../support/packed-sdk.ts';
import { openPool } from '../support/pool.ts';
import { createTestDatabase } from '../support/postgres.ts';

const MAX_UNPACKED_BYTES = 250_000;
const compiler = (name: string) => join(ROOT, 'node_modules/.bin', name);
/** The compilers: TypeScript 7, and 6, which has the older ways to find a package. */
const [TSC, TSC6] = [compiler('tsc'), compiler('tsc6')];

const NODE10 = [
  '--skipLibCheck',
  '--module',
  'commonjs',
  '--moduleResolution',
  'node10',
  '--ignoreDeprecations',
  '6.0',
];
/** The older compiler takes ten times as long; TypeScript 7 checks the declarations as well. */
const NODE16 = ['--module', 'node16', '--skipLibCheck'];

describe('the package, installed from its tarball', () => {
  let sdk: SdkApp;
  let app: string;
  const print: SdkApp['print'] = (file, code) => sdk.print(file, code);
  before(async () => {
    sdk = await installPackedSdk();
    app = sdk.folder;
  });
  after(() => sdk.remove());

  /** Compiles a file as a strict project without Node's types does, libraries too; returns what it prints. */
  async function compile(file: string, code: string, flags: readonly string[], tsc = TSC): Promise<string> {
    await writeFile(join(app, file), code);
    const strict = ['--strict', '--noEmit', '--target', 'es2022', '--skipLibCheck', 'false'];
    const { stdout } = await run(tsc, [...strict, ...flags, file], { cwd: app }).catch(
      (error: unknown) => error as { stdout: string },
    );
    return stdout;
  }

  it('holds the build of the SDK alone, and is below 250 kB', () => {
    const { packed } = sdk;
    expect(packed.unpackedSize).to.be.below(MAX_UNPACKED_BYTES);
    const others = packed.files.map(({ path }) => path).filter((path) => !path.startsWith('dist-sdk/'));
    expect(others).to.have.members(['README.md', 'package.json']);
  });

  it('brings no other package', () => {
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).to.deep.equal([
      'payment-checkout',
    ]);
  });

  for (const [entry, all] of [
    ['webhooks', webhooks],
    ['webhooks/edge', edge],
    ['client', client],
  ] as const)
    it(`exports ./${entry}, to ES modules and to CommonJS`, async () => {
      const names = Object.keys(all).sort().join();
      expect(names).to.match(/verifyWebhook|PaymentCheckout/);
      const esm = `import * as all from 'payment-checkout/${entry}'; ${PRINT_NAMES}`;
      expect(await print('names.mjs', esm)).to.equal(names);
      const cjs = `const all = require('payment-checkout/${entry}'); ${PRINT_NAMES}`;
      expect(await print('names.cjs', cjs)).to.equal(names);
    });

  it('signs and verifies there', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const code = `
      const rawBody = '{"id":"evt_1","type":"checkout.settled"}';
      const headers = signWebhook({ eventId: 'evt_1', rawBody, secrets: '${secret}' });
      console.log(verifyWebhook({ rawBody, headers: new Headers(headers), secrets: ['${secret}'] }).eventId);`;
    const names = '{ signWebhook, verifyWebhook }';
    expect(await print('b.mjs', `import ${names} from 'payment-checkout/webhooks'; ${code}`)).to.equal(
      'evt_1',
    );
    expect(await print('b.cjs', `const ${names} = require('payment-checkout/webhooks'); ${code}`)).to.equal(
      'evt_1',
    );
  });

  it('runs examples/handle-once: a settled order that is reported three times is sent once', async () => {
    const database = await createTestDatabase();
    const { pool, close } = openPool(database.url);
    try {
      await pool.query(`${webhooks.HANDLED_EVENTS_TABLE}; CREATE TABLE parcels (order_id text);
        CREATE TABLE stock (items int); INSERT INTO stock VALUES (7)`);
      await copyFile(join(ROOT, 'examples/handle-once/handle.mjs'), join(app, 'handle.mjs'));
      const { handle } = (await import(pathToFileURL(join(app, 'handle.mjs')).href)) as {
        handle: (pool: Pool, event: object) => Promise<string[]>;
      };
      const event = {
        id: 'evt_1',
        type: 'checkout.settled',
        sequence: 4,
        data: { checkout: { id: 'pay_1' } },
        metadata: { orderId: 'order-7' },
      };
      for (const handled of [['evt_1'], [], []]) expect(await handle(pool, event)).to.deep.equal(handled);
      const { rows } = await pool.query('SELECT items, order_id FROM stock, parcels');
      expect(rows).to.deep.equal([{ items: 6, order_id: 'order-7' }]);
    } finally {
      await close();
      await database.drop();
    }
  });

  it('exports nothing else', async () => {
    const code = await print(
      'c.mjs',
      `console.log(await import('payment-checkout/dist-sdk/verify.js').catch(({ code }) => code));`,
    );
    expect(code).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  for (const entry of ['client', 'edge'])
    it(`needs no name of Node in ${entry}: it compiles with what the web has`, async () => {
      const flags = ['--lib', 'es2022,dom', '--module', 'nodenext', '--allowImportingTsExtensions'];
      const source = join(ROOT, `src/sdk/${entry}/index.ts`);
      expect(await compile('web.mts', `import '${source}';`, flags)).to.equal('');
    });

  it('imports node:crypto and its own files, and no package; the program modules of Node', () => {
    const root = join(app, 'node_modules/payment-checkout/dist-sdk');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.m?js$/.test(file),
    );
    const importedBy = (file: string) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /(?:from|import|require)\s*\(?\s*['"]([\w:./-]+)['"]/g,
        ),
      ]
        .map(([, name = '']) => name)
        .filter((name) => !/^\.\.?\//.test(name));
    const isProgram = (file: string) => file.startsWith('cli');
    const imported = files.filter((file) => !isProgram(file)).flatMap(importedBy);
    expect([...new Set(imported)]).to.deep.equal(['node:crypto']);
    const byProgram = files.filter(isProgram).flatMap(importedBy);
    expect(byProgram).to.include('node:fs');
    expect(byProgram.filter((name) => !name.startsWith('node:'))).to.deep.equal([]);
  });

  it('runs as a program: npx payment-checkout', async () => {
    const { stdout } = await run('npx', ['payment-checkout', '--help'], { cwd: app });
    expect(stdout).to.include('Usage: payment-checkout COMMAND').and.include('listen');
    const wrong = await run('npx', ['payment-checkout', 'pay'], { cwd: app }).catch(
      (error: unknown) => error,
    );
    expect(wrong).to.include({ code: 2, stdout: '' });
  });

  for (const [resolution, tsc, file, flags] of [
    ['node10, the default of commonjs', TSC6, 'types.ts', NODE10],
    ['node16, as an ES module', TSC6, 'types.mts', NODE16],
    ['node16, as CommonJS', TSC6, 'types.cts', NODE16],
    ['nodenext, as an ES module', TSC, 'types.mts', ['--module', 'nodenext']],
    ['nodenext, as CommonJS', TSC, 'types.cts', ['--module', 'nodenext']],
    ['bundler', TSC, 'types.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ] as const)
    it(`has types that need no other package, and that distinguish events: ${resolution}`, async () => {
      expect(await compile(file, TYPED, flags, tsc)).to.equal('');
    });

  it('compiles the snippets of the client page and the samples strictly, as they stand', async () => {
    const page = 'docs/how-to/use-the-client.md';
    const snippets = [...read(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(snippets).to.have.lengthOf(1);
    const samples = filesBelow('docs/samples/typescript').map(read);
    const names = await Promise.all(
      [...snippets, ...samples].map(async (code, i) => {
        await writeFile(join(app, `snippet-${i}.mts`), code);
        return `snippet-${i}.mts`;
      }),
    );
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const flags = ['--module', 'nodenext', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    expect(
      await compile(
        'all.mts',
        names.map((name) => `import './${name.replace('.mts', '.mjs')}';`).join('\n'),
        [...flags, ...types, '--skipLibCheck'],
      ),
    ).to.equal('');
  });

  it('has a comment on every field and method of its types', () => {
    for (const [file, text] of declarations(app)) {
      const lines = text.split('\n');
      const isMember = (line: string) => /^\s+(readonly )?[\w'-]+\??(<.*?>)?[:(=]/.test(line);
      const bare = lines.filter((line, i) => isMember(line) && lines[i - 1]?.trim().endsWith('*/') !== true);
      expect(
        bare.filter((line) => !/^ +(constructor\(|\* )/.test(line)),
        file,
      ).to.deep.equal([]);
    }
  });

  it('prints an uncaught error with the line that threw it, and not the whole file', async () => {
    const call = `import { webhookSecrets } from 'payment-checkout/webhooks'; webhookSecrets('hunter2');`;
    const { stderr } = (await print('throws.mjs', call).catch((error: unknown) => error)) as {
      stderr: string;
    };
    expect(stderr).to.include('throw new TypeError(').and.include('a webhook secret must begin with whsec_');
    expect(stderr.length).to.be.below(1_500);
  });
});

function declarations(app: string): [string, string][] {
  const root = join(app, 'node_modules/payment-checkout/dist-sdk');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]);
}

const PRINT_NAMES = 'console.log(Object.keys(all).sort().join());';

const TYPED = `import { ApiError, PaymentCheckout, type Payment } from 'payment-checkout/client';
import { verifyWebhook, type WebhookEvent } from 'payment-checkout/webhooks';
import * as atEdge from 'payment-checkout/webhooks/edge';
export function describe(event: WebhookEvent): string {
  // @ts-expect-error: only a refund has one
  void event.data.refund.amount;
  if (event.type === 'checkout.refunded') return event.data.refund.amount;
  if (event.type === 'checkout.settled') return event.data.checkout.settledAt;
  // @ts-expect-error: not settled yet
  const settledAt: string = event.data.checkout.settledAt;
  return settledAt;
}
export const result = verifyWebhook({ rawBody: new Uint8Array(), headers: { a: ['b'] }, secrets: 'whsec_' });
export const reason: string = result.ok ? result.eventId : result.reason;
// @ts-expect-error: a parsed body
verifyWebhook({ rawBody: { id: 'evt_1' }, headers: {}, secrets: [] });
export const atTheEdge: Promise<string | boolean> = atEdge
  .verifyWebhook({ rawBody: new ArrayBuffer(1), headers: new Headers(), secrets: 'whsec_' })
  .then((result) => (result.ok ? result.event.data.checkout.status : result.reason));
// @ts-expect-error: a promise is no result
void atEdge.verifyWebhook({ rawBody: '', headers: {}, secrets: '' }).ok;
export async function pay(client: PaymentCheckout, signal: AbortSignal): Promise<Payment> {
  // @ts-expect-error: amounts are text
  void client.payments.create({ pay_amount: 10.5, order_id: 'order 1' });
  const created = await client.payments.create({ pay_amount: '10.50', order_id: 'order 1' }, { signal });
  for await (const event of client.events.all({ type: ['checkout.settled'] }))
    if (event.type === 'checkout.settled') console.log(event.data.checkout.settledAt.length);
  return client.payments.waitFor(created.id, 'SETTLED').catch((error: unknown) => {
    if (error instanceof ApiError) console.log(error.details?.field, error.requestId);
    throw error;
  });
}
`;
