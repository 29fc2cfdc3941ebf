import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as all from '../../../src/sdk/client/index.ts';
import { endAll, installHelpers, startNode } from '../../processes/service.ts';
import { read, tableOf } from '../../support/documents.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { listen, type Listening } from '../../support/http.ts';

const PAGE = 'docs/how-to/use-the-client.md';

describe(PAGE, () => {
  let harness: Harness;
  let service: Listening;
  let folder: string;
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
    folder = await mkdtemp(join(tmpdir(), 'test-client-'));
    installHelpers(folder);
  });
  afterEach(endAll);
  after(async () => {
    await service.close();
    await harness.close();
    await rm(folder, { recursive: true });
  });

  it('shows a program that runs as it stands', async () => {
    const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(read(PAGE)) ?? [];
    await writeFile(join(folder, 'main.mjs'), code);
    const env = {
      PAYMENT_CHECKOUT_KEY: harness.merchant.apiKey,
      PAYMENT_CHECKOUT_URL: service.url,
    };
    const program = startNode(['main.mjs'], env, { cwd: folder });
    await program.says('pay here: ');
    // The service works while the program waits.
    while (!program.isOver() && !program.output().includes('is SETTLED')) {
      harness.advance(1);
      await harness.work();
    }
    expect(await program.ended(), program.output()).to.equal(0);
    const lines = program.output().trim().split('\n').slice(1);
    expect(lines.at(0)).to.equal('order-1 is SETTLED');
    expect(lines.slice(1, -1)).to.deep.equal([
      '1 checkout.created',
      '2 checkout.pending',
      '3 checkout.processing',
      '4 checkout.settled',
    ]);
    expect(lines.at(-1)).to.equal('refused: 400 validation, amount');
  });

  it('lists every method of every resource', () => {
    const client = new all.PaymentCheckout({ apiKey: 'sk_test_of-nobody', baseUrl: service.url });
    const listed = tableOf(PAGE, 'resource').map(([name = '', methods = '']) => [
      name.replaceAll('`', ''),
      methods.split(', '),
    ]);
    const methodsOf = (resource: object) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((name) => name !== 'constructor');
    expect(listed).to.deep.equal(
      Object.entries(client).map(([name, resource]) => [name, methodsOf(resource as object)]),
    );
  });

  it('names every error that the client exports', () => {
    for (const name of Object.keys(all).filter((name) => name.endsWith('Error')))
      expect(read(PAGE), name).to.include(`\`${name}\``);
  });
});
