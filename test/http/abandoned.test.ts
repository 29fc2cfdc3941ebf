import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import winston from 'winston';
import { createServer } from '../../src/http/server.ts';

/** Connects, sends a request, and leaves without waiting for the response. */
const CLIENTS_THAT_LEAVE = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  for (let i = 0; i < count; i += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /work HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 2\\r\\n\\r\\n{}', () => socket.destroy());
    });
  }
`;

describe('requests whose clients have left', () => {
  let server: Server;
  let port: number;
  let handled: string[];
  before(async () => {
    const app = express();
    app.use((request, response) => {
      handled.push(request.url);
      response.send('done');
    });
    server = createServer(app, { log: winston.createLogger({ silent: true }) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => (handled = []));
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('while the process was frozen are not handled, and the next one is', async () => {
    // Nothing in this process runs meanwhile: the requests wait in the queue of the socket, as after a
    // SIGSTOP.
    const left = spawnSync(process.execPath, ['-e', CLIENTS_THAT_LEAVE, String(port), '50']);
    expect(left.status, String(left.stderr)).to.equal(0);
    const response = await fetch(`http://127.0.0.1:${port}/mine`, { method: 'POST', body: '{}' });
    expect(await response.text()).to.equal('done');
    expect(handled).to.deep.equal(['/mine']);
  });
});
