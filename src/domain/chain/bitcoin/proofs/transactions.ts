import { demand, Refused } from '../../rpc/refused.ts';
import type { ChainTraits } from '../options.ts';
import { Bytes, bytesOf, hashOf, textOf } from './bytes.ts';
import { headerOf, type Header } from './header.ts';

/** A transaction, which has the hash of its bytes. */
export interface Transaction {
  readonly id: string;
  /** The outputs that it spends; none: it makes new coins. */
  readonly inputs: readonly string[];
  readonly outputs: readonly Output[];
  /** What stands where others prove that they may spend: in a block's first it begins with the height. */
  readonly coinbase: Buffer | null;
}

export interface Output {
  readonly script: Buffer;
  /** In satoshi. */
  readonly value: bigint;
}

/** A block with all its transactions, to which the hash commits. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}

/** 21 million coins. */
const MOST_SATOSHI = 2_100_000_000_000_000n;
/** What an input names that spends nothing. */
const NO_OUTPUT = `${'0'.repeat(64)}:4294967295`;
/** So much of a hash cannot be met on purpose, and takes less room where it is kept. */
const DIGITS_OF_INPUT = 24;
const HEADER_BYTES = 80;

/** Returns the block of a hash. Throws Refused unless its transactions are those that the hash commits to. */
export function readBlock(sent: unknown, hash: string, chain: ChainTraits): Block {
  const bytes = new Bytes(bytesOf(sent));
  const header = headerOf(bytes.take(HEADER_BYTES), hash, chain);
  const transactions = times(bytes.size(), () => takeTransaction(bytes));
  demand(bytes.isAtEnd, `block ${hash} has more than its transactions`);
  // So nodes of the tree are not passed off as transactions, which may have as many bytes: no two hashes look
  // like what makes coins.
  demand(
    transactions.every(({ coinbase }, i) => (coinbase !== null) === (i === 0)) && transactions.length > 0,
    `block ${hash} makes new coins in another place than its first transaction`,
  );
  demand(rootOf(transactions).equals(header.merkleRoot), `block ${hash} has other transactions`);
  return { header, transactions };
}

/** Returns the transaction of a hash. Throws Refused where the bytes are of another. */
export function readTransaction(sent: unknown, id: string): Transaction {
  const bytes = new Bytes(bytesOf(sent));
  const transaction = takeTransaction(bytes);
  demand(bytes.isAtEnd && transaction.id === id, `transaction ${id} has another hash`);
  return transaction;
}

/**
 * Returns the block. Throws Refused unless it names the height as its own (BIP-34): who shifts the heights of
 * all blocks must not make a reorganisation.
 */
export function proveHeight(block: Block, height: number, { namesHeightFrom }: ChainTraits): Block {
  const [first] = block.transactions;
  demand(
    height < namesHeightFrom || heightIn(first?.coinbase ?? null) === height,
    `block ${block.header.hash} has another height`,
  );
  return block;
}

/** The first push of the script: a small number is an opcode of its own. */
function heightIn(coinbase: Buffer | null): number | null {
  const [push = 0] = coinbase ?? [];
  if (push >= 0x51 && push <= 0x60) return push - 0x50;
  return coinbase === null || push < 1 || push > 4 || coinbase.length <= push
    ? null
    : coinbase.readUIntLE(1, push);
}

/** Reads a transaction in the form with or without witnesses (BIP-144): its hash is of the one without. */
function takeTransaction(bytes: Bytes): Transaction {
  const version = bytes.take(4);
  const hasWitnesses = bytes.skip([0, 1]);
  const start = bytes.at;
  const spent = times(bytes.size(), () => takeInput(bytes));
  const outputs = times(bytes.size(), () => takeOutput(bytes));
  demand(spent.length > 0 && outputs.length > 0, 'a transaction spends nothing, or has no output');
  const body = bytes.since(start);
  // Nothing of them is kept: a block has room for four million that are empty.
  if (hasWitnesses) for (const _ of spent) for (let left = bytes.size(); left > 0; left -= 1) bytes.pass();
  const lockTime = bytes.take(4);
  const [first] = spent;
  const isCoinbase = spent.length === 1 && `${first?.id}:${first?.index}` === NO_OUTPUT;
  const coinbase = isCoinbase ? (first?.script ?? null) : null;
  return {
    id: textOf(hashOf(version, body, lockTime)),
    inputs: coinbase === null ? spent.map(({ id, index }) => `${id.slice(0, DIGITS_OF_INPUT)}:${index}`) : [],
    outputs,
    coinbase,
  };
}

function takeInput(bytes: Bytes) {
  const id = textOf(bytes.take(32));
  const index = bytes.take(4).readUInt32LE();
  const script = bytes.take(bytes.size());
  bytes.take(4);
  return { id, index, script };
}

function takeOutput(bytes: Bytes): Output {
  const value = bytes.take(8).readBigUInt64LE();
  if (value > MOST_SATOSHI) throw new Refused('malformed', 'an output has more coins than there are');
  return { value, script: bytes.take(bytes.size()) };
}

/** No list is longer than the bytes that it is read from. */
function times<T>(count: number, take: () => T): T[] {
  const taken: T[] = [];
  while (taken.length < count) taken.push(take());
  return taken;
}

/** Returns the root of the tree over transactions: pairs are hashed until one is left. */
function rootOf(transactions: readonly Transaction[]): Buffer {
  let row: Buffer[] = transactions.map(({ id }) => Buffer.from(id, 'hex').reverse());
  while (row.length > 1) row = pairsOf(row);
  return row[0] ?? Buffer.alloc(0);
}

/** The last one of an odd row is its own pair: two equal ones that were sent are a lie. */
function pairsOf(row: readonly Buffer[]): Buffer[] {
  return row.flatMap((left, i) => {
    if (i % 2 === 1) return [];
    const right = row[i + 1];
    demand(right === undefined || !left.equals(right), 'a block has a transaction twice');
    return hashOf(left, right ?? left);
  });
}
