import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import { build } from 'esbuild';
import * as webhooks from '../../src/sdk/index.ts';
import { ROOT } from '../support/documents.ts';
import { installPackedSdk, run, type SdkApp } from '../support/packed-sdk.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const RAW_BODY = '{"id":"evt_1","type":"checkout.settled"}';
const REQUEST = {
  rawBody: RAW_BODY,
  headers: webhooks.signWebhook({ eventId: 'evt_1', rawBody: RAW_BODY, secrets: SECRET }),
  secrets: SECRET,
};
const VERIFIES = `Promise.resolve(verifyWebhook(${JSON.stringify(REQUEST)})).then((result) => console.log(result.eventId));`;

/** A program for each entry of the package, which prints `evt_1`. */
const PROGRAMS = {
  webhooks: `import { verifyWebhook } from 'payment-checkout/webhooks'; ${VERIFIES}`,
  edge: `import { verifyWebhook } from 'payment-checkout/webhooks/edge'; ${VERIFIES}`,
  client: `import { PaymentCheckout } from 'payment-checkout/client';
    const answer = async () => new Response('{"id":"evt_1"}');
    new PaymentCheckout({ apiKey: 'sk_test_1', baseUrl: 'https://pay.example', fetch: answer })
      .events.get('evt_1').then(({ id }) => console.log(id));`,
} as const;
type Entry = keyof typeof PROGRAMS;

describe('a bundle with the SDK in it', () => {
  let sdk: SdkApp;
  /** Where no package is: what is not in the bundle is not found. */
  let alone: string;
  const entryOf = (entry: Entry) => join(sdk.folder, `${entry}.mjs`);
  before(async () => {
    sdk = await installPackedSdk();
    alone = join(sdk.folder, '../alone');
    await mkdir(alone);
    for (const [entry, code] of Object.entries(PROGRAMS))
      await writeFile(join(sdk.folder, `${entry}.mjs`), code);
  });
  after(() => sdk.remove());

  async function print(file: string): Promise<string> {
    const { stdout } = await run(process.execPath, [join(alone, file)], { cwd: alone });
    return stdout.trim();
  }

  for (const entry of ['webhooks', 'edge', 'client'] as const) {
    for (const [format, file] of [
      ['esm', `${entry}.esbuild.mjs`],
      ['cjs', `${entry}.esbuild.cjs`],
    ] as const)
      it(`runs: ${entry}, by esbuild --format=${format}`, async () => {
        const outfile = join(alone, file);
        await build({ entryPoints: [entryOf(entry)], outfile, bundle: true, format, platform: 'node' });
        expect(await print(file)).to.equal('evt_1');
      });

    it(`runs: ${entry}, by rollup`, async () => {
      const file = `${entry}.rollup.mjs`;
      await writeFile(join(sdk.folder, 'rollup.mjs'), rollupScript(entryOf(entry), join(alone, file)));
      await run(process.execPath, ['rollup.mjs'], { cwd: sdk.folder });
      expect(await print(file)).to.equal('evt_1');
    });

    it(`runs: ${entry}, by vite`, async () => {
      const file = `${entry}.vite.mjs`;
      // What needs node:crypto is for a server; the others are for any runtime.
      const target =
        entry === 'webhooks'
          ? { ssr: entryOf(entry), rolldownOptions: { output: { entryFileNames: file } } }
          : { lib: { entry: entryOf(entry), formats: ['es'], fileName: `${entry}.vite` } };
      await writeFile(
        join(sdk.folder, 'vite.mjs'),
        viteScript({ ...target, outDir: alone, emptyOutDir: false }),
      );
      await run(process.execPath, ['vite.mjs'], { cwd: sdk.folder });
      expect(await print(file)).to.equal('evt_1');
    });
  }

  for (const entry of ['edge', 'client'] as const)
    it(`runs where nothing of Node is: ${entry}, by esbuild --platform=browser`, async () => {
      const outfile = join(alone, `${entry}.browser.js`);
      await build({
        entryPoints: [entryOf(entry)],
        outfile,
        bundle: true,
        format: 'iife',
        platform: 'browser',
      });
      const code = await readFile(outfile, 'utf8');
      const printed = new Promise((log) => {
        runInContext(code, createContext({ ...WEB, console: { log } }));
      });
      expect(await printed).to.equal('evt_1');
    });

  it('runs examples/receiver-edge where nothing of Node is: it takes an event, and refuses another', async () => {
    const entryPoint = join(sdk.folder, 'worker.mjs');
    await copyFile(join(ROOT, 'examples/receiver-edge/worker.mjs'), entryPoint);
    const outfile = join(alone, 'worker.js');
    const iife = { format: 'iife', globalName: 'worker', platform: 'browser' } as const;
    await build({ entryPoints: [entryPoint], outfile, bundle: true, ...iife });
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    const names = { ...WEB, console: { log: note, warn: note } };
    const handler = runInContext(
      `${await readFile(outfile, 'utf8')}; worker.default`,
      createContext(names),
    ) as Worker;
    const after: Promise<unknown>[] = [];
    const receive = (body: string, headers: Record<string, string>) =>
      handler.fetch(
        new Request('https://shop.example/hooks', { method: 'POST', headers, body }),
        { WEBHOOK_SECRET: `${SECRET}\n` },
        { waitUntil: (work) => void after.push(work) },
      );
    const event = { id: 'evt_1', type: 'checkout.settled', sequence: 4, metadata: { orderId: 'order-7' } };
    const rawBody = JSON.stringify({ ...event, data: { checkout: { status: 'SETTLED' } } });
    const headers = webhooks.signWebhook({ eventId: 'evt_1', rawBody, secrets: SECRET });
    expect(await receive(rawBody, headers)).to.include({ status: 200 });
    expect(await receive(`${rawBody} `, headers)).to.include({ status: 401 });
    await Promise.all(after);
    expect(lines).to.deep.equal(['checkout.settled 4: order order-7 is SETTLED', 'refused: no_match']);
  });

  it('verifies under jest with jsdom, which has classes of its own and no TextDecoder', async () => {
    const code = await readFile(join(sdk.folder, 'node_modules/payment-checkout/dist-sdk/index.js'), 'utf8');
    const theirs = createContext({ Buffer });
    const load = runInContext(`(module, require) => { ${code}\n}`, theirs) as (...args: unknown[]) => void;
    const module = { exports: {} as typeof webhooks };
    load(module, createRequire(import.meta.url));
    const { rawBody, headers, secrets } = REQUEST;
    for (const body of [rawBody, Buffer.from(rawBody), new TextEncoder().encode(rawBody)])
      expect(module.exports.verifyWebhook({ rawBody: body, headers, secrets })).to.include({
        eventId: 'evt_1',
      });
    const parsed = { rawBody: JSON.parse(rawBody) as Buffer, headers, secrets };
    expect(module.exports.verifyWebhook(parsed)).to.include({ reason: 'body_not_raw' });
  });
});

