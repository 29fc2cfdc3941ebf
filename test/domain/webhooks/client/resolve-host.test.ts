import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { nameServerResolver, type ResolveHost } from '../../../../src/domain/webhooks/client/resolve-host.ts';
import { timed } from '../../../support/loop-clock.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

/** The name server's records. Other names do not exist; names that begin with `hang` get no response. */
const RECORDS: Record<string, Partial<Record<number, number[]>>> = {
  'both.example': {
    [TYPE_A]: [203, 0, 113, 7],
    [TYPE_AAAA]: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  },
  'four.example': { [TYPE_A]: [203, 0, 113, 8] },
  'none.example': {},
};

describe('resolving a host through the name servers', () => {
  let server: Socket;
  let resolve: ResolveHost;
  const questions: string[] = [];

  before(async () => {
    server = createSocket('udp4');
    server.on('message', (message, from) => {
      const { name, type } = readQuestion(message);
      questions.push(name);
      if (!name.startsWith('hang'))
        server.send(answer(message, RECORDS[name], type), from.port, from.address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolve = nameServerResolver([`127.0.0.1:${server.address().port}`]);
  });
  after(() => server.close());

  it('finds the addresses of both families, IPv4 first', async () => {
    expect(await resolved(resolve, 'both.example')).to.deep.equal([
      { address: '203.0.113.7', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  it('accepts a host with one family', async () => {
    expect(await resolved(resolve, 'four.example')).to.deep.equal([{ address: '203.0.113.8', family: 4 }]);
  });

  it('fails when a name does not exist or has no address', async () => {
    expect(await failure(resolve, 'absent.example')).to.include({ code: 'ENOTFOUND' });
    expect(await failure(resolve, 'none.example')).to.include({ code: 'ENODATA' });
  });

  it('is not delayed by names whose servers do not respond', async () => {
    for (let i = 0; i < 20; i += 1) resolve(`hang${i}.example`, () => {});
    while (questions.filter((name) => name.startsWith('hang')).length < 40) await once(server, 'message');
    const { ms } = await timed(() => resolved(resolve, 'four.example'));
    expect(ms).to.be.lessThan(500);
  });
});

function resolved(resolve: ResolveHost, host: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    resolve(host, (error, addresses) => (error === null ? done(addresses) : fail(error)));
  });
}

function failure(resolve: ResolveHost, host: string): Promise<Error | null> {
  return new Promise((done) => {
    resolve(host, (error) => done(error));
  });
}

function readQuestion(message: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1) };
}

/** RFC 1035: the question's header and question, the flags of a response, and one record if any. */
function answer(question: Buffer, records: (typeof RECORDS)[string] | undefined, type: number): Buffer {
  const data = records?.[type];
  const end = question.indexOf(0, 12) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180 | (records === undefined ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(data === undefined ? 0 : 1, 6);
  head.writeUInt16BE(0, 10);
  if (data === undefined) return head;
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, record, Buffer.from(data)]);
}
