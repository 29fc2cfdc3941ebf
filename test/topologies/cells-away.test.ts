import { expect } from 'chai';
import {
  askProxy,
  CELL_PROXIES,
  openCells,
  writeCellsFile,
  type Answered,
  type Asked,
  type Cells,
  type CellStand,
} from '../support/cell-proxies.ts';
import { hasProgram, type RunningProxy } from '../support/proxies.ts';
import { until } from '../support/until.ts';

const ORDER = { pay_amount: '10.50', order_id: 'order-1' };

/** How a cell is away, and comes back. */
const WAYS: Readonly<Record<string, { begin(cell: CellStand): unknown; end(cell: CellStand): unknown }>> = {
  'is stopped': {
    begin: (cell) => stop(cell),
    end: (cell) => cell.serve(),
  },
  hangs: {
    begin: (cell) => cell.web().signal('SIGSTOP'),
    end: (cell) => cell.web().signal('SIGCONT'),
  },
  'is in maintenance': {
    begin: async (cell) => {
      await stop(cell);
      await cell.serve({ MAINTENANCE: 'true' });
    },
    end: async (cell) => {
      await stop(cell);
      await cell.serve();
    },
  },
};

async function stop(cell: CellStand): Promise<void> {
  cell.web().signal('SIGTERM');
  await cell.web().ended();
}

for (const proxy of CELL_PROXIES)
  describe(`a cell that is away behind ${proxy.program}`, function () {
    if (!hasProgram(proxy.program)) {
      it(`(needs ${proxy.program} on the PATH)`);
      return;
    }
    this.timeout(180_000);
    let cells: Cells;
    let running: RunningProxy;
    before(async () => {
      cells = await openCells();
      running = await proxy.start(cells, writeCellsFile(cells));
    });
    after(async () => {
      await running.stop();
      await cells.close();
    });

    const ask = (path: string, asked?: Asked) => askProxy(cells, path, asked);
    const create = ({ merchant }: CellStand): Promise<Answered> =>
      ask('/v1/payment', { method: 'POST', key: merchant.apiKey, body: ORDER });
    const tokenOf = async (cell: CellStand) =>
      (JSON.parse((await create(cell)).text) as { token_id: string }).token_id;

    for (const [name, way] of Object.entries(WAYS))
      it(`that ${name}: its merchants and customers get 503 and when to come back, nobody else notices`, async () => {
        const { a, b, c } = cells.cells;
        const tokens = { b: await tokenOf(b), c: await tokenOf(c) };
        await way.begin(b);
        const others: number[] = [];
        const isOver = new AbortController();
        const neighbours = (async () => {
          while (!isOver.signal.aborted)
            others.push(
              (await create(a)).status,
              (await create(c)).status,
              (await ask(`/checkout/${tokens.c}`)).status,
            );
        })();
        try {
          const refused = await create(b);
          expect(refused.status, refused.text).to.equal(503);
          expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
          expect(refused.headers).to.include.keys('x-request-id', 'x-ratelimit-reset', 'cache-control');
          const body = JSON.parse(refused.text) as Record<string, unknown>;
          expect(Object.keys(body)).to.deep.equal([
            'statusCode',
            'error',
            'message',
            'timestamp',
            'path',
            'request_id',
          ]);
          expect(body).to.include({
            statusCode: 503,
            error: 'Service Unavailable',
            path: '/v1/payment',
            request_id: refused.headers['x-request-id'],
          });
          expect(new Date(String(body.timestamp)).toISOString()).to.equal(body.timestamp);
          const page = await ask(`/checkout/${tokens.b}`);
          expect(page.status).to.equal(503);
          expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
          expect(page.headers).to.include.keys('retry-after', 'cache-control');
          expect(page.text).to.match(/^<!doctype html>/i);
        } finally {
          await way.end(b);
          isOver.abort();
          await neighbours;
        }
        expect(others.filter((status) => status !== 201 && status !== 200)).to.deep.equal([]);
        expect(others).to.have.length.above(2);
        await until('the cell is back', async () => (await create(b)).status === 201);
      });

    it('that is the default: pages of the others have all that they load', async () => {
      const { a, c } = cells.cells;
      const token = await tokenOf(c);
      await stop(a);
      try {
        await until('it is known to be away', async () => (await create(a)).status === 503);
        const { text } = await ask(`/checkout/${token}`);
        const loaded = [...text.matchAll(/(?:src="|["'])(\/checkout\/assets\/[^"'#]+)/g)].map(
          ([, path = '']) => path,
        );
        expect(loaded).to.have.length.above(0);
        for (const path of [...loaded, '/checkout.js', '/favicon.ico', '/v1/openapi.json'])
          expect((await ask(path)).status, path).to.equal(200);
      } finally {
        await a.serve();
      }
    });
  });
