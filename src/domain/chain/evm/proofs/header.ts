import { demand } from '../../rpc/refused.ts';
import { encode, integerBytes, keccak, keccakBytes, type Item } from './rlp.ts';
import { dataBytes, fields, integer, quantity, time, word } from './values.ts';

/** The header of a block, bound to its hash. */
export interface Header {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: Date;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly bloom: Uint8Array;
}

type Field = readonly [name: string, kind: 'data' | 'quantity'];

const FIELDS: readonly Field[] = [
  ['parentHash', 'data'],
  ['sha3Uncles', 'data'],
  ['miner', 'data'],
  ['stateRoot', 'data'],
  ['transactionsRoot', 'data'],
  ['receiptsRoot', 'data'],
  ['logsBloom', 'data'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'data'],
  ['mixHash', 'data'],
  ['nonce', 'data'],
];

/** Later forks append to the header: what a block has of these, in their order, is hashed too. */
const LATER_FIELDS: readonly Field[] = [
  ['baseFeePerGas', 'quantity'], // London
  ['withdrawalsRoot', 'data'], // Shanghai
  ['blobGasUsed', 'quantity'], // Cancun
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'data'],
  ['requestsHash', 'data'], // Prague
  ['blockAccessListHash', 'data'], // Amsterdam
  ['slotNumber', 'quantity'],
];

/**
 * Returns the header of a block as a provider sent it. Throws Refused when its hash is not that of its
 * fields: then height, time, bloom or roots were changed, or the chain has fields that are not known here.
 */
export function readHeader(sent: unknown): Header {
  const block = fields(sent);
  const hash = word(block.hash);
  demand(
    hashOf(block) === hash,
    `the header of block ${integer(block.number)} has not the hash that it claims`,
  );
  return {
    height: integer(block.number),
    hash,
    parentHash: word(block.parentHash),
    time: time(block.timestamp),
    stateRoot: word(block.stateRoot),
    transactionsRoot: word(block.transactionsRoot),
    receiptsRoot: word(block.receiptsRoot),
    bloom: dataBytes(block.logsBloom),
  };
}

/** Returns the hash of a block's fields. */
export function hashOf(block: Readonly<Record<string, unknown>>): string {
  const later = LATER_FIELDS.filter(([name]) => block[name] !== undefined && block[name] !== null);
  return keccak(encode([...FIELDS, ...later].map((field) => itemOf(block, field))));
}

/** Returns a field of an object as RLP encodes it. */
export function itemOf(object: Readonly<Record<string, unknown>>, [name, kind]: Field): Item {
  return kind === 'data' ? dataBytes(object[name]) : integerBytes(quantity(object[name]));
}

/** A value of a bloom filter: the bits that an address or a topic sets (Yellow Paper, 4.3.1). */
export function bloomBits(value: string): readonly number[] {
  const hash = keccakBytes(dataBytes(value));
  return [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047);
}

/** True when a block's logs may hold the value; false: they certainly do not. */
export function mayHold({ bloom }: Pick<Header, 'bloom'>, bits: readonly number[]): boolean {
  return bits.every((bit) => (((bloom[255 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1) === 1);
}
