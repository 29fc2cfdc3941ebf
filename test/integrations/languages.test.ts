import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createPresentHarness, deliverForReal } from '../examples/real-deliveries.ts';
import { endAll, freePort, startProgram, type Service } from '../processes/service.ts';
import { read, ROOT } from '../support/documents.ts';
import type { Harness } from '../support/harness.ts';
import { listen, type Listening } from '../support/http.ts';
import { LANGUAGES } from './languages.ts';
import { archived } from './plugin.ts';

for (const [name, language] of Object.entries(LANGUAGES)) {
  const { missing } = language;
  const suite = missing === null ? describe : describe.skip;
  suite(`integrations/${name}${missing === null ? '' : `, not run: ${missing}`}`, () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'test-integration-'));
    });
    afterEach(endAll);
    after(() => rmSync(folder, { recursive: true }));

    const run = async (command: readonly string[], env: Record<string, string>, cwd: string) => {
      const program = startProgram(command, { ...language.env, ...env }, { cwd });
      expect(await program.ended(), program.output()).to.equal(0);
      expect(program.output()).to.not.match(/warning|deprecated|notice/i);
      return program.printed();
    };

    for (const { folder: cwd, command } of language.tests)
      it(`passes its tests: ${cwd.slice(ROOT.length)}`, async () => {
        await run(command, {}, cwd);
      });

    it('creates a payment as its README says, and fulfils the order once by what is delivered', async () => {
      const harness: Harness = await createPresentHarness();
      const server: Listening = await listen(harness.app);
      try {
        const receiver = await startReceiver(harness);
        const payment = await deliverForReal(harness, receiver.url, 'order-1', async () => {
          const printed = await run(
            language.program(firstCode(name), folder),
            {
              PAYMENT_CHECKOUT_URL: server.url,
              PAYMENT_CHECKOUT_KEY: harness.merchant.apiKey,
            },
            folder,
          );
          const [id = '', checkoutUrl = ''] = printed.trim().split(' ');
          const { body } = await harness.api('get', `/v1/payment/${id}`).expect(200);
          expect(body).to.include({ order_id: 'order-1', pay_amount: '25.00', checkout_url: checkoutUrl });
          return body;
        });
        expect(payment.id).to.match(/^pay_/);
        for (const [index, type] of ['created', 'pending', 'processing', 'settled'].entries())
          expect(
            receiver.service.output().split(`checkout.${type} ${index + 1}: order order-1`),
            receiver.service.output(),
          ).to.have.length(2);
      } finally {
        await server.close();
        await harness.close();
      }
    });

    async function startReceiver(harness: Harness): Promise<{ service: Service; url: string }> {
      const port = await freePort();
      const env = {
        ...language.env,
        PORT: String(port),
        DATABASE: join(folder, 'shop.sqlite'),
        WEBHOOK_SECRET: harness.merchant.webhookSecret,
      };
      const service = startProgram(language.receiver(port), env, { cwd: folder });
      await service.says(language.listening);
      return { service, url: `http://127.0.0.1:${port}/hooks` };
    }
  });
}

const { missing } = LANGUAGES['python'] ?? expect.fail();
(missing === null ? describe : describe.skip)('the archive of the plugin', () => {
  it('holds what a shop needs, and no tests or examples, which anybody could call there', () => {
    const plugin = archived();
    expect(existsSync(`${plugin}.zip`)).to.equal(true);
    const files = readdirSync(plugin, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const folders = new Set(files.map(({ parentPath }) => parentPath.slice(plugin.length)));
    expect([...folders]).to.have.members(['', '/src', '/assets', '/php', '/php/src']);
    expect(files.map(({ name }) => name)).to.include.members([
      'payment-checkout.php',
      'autoload.php',
      'Once.php',
    ]);
  });
});

/** The first block of code of the README of a language. */
function firstCode(name: string): string {
  const [, code] =
    new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\``, 'ms').exec(read(`integrations/${name}/README.md`)) ?? [];
  return code ?? expect.fail(`the README of ${name} has no code`);
}
