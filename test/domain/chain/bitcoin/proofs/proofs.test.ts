import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { CHAINS } from '../../../../../src/domain/chain/bitcoin/options.ts';
import { proveWork, readHeader } from '../../../../../src/domain/chain/bitcoin/proofs/header.ts';
import {
  proveHeight,
  readBlock,
  readTransaction,
} from '../../../../../src/domain/chain/bitcoin/proofs/transactions.ts';
import { Refused } from '../../../../../src/domain/chain/rpc/refused.ts';
import {
  buildBlock,
  buildTransaction,
  newAddress,
  OPEN_LEGACY_SCRIPT,
  OPEN_SCRIPT,
  remember,
  scriptOf,
} from '../../../../support/bitcoin-blocks.ts';

/** The first block of Bitcoin. */
const [GENESIS] = CHAINS.main.genesis;
const GENESIS_HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f' +
  '617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c';
const GENESIS_BLOCK =
  `${GENESIS_HEADER}0101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04` +
  'ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66' +
  '207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967' +
  'f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6b' +
  'f11d5fac00000000';
const EARLY = { ...CHAINS.main, easiestBits: 0x1d00ffff };
const { regtest } = CHAINS;

const PARENT = 'ab'.repeat(32);

/** A block with transactions with witnesses and without. */
function exampleBlock(count: number) {
  const transactions = Array.from({ length: count }, (_, i) => {
    const script = i % 2 === 0 ? OPEN_SCRIPT : OPEN_LEGACY_SCRIPT;
    const coin = { txid: (i + 1).toString(16).padStart(64, '0'), index: i, satoshi: 9_000n, script };
    return buildTransaction([coin], [{ script: scriptOf(newAddress()), satoshi: 1_000n }]);
  });
  for (const one of transactions) remember(one);
  const raw = transactions.map(({ hex }) => hex);
  const rewards = [{ script: OPEN_SCRIPT, satoshi: 5n }];
  return {
    ...buildBlock({ parent: PARENT, height: 300, time: 1_700_000_000, transactions: raw, rewards }),
    transactions,
  };
}

const hashOf = (header: string) => {
  const once = createHash('sha256').update(Buffer.from(header, 'hex')).digest();
  return Buffer.from(createHash('sha256').update(once).digest()).reverse().toString('hex');
};

const READER = new URL('../../../../../src/domain/chain/bitcoin/proofs/transactions.ts', import.meta.url);
const READ = `
  import { text } from 'node:stream/consumers';
  const { readTransaction } = await import(process.env.READER);
  console.log(readTransaction(await text(process.stdin), process.env.ID).id);`;

/** Reads a transaction in a process with little memory; returns what it says and how it ends. */
async function readInSmallHeap(hex: string, id: string): Promise<[said: string, code: number | null]> {
  const args = ['--max-old-space-size=150', '--import', 'tsx', '--input-type=module', '-e', READ];
  const env = { ...process.env, READER: READER.href, ID: id };
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined).end(hex);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const said = await text(child.stdout);
  return [said.trim(), (await ended)[0]];
}

