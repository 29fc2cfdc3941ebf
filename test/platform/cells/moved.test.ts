import { mkdtemp, open, readFile, readdir, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lookupOf, parseMoved, readMoved, recordMoved } from '../../../src/platform/cells/moved.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';

const KEY = 'sk_live_0123456789abcdefghijklmnopqrstuv';

describe('the map file of moved keys and tokens', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moved-'));
    file = join(folder, 'moved.map');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is empty where there is no file', async () => {
    expect([...(await readMoved(file))]).to.deep.equal([]);
  });

  it('finds a key by what the database holds of it, and holds no part of the key', async () => {
    await recordMoved(file, [hashApiKey(KEY).toString('hex')], 'b');
    const text = await readFile(file, 'utf8');
    expect(parseMoved(text, file).get(lookupOf(KEY))).to.equal('b');
    expect(text).to.not.include(KEY.slice(8, 16));
  });

  it('keeps what it has, and names each lookup once: the proxy takes the first of several', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map(lookupOf);
    await recordMoved(file, [one ?? '', two ?? ''], 'b');
    await recordMoved(file, [two ?? '', three ?? ''], 'c');
    expect([...(await readMoved(file))]).to.deep.equal([
      [one, 'b'],
      [two, 'c'],
      [three, 'c'],
    ]);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('#'))).to.have.lengthOf(3);
  });

  it('leaves nothing beside it', async () => {
    await recordMoved(file, [lookupOf('one')], 'b');
    expect(await readdir(folder)).to.deep.equal(['moved.map']);
  });

  it('is left as it is by who notes again what it says', async () => {
    await recordMoved(file, [lookupOf('one')], 'b');
    const { ino } = await stat(file);
    await recordMoved(file, [lookupOf('one')], 'b');
    expect((await stat(file)).ino).to.equal(ino);
    await writeFile(file, '');
    await recordMoved(file, [lookupOf('one')], 'b');
    expect([...(await readMoved(file))]).to.deep.equal([[lookupOf('one'), 'b']]);
  });

  it('is on the disk before it has its name, and has its name on the disk when it is written', async () => {
    await recordMoved(file, [lookupOf('one')], 'b');
    const synced: { ino: number; size: number; cells: number }[] = [];
    const handle = await open(folder);
    const proto = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const sync: (this: FileHandle) => Promise<void> = Reflect.get(proto, 'sync');
    proto.sync = async function () {
      await sync.call(this);
      const { ino, size } = await this.stat();
      synced.push({ ino, size, cells: (await readMoved(file)).size });
    };
    await recordMoved(file, [lookupOf('two')], 'b').finally(() => (proto.sync = sync));
    const [written, place] = [await stat(file), await stat(folder)];
    expect(synced).to.deep.equal([
      { ino: written.ino, size: written.size, cells: 1 },
      { ino: place.ino, size: place.size, cells: 2 },
    ]);
  });

  it('refuses a line that is none, and does not repeat it: it may be a key', async () => {
    await writeFile(file, `# moved\n\n${lookupOf('one')} b\n${KEY} b\n`);
    const error = await readMoved(file).catch((fault: unknown) => fault);
    expect(error)
      .to.be.an('error')
      .with.property('message', `${file}: line 4 is no SHA-256 in hex, a blank and a cell.`);
    for (const line of [`${lookupOf('one')} eu-west`, `${lookupOf('one')}  b`, lookupOf('one')])
      expect(() => parseMoved(line, 'm'), line).to.throw('m: line 1 is no');
  });
});
