import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { askProxy, CELL_PROXIES, ENVOY, writeCellsFile } from '../support/cell-proxies.ts';
import { freePort } from '../support/free-port.ts';
import { hasProgram } from '../support/proxies.ts';

/** Words of nginx's maps and of what is rendered, and `b` and `b1`, whose webs could have one name: `b11`. */
const NAMES = ['a', 'default', 'include', 'volatile', 'shared', 'b', 'b1'];
const MOST_WEBS = 11;

describe('the name of a cell', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'test-names-'));
  const servers: Server[] = [];
  const cells: { readonly name: string; readonly webs: readonly string[] }[] = [];
  before(async () => {
    for (const name of NAMES) {
      const server = createServer((_, response) => response.end(name));
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      servers.push(server);
      const web = `127.0.0.1:${port}`;
      cells.push({ name, webs: name === 'b' ? Array.from({ length: MOST_WEBS }, () => web) : [web] });
    }
  });
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  for (const proxy of [...CELL_PROXIES, ENVOY]) {
    if (!hasProgram(proxy.program)) {
      it(`(needs ${proxy.program} on the PATH)`);
      continue;
    }
    it(`means nothing else to ${proxy.program}: each finds its own webs`, async () => {
      const place = { port: await freePort(), folder };
      const running = await proxy.start(place, writeCellsFile({ ...place, cells: {} }, { cells }));
      try {
        for (const name of NAMES)
          expect((await askProxy(place, `/dashboard/${name}/account`)).text, name).to.equal(name);
      } finally {
        await running.stop();
      }
    });
  }
});
