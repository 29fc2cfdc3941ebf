import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exclusive } from '../../src/platform/exclusive.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const VARIABLE = 'DATABASE_URL_OF_C3';
const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };

describe('the map of what was moved', () => {
  let harness: Harness;
  let folder: string;
  before(async () => {
    harness = await createHarness();
    folder = await mkdtemp(join(tmpdir(), 'cells-'));
    const cell = { name: 'c3', webs: ['127.0.0.1:1'], environment: { DATABASE_URL: VARIABLE } };
    await writeFile(
      join(folder, 'cells.json'),
      JSON.stringify({ certificate: '/cert.pem', default: 'c3', cells: [cell] }),
    );
    // Nothing is to be moved, so any database does.
    process.env[VARIABLE] = harness.ctx.config.databaseUrl;
  });
  after(async () => {
    delete process.env[VARIABLE];
    await rm(folder, { recursive: true });
    await harness.close();
  });

  const forget = async () => {
    const args = ['--merchant', harness.merchant.id, '--to', 'c3', '--file', join(folder, 'cells.json')];
    const command = parseOpsCommand(['merchant', 'move', ...args, '--forget']);
    if ('help' in command) throw new Error('help');
    return command.run(harness.ctx, output).then(
      () => 'none',
      (error: Error) => error.message,
    );
  };

  it('is one command’s at a time: another one is refused before it changes anything', async () => {
    const held = await exclusive(join(folder, 'moved.map'), { file: 'map', holder: 'command' });
    expect(await forget()).to.equal(`Another command has the map ${join(folder, 'moved.map')}.`);
    await new Promise((done) => held.close(done));
    expect(await forget()).to.match(/^mer_\w+ has not arrived/);
    expect(await readdir(folder)).to.deep.equal(['cells.json']);
  });
});
