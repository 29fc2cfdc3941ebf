import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Cluster } from 'ioredis';
import { stopWaiting } from '../../../src/platform/redis/disconnect.ts';
import { openRedis } from '../../../src/platform/redis/open.ts';
import { SILENT } from '../../../src/platform/log.ts';
import { until } from '../../support/until.ts';

/** A node with all slots of a cluster: it answers what a client asks when it connects, unless it hangs. */
class Node {
  #server: Server | null = null;
  readonly #sockets = new Set<Socket>();
  port = 0;
  /** How many connections came. */
  connections = 0;
  /** What it does not answer, as it is sent. */
  silent = /^$/;

  async start(): Promise<void> {
    const server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (data) => {
        for (const command of commandsIn(data.toString())) {
          const answer = this.#answerTo(command);
          if (!this.silent.test(command)) socket.write(answer);
        }
      });
    });
    this.#server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  get urls(): string {
    const url = `redis://127.0.0.1:${this.port}`;
    return `${url},${url}`;
  }

  /** Closes what is open; it can be started again. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #answerTo(command: string): string {
    const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
    if (command === 'cluster slots')
      return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulk('127.0.0.1')}:${this.port}\r\n`;
    if (command === 'cluster info') return bulk('cluster_state:ok');
    return command === 'info' ? bulk('redis_version:7.0.0') : '+OK\r\n';
  }
}

/** The commands in a piece of what a client sends, in lower case. */
const commandsIn = (sent: string): string[] =>
  sent
    .split(/^\*\d+\r\n/m)
    .filter((part) => part !== '')
    .map((part) => part.split('\r\n').filter((_, i) => i % 2 === 1))
    .map((words) => words.join(' ').toLowerCase().trim());

describe('a client of a Redis Cluster that is disconnected', () => {
  let node: Node;
  let client: Cluster;
  let ends: number;
  beforeEach(async () => {
    node = new Node();
    await node.start();
    client = openRedis(node.urls, 'queue', SILENT) as Cluster;
    ends = 0;
    client.on('end', () => (ends += 1));
    await until('it is ready', () => client.status === 'ready');
  });
  afterEach(() => node.stop());

  const isIn = (...statuses: string[]) =>
    until(`it is ${statuses.join(' or ')}`, () => statuses.includes(client.status));
  const hasEnded = () => until('it has ended', () => ends > 0, 5_000);
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      () => 'failed',
    );

  it('connects no more, though its nodes answer', async () => {
    const { connections } = node;
    client.disconnect();
    await hasEnded();
    expect(node.connections).to.equal(connections);
  });

  it('ends where its node answers one question more, and is gone before the next', async () => {
    node.silent = /^cluster info$/;
    client.disconnect();
    await until('it has ended, or found its slots again', () => ends > 0 || client.status === 'connect');
    await node.stop();
    await hasEnded();
  });

  it('ends while it connects to a node that says where its slots are, and then hangs', async () => {
    await node.stop();
    await isIn('reconnecting');
    node.silent = /^cluster info$/;
    await node.start();
    await isIn('connect');
    client.disconnect();
    await hasEnded();
  });

  it('ends while it waits to connect again, and is not brought back by a node that is', async () => {
    await node.stop();
    await isIn('reconnecting');
    const waiting = failure(client.get('key'));
    node.silent = /^cluster info$/;
    await node.start();
    client.disconnect();
    await hasEnded();
    expect(await waiting).to.equal('failed');
    expect(client.status).to.equal('end');
  });

  it('ends where BullMQ calls it ended already, and what waits in it fails', async () => {
    await node.stop();
    await isIn('reconnecting');
    const waiting = failure(client.get('key'));
    await client.quit();
    Object.assign(client, { status: 'end' });
    expect(await waiting).to.equal('failed');
    await hasEnded();
  });

  it('connects where somebody asks for it at once, as BullMQ does to recover', async () => {
    await node.stop();
    await isIn('reconnecting');
    await node.start();
    client.disconnect();
    await client.connect();
    expect(client.status).to.equal('ready');
    client.disconnect();
    await hasEnded();
  });

  it('with its duplicates ends instead of connecting again, once nobody waits, whenever its nodes go', async () => {
    const copy = client.duplicate();
    copy.on('error', () => undefined);
    await until('it is ready', () => copy.status === 'ready');
    expect(stopWaiting(client)).to.equal(false);
    await node.stop();
    // What it asks finds that the node is gone.
    const waiting = Promise.all([failure(client.get('key')), failure(copy.get('key'))]);
    expect(await waiting).to.deep.equal(['failed', 'failed']);
    await hasEnded();
    await until('its duplicate has ended', () => copy.status === 'end', 5_000);
  });
});