/** What the SDK may use of the web's names. */
const WEB = {
  crypto,
  TextEncoder,
  TextDecoder,
  atob,
  URL,
  URLSearchParams,
  Response,
  AbortController,
  setTimeout,
  clearTimeout,
  performance,
};

/** A module worker. */
interface Worker {
  fetch(
    request: Request,
    env: Record<string, string>,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response>;
}

/** In a process of its own, like rollup: neither belongs to the types of the project. */
function viteScript(target: object): string {
  return `import { build } from ${JSON.stringify(join(ROOT, 'node_modules/vite/dist/node/index.js'))};
    const settings = { configFile: false, logLevel: 'error', ssr: { noExternal: true } };
    await build({ ...settings, build: ${JSON.stringify(target)} });`;
}

/** Rollup finds no packages by itself: Node finds them, for an ES module of the project. */
function rollupScript(input: string, file: string): string {
  return `import { rollup } from ${JSON.stringify(join(ROOT, 'node_modules/rollup/dist/es/rollup.js'))};
    import { fileURLToPath } from 'node:url';
    const resolveId = (id) =>
      id.startsWith('payment-checkout') ? fileURLToPath(import.meta.resolve(id)) : null;
    const bundle = await rollup({
      input: ${JSON.stringify(input)},
      external: /^node:/,
      plugins: [{ name: 'node', resolveId }],
      onwarn: (warning) => { throw new Error(warning.message); },
    });
    await bundle.write({ file: ${JSON.stringify(file)}, format: 'es' });`;
}
