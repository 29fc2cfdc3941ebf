import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { filesBelow, read, ROOT } from '../support/documents.ts';

const README = read('README.md');

describe('README', () => {
  it('is at most 10 kB', () => {
    expect(Buffer.byteLength(README)).to.be.at.most(10_000);
  });

  it('names the commands of the first minutes', () => {
    for (const command of ['npm ci && npm run dev', 'npm ci && npm test']) expect(README).to.include(command);
  });

  it('shows code as it stands in examples/, which is run; so does docs/webhooks.md', () => {
    const examples = filesBelow('examples').map(read);
    for (const [file, count] of [
      ['README.md', 1],
      ['docs/webhooks.md', 2],
    ] as const) {
      const blocks = [...read(file).matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
      expect(blocks, file).to.have.lengthOf(count);
      for (const code of blocks) expect(examples, file).to.include(code);
    }
  });

  it('shows every folder of src; CONTRIBUTING shows every room of the domain', () => {
    const foldersOf = (folder: string) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    for (const name of foldersOf('src')) expect(README).to.include(`src/${name} `);
    const [, rooms = ''] = /from top to bottom: ([^.]+)\./.exec(read('CONTRIBUTING.md')) ?? [];
    const named = rooms.replace(' then ', ' ').split(/,\s+/);
    expect(named).to.have.members(foldersOf('src/domain'));
  });

  it('has a Procfile beside it whose processes exist', () => {
    const lines = read('Procfile').trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['web', 'worker', 'release']);
    for (const line of lines) {
      const [, name = ''] = /: node dist\/processes\/([\w-]+)\.js$/.exec(line) ?? [];
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), line).to.equal(true);
    }
  });
});
