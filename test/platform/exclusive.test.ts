import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exclusive, isTakenAway } from '../../src/platform/exclusive.ts';

describe('a file of one process', () => {
  let folder: string;
  const path = () => join(folder, 'journal');
  const take = (file = path()) => exclusive(file, { file: 'journal', holder: 'signer' });
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'exclusive-'))));
  afterEach(() => rm(folder, { recursive: true }));

  /** Leaves what a process leaves that is killed while it has the file. */
  const leave = () =>
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen('${path()}.lock', () => process.kill(process.pid, 'SIGKILL'))`,
    ]);

  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('is taken behind one that was killed, by one', async () => {
    leave();
    expect(await readdir(folder)).to.deep.equal(['journal.lock']);
    const server = await take();
    expect(await faultOf(take())).to.match(/^Another signer has the journal/);
    expect(await readdir(folder)).to.deep.equal(['journal.lock']);
    await new Promise((done) => server.close(done));
  });

  it('stays with who has just taken it, where another one still knew of the killed one', async () => {
    const server = await take();
    expect(await isTakenAway(`${path()}.lock`)).to.equal(false);
    expect(await readdir(folder)).to.deep.equal(['journal.lock']);
    expect(await faultOf(take())).to.match(/^Another signer has the journal/);
    await new Promise((done) => server.close(done));
    expect(await isTakenAway(`${path()}.lock`), 'nothing is there').to.equal(true);
  });

  it('is refused where its path is too long for a socket', async () => {
    expect(await faultOf(take(join(folder, 'a'.repeat(95))))).to.match(/is too long/);
  });
});
