import { expect } from 'chai';
import { bloomBits, hashOf, mayHold, readHeader } from '../../../../../src/domain/chain/evm/proofs/header.ts';
import { Refused } from '../../../../../src/domain/chain/rpc/refused.ts';
import { decode, encode, integerBytes, keccak } from '../../../../../src/domain/chain/evm/proofs/rlp.ts';
import {
  proveSender,
  proveTransactions,
  readTransaction,
} from '../../../../../src/domain/chain/evm/proofs/transactions.ts';
import { listRoot } from '../../../../../src/domain/chain/evm/proofs/trie.ts';
import { dataBytes, integer, quantity } from '../../../../../src/domain/chain/evm/proofs/values.ts';

const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const ZERO = `0x${'0'.repeat(64)}`;

/** The first block of Ethereum's main network. */
const GENESIS = {
  number: '0x0',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: ZERO,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: `0x${'0'.repeat(40)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: EMPTY_ROOT,
  receiptsRoot: EMPTY_ROOT,
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x400000000',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: ZERO,
  nonce: '0x0000000000000042',
};

/** The example of EIP-155. */
const SIGNED = {
  type: '0x0',
  hash: '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
  from: '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
  nonce: '0x9',
  gasPrice: '0x4a817c800',
  gas: '0x5208',
  to: `0x${'35'.repeat(20)}`,
  value: '0xde0b6b3a7640000',
  input: '0x',
  v: '0x25',
  r: '0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
  s: '0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
};

describe('proofs of an EVM network', () => {
  it('encode as the Yellow Paper does', () => {
    const hex = (item: Parameters<typeof encode>[0]) => encode(item).toString('hex');
    expect(hex(Buffer.from('dog'))).to.equal('83646f67');
    expect(hex([Buffer.from('cat'), Buffer.from('dog')])).to.equal('c88363617483646f67');
    expect(hex(Buffer.alloc(0))).to.equal('80');
    expect(hex([])).to.equal('c0');
    expect(hex(integerBytes(15n))).to.equal('0f');
    expect(hex(integerBytes(1024n))).to.equal('820400');
    expect(hex([[], [[]], [[], [[]]]])).to.equal('c7c0c1c0c3c0c1c0');
    expect(hex(Buffer.alloc(56, 'a')).slice(0, 4)).to.equal('b838');
    expect(keccak(Buffer.alloc(0))).to.equal(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
  });

  it('decode what they encode, and refuse what is cut off, too long or nested without end', () => {
    const item = [Buffer.from('dog'), Buffer.alloc(0), [Buffer.alloc(60, 'a'), [Buffer.of(5)]], []];
    const bytes = encode(item);
    expect(encode(decode(bytes)).toString('hex')).to.equal(bytes.toString('hex'));
    for (const wrong of [
      '',
      '83646f',
      '83646f6700',
      'b838',
      'b8',
      'c2c1',
      'ff',
      'f8',
      `${'c1'.repeat(20)}c0`,
    ])
      expect(() => decode(Buffer.from(wrong, 'hex')), wrong).to.throw(Refused);
  });

  it('know the root of nothing', () => {
    expect(listRoot([])).to.equal(EMPTY_ROOT);
  });

  it('recompute the hash of a header, and refuse one with any field changed', () => {
    expect(readHeader(GENESIS)).to.include({ height: 0, hash: GENESIS.hash });
    for (const field of Object.keys(GENESIS) as (keyof typeof GENESIS)[]) {
      const digits = GENESIS[field];
      const changed = { ...GENESIS, [field]: `${digits.slice(0, -1)}${digits.endsWith('1') ? '2' : '1'}` };
      expect(() => readHeader(changed), field).to.throw(Refused);
    }
    for (const field of ['baseFeePerGas', 'withdrawalsRoot', 'requestsHash', 'blockAccessListHash'])
      expect(() => readHeader({ ...GENESIS, [field]: '0x01' }), field).to.throw(Refused);
    for (const wrong of [null, [], 'x', {}, { ...GENESIS, logsBloom: undefined }])
      expect(() => readHeader(wrong)).to.throw(Refused);
  });

  it('refuse a header of a time that nothing can store, though its hash is right', () => {
    const at = (seconds: number) => {
      const block = { ...GENESIS, timestamp: `0x${seconds.toString(16)}` };
      return () => readHeader({ ...block, hash: hashOf(block) });
    };
    const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
    expect(at(last)().time.toISOString()).to.equal('9999-12-31T23:59:59.000Z');
    for (const late of [last + 1, Number.MAX_SAFE_INTEGER]) expect(at(late)).to.throw(Refused, 'too late');
  });

  it('hold a transaction to its hash, its sender and its root', () => {
    const transaction = readTransaction(SIGNED);
    const only = { height: 1, transactionsRoot: listRoot([rawOfSigned()]) };
    proveTransactions([transaction], only, new Map());
    proveSender(transaction);
    for (const [field, value] of [
      ['value', '0x1'],
      ['to', `0x${'36'.repeat(20)}`],
      ['nonce', '0x8'],
      ['input', '0x00'],
    ])
      expect(() =>
        proveTransactions([readTransaction({ ...SIGNED, [field ?? '']: value })], only, new Map()),
      ).to.throw(Refused, 'has not the hash');
    expect(() => proveTransactions([], only, new Map())).to.throw(Refused, 'have not the root');
    expect(() => proveSender({ ...transaction, from: `0x${'1'.repeat(40)}` })).to.throw(
      Refused,
      'was not signed by',
    );
    expect(() => proveSender(readTransaction({ ...SIGNED, r: '0x0' }))).to.throw(Refused);
  });

  it('read a bloom: what was added is found', () => {
    const address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const bloom = new Uint8Array(256);
    expect(mayHold({ bloom }, bloomBits(address))).to.equal(false);
    for (const bit of bloomBits(address))
      bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
    expect(mayHold({ bloom }, bloomBits(address))).to.equal(true);
  });

  it('refuse what is no data and no quantity', () => {
    for (const wrong of ['', '0x1', '0xzz', 'ff', null, 1])
      expect(() => dataBytes(wrong), String(wrong)).to.throw(Refused);
    for (const wrong of ['', '0x', '1', '0xg', `0x${'f'.repeat(65)}`, null, 1])
      expect(() => quantity(wrong), String(wrong)).to.throw(Refused);
    expect(() => integer('0xffffffffffffffff')).to.throw(Refused);
  });
});

/** The bytes of the signed example, as EIP-155 prints them. */
function rawOfSigned(): Buffer {
  return Buffer.from(
    'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a0' +
      '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a0' +
      '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    'hex',
  );
}
