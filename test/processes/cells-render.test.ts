import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lookupOf, movedText, readMoved } from '../../src/platform/cells/moved.ts';
import { exclusive } from '../../src/platform/exclusive.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';

const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };
const LINES = [
  [lookupOf('one'), 'br'],
  [lookupOf('two'), 'eu'],
  [lookupOf('three'), 'br'],
] as const;

describe('cells render, of a map that names a cell which the file of cells does not', () => {
  let folder: string;
  let map: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cells-'));
    map = join(folder, 'moved.map');
    await writeFile(map, movedText(new Map(LINES)));
    await haveCells('eu');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const haveCells = (...names: string[]) =>
    writeFile(
      join(folder, 'cells.json'),
      JSON.stringify({
        certificate: '/etc/pay.pem',
        default: 'eu',
        cells: names.map((name) => ({ name, webs: ['127.0.0.1:1'] })),
      }),
    );
  const render = async (...more: string[]) => {
    const args = ['--file', join(folder, 'cells.json'), '--for', 'nginx', '--out', join(folder, 'rendered')];
    const command = parseOpsCommand(['cells', 'render', ...args, ...more]);
    if ('help' in command || command.runOnFiles === null) throw new Error('cells render is not for files');
    return command.runOnFiles(output).then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
  };
  /** Nothing was rendered, and the map is as it was. */
  const isUnchanged = async () => {
    expect(await readdir(folder)).to.have.members(['cells.json', 'moved.map']);
    expect([...(await readMoved(map))]).to.deep.equal(LINES);
  };

  it('is refused: a typing error would lead merchants to a cell that refuses them', async () => {
    const told = await render();
    expect(told).to.include('names cells that').and.to.include(': br. ').and.to.include('--gone');
    await isUnchanged();
  });

  it('drops what leads to a cell that is said to be gone, and nothing else', async () => {
    expect(await render('--gone', 'br')).to.match(/2 lines that led to br are dropped\n.*nginx\.conf/);
    expect([...(await readMoved(map))]).to.deep.equal([LINES[1]]);
    const rendered = await readFile(join(folder, 'rendered', 'moved.nginx.map'), 'utf8');
    expect(rendered).to.include(lookupOf('two')).and.to.not.include(lookupOf('one'));
    expect(await render('--gone', 'br'), 'again').to.include('0 lines');
  });

  it('is refused where another cell is said to be gone, and one that the file has is not gone', async () => {
    expect(await render('--gone', 'rb')).to.include('names cells that');
    await isUnchanged();
    await haveCells('eu', 'br');
    expect(await render('--gone', 'br')).to.include('has the cell br: take it out first');
    await isUnchanged();
  });

  it('drops nothing while another command has the map', async () => {
    const held = await exclusive(map, { file: 'map', holder: 'command' });
    expect(await render('--gone', 'br')).to.equal(`Another command has the map ${map}.`);
    await new Promise((done) => held.close(done));
    await isUnchanged();
  });
});
