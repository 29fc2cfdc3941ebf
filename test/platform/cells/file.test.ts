import { expect } from 'chai';
import { environmentOf, parseCells, readCells } from '../../../src/platform/cells/file.ts';
import { read } from '../../support/documents.ts';

const EXAMPLE = 'deploy/cells/cells.json';

interface Written {
  cells: Record<string, unknown>[];
  [key: string]: unknown;
}

/** The example with a change. */
function changed(change: (file: Written) => void): string {
  const file = JSON.parse(read(EXAMPLE)) as Written;
  change(file);
  return JSON.stringify(file);
}

describe('the file of cells', () => {
  it('is read, with paths relative to its folder, as the example has it', async () => {
    const cells = await readCells(EXAMPLE);
    expect(cells.cells.map(({ name }) => name)).to.deep.equal(['eu', 'br']);
    expect(cells.default.name).to.equal('eu');
    expect(parseCells(read(EXAMPLE), '/etc/pay/cells.json').moved).to.equal('/etc/pay/moved.map');
  });

  it('needs a list of cells and the name of the default, and nothing else but a certificate', () => {
    const text = JSON.stringify({
      certificate: '/c.pem',
      default: 'a',
      cells: [{ name: 'a', webs: ['[fd00::1]:3000'] }],
    });
    expect(parseCells(text, '/x/cells.json')).to.deep.include({
      listen: '0.0.0.0:443',
      connections: 2_000,
      moved: '/x/moved.map',
    });
  });

  for (const [fault, change] of Object.entries<(file: Written) => void>({
    'two cells have one name': ({ cells }) => void cells.push({ ...cells[0] }),
    'cell 1: name must be one to eight of a-z and 0-9': ({ cells }) =>
      void Object.assign(cells[0] ?? {}, { name: 'eu-west' }),
    'cell 2: name must be none of account, links': ({ cells }) =>
      void Object.assign(cells[1] ?? {}, { name: 'links' }),
    'default must be the name of one of the cells': (file) => void (file.default = 'us'),
    'cell 2: webs must be a list of host:port': ({ cells }) =>
      void Object.assign(cells[1] ?? {}, { webs: ['10.0.0.1'] }),
    'connections must be a number above 0': (file) => void (file.connections = 0),
    'certificate must be an absolute path': (file) => void (file.certificate = 'site.pem'),
    'the file has cell, which means nothing': (file) => void (file.cell = 'eu'),
    'cells must be a list of at least one cell': (file) => void (file.cells = []),
  }))
    it(`is refused: ${fault}`, () => {
      expect(() => parseCells(changed(change), 'cells.json')).to.throw(`cells.json cannot be used:\n`);
      expect(() => parseCells(changed(change), 'cells.json')).to.throw(`- ${fault}`);
    });

  it('holds names of variables, and refuses a value, which it does not repeat', () => {
    const text = changed(({ cells }) =>
      Object.assign(cells[0] ?? {}, { environment: { DATABASE_URL: 'postgres://eu:pAsS@db/pay' } }),
    );
    expect(() => parseCells(text, 'cells.json'))
      .to.throw('cell 1: environment.DATABASE_URL must be the name of a variable, not its value')
      .with.property('message')
      .that.does.not.include('pAsS');
  });

  it('says what is wrong where there is no file, or no JSON', async () => {
    const fault = await readCells('/nowhere/cells.json').catch(String);
    expect(fault).to.match(/\/nowhere\/cells\.json cannot be read: ENOENT/);
    expect(() => parseCells('{', 'cells.json')).to.throw('cells.json is no JSON: ');
  });
});

describe("the variables of a cell's commands", () => {
  const cells = parseCells(read(EXAMPLE), EXAMPLE);
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://elsewhere/pay',
    REDIS_URL_FILE: '/elsewhere',
    EU_DATABASE_URL: 'postgres://eu/pay',
    EU_REDIS_URL: 'redis://eu',
    EU_SECRETS_KEY: 'key-of-eu',
    BR_DATABASE_URL: 'postgres://br/pay',
  };

  it("are the operator's and its own, without what other cells get and without other stores", () => {
    expect(environmentOf(cells, cells.default, env)).to.deep.equal({
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://eu/pay',
      REDIS_URL: 'redis://eu',
      SECRETS_KEY: 'key-of-eu',
      CELL: 'eu',
    });
  });

  it('are refused where one is not set', () => {
    const [, br] = cells.cells;
    expect(() => environmentOf(cells, br ?? cells.default, env)).to.throw(
      'BR_REDIS_URL is not set: it holds REDIS_URL of the cell br',
    );
  });

  it('are refused where the file names no database: a command would find another one', () => {
    const cell = { ...cells.default, environment: {} };
    expect(() => environmentOf(cells, cell, env)).to.throw('names no DATABASE_URL in the environment of eu');
  });
});
