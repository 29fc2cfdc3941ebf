import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Environment } from '../../src/platform/config/config.ts';
import { endAll, freePort, startProcess } from './service.ts';
import { createStand, type Stand } from './stand.ts';

interface Facts {
  readonly cells: readonly { readonly cell: string; readonly state: string; readonly ok?: boolean }[];
}

describe('npm run ops on all cells', function () {
  this.timeout(120_000);
  const stands: Stand[] = [];
  let folder: string;
  let env: Environment;
  let gone: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-ops-cells-'));
    for (const CELL of ['a', 'b']) stands.push(await createStand({ CELL }));
    const [a, b] = stands;
    gone = `postgres://nobody:pAsSwOrD@127.0.0.1:${await freePort()}/gone`;
    env = {
      NODE_ENV: 'production',
      SECRETS_KEY: a?.env.SECRETS_KEY,
      A_URL: a?.env.DATABASE_URL,
      B_URL: b?.env.DATABASE_URL,
      C_URL: gone,
      // What commands must not find: the store of none of them.
      DATABASE_URL: gone,
    };
  });
  afterEach(endAll);
  after(async () => {
    for (const stand of stands) await stand.close();
    rmSync(folder, { recursive: true });
  });

  /** Writes a file of these cells; `webs` are those of each. */
  const fileOf = (names: readonly string[], webs: readonly string[] = ['127.0.0.1:1']) => {
    const file = join(folder, `${names.join('')}.json`);
    const cells = names.map((name) => ({
      name,
      webs,
      environment: { DATABASE_URL: `${name.toUpperCase()}_URL` },
    }));
    writeFileSync(file, JSON.stringify({ certificate: '/c.pem', default: names[0], cells }));
    return file;
  };
  const ops = async (...args: string[]) => {
    const service = startProcess('ops', env, args);
    const code = await service.ended();
    return { code, printed: service.printed().trim(), output: service.output() };
  };

  it('verify prints one table, and exits with 0 where all cells are well', async () => {
    const { code, printed } = await ops('--cells', fileOf(['a', 'b']), 'verify');
    expect(code, printed).to.equal(0);
    expect(printed.split('\n')).to.have.lengthOf(3);
    expect(printed).to.match(/^cell {2}state {3}what it says\na {5}ok {6}All invariants hold: .*\nb {5}ok /);
  });

  it('a cell that is away is a row, keeps no other from being looked at, and makes the exit code 1', async () => {
    const { code, output, printed } = await ops('--cells', fileOf(['a', 'c', 'b']), 'verify', '--json');
    expect(code).to.equal(1);
    const { cells } = JSON.parse(printed) as Facts;
    expect(cells.map(({ cell, state, ok }) => [cell, state, ok])).to.deep.equal([
      ['a', 'ok', true],
      ['c', 'away', undefined],
      ['b', 'ok', true],
    ]);
    expect(output).to.not.include('pAsSwOrD');
  });

  it('status exits with 1 where one cell is not well, and says what is wrong there', async () => {
    const { code, printed } = await ops('--cells', fileOf(['a', 'b']), 'status');
    expect(code).to.equal(1);
    expect(printed).to.match(/^a {5}WRONG {3}Wrong: .*processes/m);
    expect(printed).to.match(/\n\nb\n {2}WRONG processes/);
  });

  it('what changes something, and what is for one cell, is refused', async () => {
    for (const args of [
      ['stuck', '--release'],
      ['drain', '--on'],
      ['cells', 'render', '--file', 'x', '--for', 'nginx'],
    ]) {
      const { code, output } = await ops('--cells', fileOf(['a']), ...args);
      expect(code, args.join(' ')).to.equal(2);
      expect(output).to.include('--cells is for status, verify, stuck');
    }
  });

  it('a cell whose variable is not set is named, and the others are looked at', async () => {
    const { code, printed } = await ops('--cells', fileOf(['a', 'd']), 'stuck');
    expect(code).to.equal(1);
    expect(printed).to.match(/^a {5}ok {6}No job is stuck\.\nd {5}FAILED {2}D_URL is not set: /m);
  });

  describe('cells release', () => {
    // A web that has just started may say degraded for a moment.
    const release = (file: string, run: string, timeout = '30') =>
      ops('cells', 'release', '--file', file, '--run', run, '--timeout', timeout);

    it('goes cell by cell while each is well', async () => {
      const web = await stands[0]?.startWeb();
      const file = fileOf(['a', 'b'], [`127.0.0.1:${web?.port}`]);
      const { code, printed } = await release(file, `echo "$CELL" >> ${join(folder, 'released')}`);
      expect(code, printed).to.equal(0);
      expect(printed).to.equal('a  released\nb  released');
    });

    it('stops at the first command that fails, and at the first cell that is not well', async () => {
      const web = await stands[0]?.startWeb();
      const well = fileOf(['a', 'b', 'c'], [`127.0.0.1:${web?.port}`]);
      const failed = await release(well, `test "$CELL" != b`);
      expect(failed.code).to.equal(1);
      expect(failed.printed).to.equal('a  released\nb  STOPPED: the command ended with 1');
      const away = await release(fileOf(['b', 'a'], [`127.0.0.1:${await freePort()}`]), 'true', '0');
      expect(away.code).to.equal(1);
      expect(away.printed).to.match(
        /^b {2}STOPPED: 127\.0\.0\.1:\d+ is not ready: connect ECONNREFUSED .*, after 0 s$/,
      );
    });
  });
});
