import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ROOT } from './support/documents.ts';

const run = promisify(execFile);

describe('a clone', () => {
  it('has no CRLF where git is set to write them (core.autocrlf=true), and nothing to commit', async function () {
    // A tarball of the project is no repository.
    if (!existsSync(join(ROOT, '.git'))) this.skip();
    const folder = await mkdtemp(join(tmpdir(), 'test-clone-'));
    const git = async (...args: string[]) => (await run('git', ['-C', folder, ...args])).stdout;
    try {
      const clone = [
        'clone',
        '--quiet',
        '--depth=1',
        '--config',
        'core.autocrlf=true',
        `file://${ROOT}`,
        folder,
      ];
      await run('git', clone);
      const listed = await git('ls-files', '--eol');
      expect(listed).to.match(/\tdeploy\/compose\/.*\.sh$/m);
      expect(listed.split('\n').filter((line) => /\bw\/(crlf|mixed)\b/.test(line))).to.deep.equal([]);
      expect(await git('status', '--porcelain')).to.equal('');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
