import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as helpers from '../../src/sdk/index.ts';
import { build, installHelpers, ROOT } from '../processes/service.ts';

const run = promisify(execFile);

describe('the package, built, in a project that has nothing else', () => {
  let folder: string;
  before(async () => {
    build();
    folder = await mkdtemp(join(tmpdir(), 'test-consumer-'));
    installHelpers(folder);
  });
  after(() => rm(folder, { recursive: true }));

  /** Runs a module of the project in a separate process, and returns its output. */
  async function print(code: string): Promise<string> {
    await writeFile(join(folder, 'main.mjs'), code);
    const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: folder });
    return stdout.trim();
  }

  it('exports the helpers as ./webhooks', async () => {
    const names = await print(
      `import * as all from 'payment-checkout/webhooks'; console.log(JSON.stringify(Object.keys(all).sort()));`,
    );
    expect(JSON.parse(names)).to.deep.equal(Object.keys(helpers).sort());
    expect(JSON.parse(names)).to.include.members(['verifyWebhook', 'signWebhook', 'EVENT_TYPES']);
  });

  it('signs and verifies there', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const answer = await print(
      `import { signWebhook, verifyWebhook } from 'payment-checkout/webhooks';
       const rawBody = '{"id":"evt_1","type":"checkout.settled"}';
       const headers = signWebhook({ eventId: 'evt_1', rawBody, secrets: '${secret}' });
       console.log(verifyWebhook({ rawBody, headers: new Headers(headers), secrets: ['${secret}'] }).eventId);`,
    );
    expect(answer).to.equal('evt_1');
  });

  it('exports nothing else', async () => {
    const code = await print(
      `console.log(await import('payment-checkout/dist/sdk/verify.js').catch(({ code }) => code));`,
    );
    expect(code).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('imports node:crypto and its own files, and no package', () => {
    const dist = join(folder, 'node_modules/payment-checkout/dist/sdk');
    const imported = readdirSync(dist)
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => [
        ...readFileSync(join(dist, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g),
      ])
      .map(([, name = '']) => name);
    expect(imported).to.include('node:crypto');
    expect(imported.filter((name) => name !== 'node:crypto' && !name.startsWith('./'))).to.deep.equal([]);
  });

  it('is packed with its build', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).to.include('dist');
  });

  it('has types that need no other package, and that distinguish events', async () => {
    await writeFile(
      join(folder, 'types.ts'),
      `import { verifyWebhook, type WebhookEvent } from 'payment-checkout/webhooks';
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
       verifyWebhook({ rawBody: { id: 'evt_1' }, headers: {}, secrets: [] });\n`,
    );
    const strict = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
    const args = [join(ROOT, 'node_modules/.bin/tsc'), ...strict, 'types.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).to.equal('');
  });
});
