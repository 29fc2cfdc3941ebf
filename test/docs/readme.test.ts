import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PaymentResource } from '../../src/domain/payments/schemas.ts';
import { openCommandLine } from '../support/command-line.ts';
import { filesBelow, read, ROOT } from '../support/documents.ts';

const README = read('README.md');

describe('README', () => {
  it('is at most 10 kB', () => {
    expect(Buffer.byteLength(README)).to.be.at.most(10_000);
  });

  it('names the commands of the first minutes', () => {
    for (const command of ['npm ci && npm run dev', 'npm ci && npm test']) expect(README).to.include(command);
  });

  it('shows a new payment with every field that it has, in their order', () => {
    const [, shown = '{}'] = /^```json\n(.*?)^```$/ms.exec(README) ?? [];
    expect(Object.keys(JSON.parse(shown))).to.deep.equal(Object.keys(PaymentResource.properties));
  });

  it('calls the command line as it can be called', async () => {
    const commandLine = openCommandLine(() => ({}));
    try {
      for (const [, words = ''] of README.matchAll(/`npx payment-checkout ([^`]+)`/g)) {
        const { code, stderr } = await commandLine.run(words.split(' '));
        expect(code, `${words}: ${stderr}`).not.to.equal(2);
      }
    } finally {
      await commandLine.close();
    }
  });

  it('leaves code to docs/webhooks.md, which shows it as it stands in examples/, where it is run', () => {
    const blocksOf = (file: string) =>
      [...read(file).matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(blocksOf('README.md')).to.deep.equal([]);
    const blocks = blocksOf('docs/webhooks.md');
    expect(blocks).to.have.lengthOf(2);
    expect(filesBelow('examples').map(read)).to.include.members(blocks);
  });

  it('sends readers to CONTRIBUTING, which shows every folder of src and every room of the domain', () => {
    expect(README).to.include('CONTRIBUTING.md#layout-and-import-rules');
    const contributing = read('CONTRIBUTING.md');
    const foldersOf = (folder: string) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    for (const name of foldersOf('src')) expect(contributing).to.include(`src/${name} `);
    const [, rooms = ''] = /from top to bottom: ([^.]+)\./.exec(contributing) ?? [];
    const named = rooms.replace(' then ', ' ').split(/,\s+/);
    expect(named).to.have.members(foldersOf('src/domain'));
  });

  it('has a Procfile beside it whose processes exist', () => {
    const lines = read('Procfile').trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['web', 'worker', 'watcher', 'release']);
    for (const line of lines) {
      const [, name = ''] = /: node dist\/processes\/([\w-]+)\.js$/.exec(line) ?? [];
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), line).to.equal(true);
    }
  });
});