describe('proofs of Bitcoin', () => {
  it('read the first block, and refuse it where blocks must be harder', () => {
    const { header, transactions } = readBlock(GENESIS_BLOCK, GENESIS ?? '', EARLY);
    expect(header.time.toISOString()).to.equal('2009-01-03T18:15:05.000Z');
    expect(header.parentHash).to.equal('0'.repeat(64));
    expect(transactions.map(({ id, inputs, outputs }) => [id, inputs, outputs[0]?.value])).to.deep.equal([
      ['4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', [], 5_000_000_000n],
    ]);
    expect(() => readBlock(GENESIS_BLOCK, GENESIS ?? '', CHAINS.main)).to.throw(Refused, 'too easy');
  });

  it('refuse a header with any byte changed, though it has the hash that it says', () => {
    for (let at = 0; at < 80; at += 1) {
      const bytes = Buffer.from(GENESIS_HEADER, 'hex');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const changed = bytes.toString('hex');
      expect(() => readHeader(changed, GENESIS ?? '', EARLY), String(at)).to.throw(Refused, 'another hash');
      // Nobody did its work.
      expect(() => readHeader(changed, hashOf(changed), EARLY), String(at)).to.throw(Refused);
    }
    for (const sent of [null, 5, '', 'zz', GENESIS_HEADER.slice(2), `${GENESIS_HEADER}00`])
      expect(() => readHeader(sent, GENESIS ?? '', EARLY), String(sent)).to.throw(Refused);
  });

  it('read transactions with and without witnesses, in rows of any length', () => {
    for (const count of [0, 1, 2, 3, 4, 5, 6, 7, 12]) {
      const { hash, hex, coinbase, transactions } = exampleBlock(count);
      const read = readBlock(hex, hash, regtest);
      expect(read.transactions.map(({ id }) => id)).to.deep.equal([
        coinbase.id,
        ...transactions.map(({ id }) => id),
      ]);
      expect(read.transactions.map(({ inputs }) => inputs.length)).to.deep.equal([
        0,
        ...transactions.map(() => 1),
      ]);
      for (const { hex: raw, id } of transactions) expect(readTransaction(raw, id).id).to.equal(id);
      expect(() => proveHeight(read, 300, regtest)).to.not.throw();
      expect(() => proveHeight(read, 301, regtest)).to.throw(Refused, 'another height');
    }
  });

  it('refuse a block of which a transaction is left out, changed, added, twice or in another place', () => {
    const { hash, hex, coinbase, transactions } = exampleBlock(5);
    const head = hex.slice(0, 160);
    const raw = [coinbase.hex, ...transactions.map((one) => one.hex)];
    const block = (all: readonly string[]) => head + all.length.toString(16).padStart(2, '0') + all.join('');
    expect(() => readBlock(block(raw), hash, regtest)).to.not.throw();
    const LIES = {
      'the last left out': raw.slice(0, -1),
      'the first left out': raw.slice(1),
      'all left out': [],
      'one in another place': [...raw.slice(0, 2), raw[3] ?? '', raw[2] ?? '', ...raw.slice(4)],
      'one added': [...raw, exampleBlock(1).transactions[0]?.hex ?? ''],
      // The root of six is that of eight whose last two are the fifth and the sixth again.
      'two twice': [...raw, ...raw.slice(4)],
      'another amount': raw.map((one, i) => (i === 1 ? one.replace('e803', 'e903') : one)),
    };
    for (const [lie, told] of Object.entries(LIES))
      expect(() => readBlock(block(told), hash, regtest), lie).to.throw(Refused);
    expect(() => readBlock(`${hex}00`, hash, regtest), 'more').to.throw(Refused);
    for (let cut = 160; cut < hex.length; cut += 54)
      expect(() => readBlock(hex.slice(0, cut), hash, regtest), String(cut)).to.throw(Refused);
  });

  it('read a transaction of as many bytes as a node of the tree has: miners may put one into a block', () => {
    const coin = { txid: 'cd'.repeat(32), index: 0, satoshi: 9_000n, script: OPEN_LEGACY_SCRIPT };
    const small = buildTransaction([coin], [{ script: Buffer.from('6a02abcd', 'hex'), satoshi: 0n }]);
    expect(small.hex).to.have.length(2 * 64);
    remember(small);
    const rewards = [{ script: OPEN_SCRIPT, satoshi: 5n }];
    const block = { parent: PARENT, height: 300, time: 1_700_000_000, transactions: [small.hex], rewards };
    const { hash, hex, coinbase } = buildBlock(block);
    expect(readBlock(hex, hash, regtest).transactions.map(({ id }) => id)).to.deep.equal([
      coinbase.id,
      small.id,
    ]);
  });

  it('keep nothing of witnesses, of which a block has room for millions that are empty', async () => {
    const coin = { txid: 'cd'.repeat(32), index: 0, satoshi: 9_000n, script: OPEN_SCRIPT };
    const { id, hex } = buildTransaction([coin], [{ script: OPEN_SCRIPT, satoshi: 5n }]);
    // Behind it stand the lock time, and before that one witness of one byte.
    const [front, lockTime] = [hex.slice(0, -14), hex.slice(-8)];
    const full = (items: number) => {
      const count = Buffer.alloc(4);
      count.writeUInt32LE(items);
      return `${front}fe${count.toString('hex')}${'00'.repeat(items)}${lockTime}`;
    };
    expect(readTransaction(full(100_000), id).id).to.equal(id);
    expect(await readInSmallHeap(full(3_900_000), id)).to.deep.equal([id, 0]);
    expect(() => readTransaction(full(4_000_000), id), 'more than a block has').to.throw(
      Refused,
      'more bytes',
    );
  });

  it('refuse a list that claims to be longer than all bytes, at once', () => {
    const { hash, hex } = exampleBlock(1);
    const endless = `${hex.slice(0, 160)}feffffffff${hex.slice(162)}`;
    expect(() => readBlock(endless, hash, regtest)).to.throw(Refused);
    expect(() => readTransaction(`02000000feffffffff`, hash)).to.throw(Refused);
  });

  it('hold a target to that of the block before, which it may leave fourfold every 2,016 blocks', () => {
    const header = readHeader(GENESIS_HEADER, GENESIS ?? '', EARLY);
    const of = (bits: number) => ({ ...header, bits });
    const prove = (bits: number, height: number, chain = CHAINS.main) =>
      proveWork(of(bits), of(0x17034219), height, chain);
    expect(() => prove(0x17034219, 900_000)).to.not.throw();
    expect(() => prove(0x1703421a, 900_000)).to.throw(Refused, 'easier or harder');
    expect(() => prove(0x1703421a, 900_144)).to.throw(Refused);
    expect(() => prove(0x170d0864, 901_152)).to.not.throw();
    expect(() => prove(0x170d0865, 901_152)).to.throw(Refused);
    expect(() => prove(0x1700d086, 901_152)).to.throw(Refused);
    expect(() => prove(0x1700d087, 901_152)).to.not.throw();
    expect(() => prove(0x1d00ffff, 900_000, CHAINS.test)).to.not.throw();
  });
});
