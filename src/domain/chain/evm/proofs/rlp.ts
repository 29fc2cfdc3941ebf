import { keccak_256 } from '@noble/hashes/sha3.js';
import { Refused } from '../../rpc/refused.ts';

/** What RLP encodes: bytes, or a list of such items. */
export type Item = Uint8Array | readonly Item[];

/** Returns the recursive length prefix encoding of an item (Yellow Paper, appendix B). */
export function encode(item: Item): Buffer {
  if (item instanceof Uint8Array) {
    const [first = 0] = item;
    if (item.length === 1 && first < 0x80) return Buffer.from(item);
    return Buffer.concat([prefix(item.length, 0x80), item]);
  }
  const parts = item.map(encode);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([prefix(length, 0xc0), ...parts]);
}

function prefix(length: number, base: 0x80 | 0xc0): Buffer {
  if (length <= 55) return Buffer.of(base + length);
  const bytes = integerBytes(BigInt(length));
  return Buffer.concat([Buffer.of(base + 55 + bytes.length), bytes]);
}

/** Returns the item that bytes encode. Throws Refused unless they encode one, in its shortest form or not. */
export function decode(bytes: Uint8Array): Item {
  const { item, end } = decodeAt(bytes, 0, 0);
  if (end !== bytes.length) throw new Refused('malformed', 'there are bytes behind an encoded item');
  return item;
}

/** Nothing honest is nested deeper: a node of a trie, and one within it. */
const MAX_DEPTH = 8;

function decodeAt(bytes: Uint8Array, at: number, depth: number): { item: Item; end: number } {
  const first = bytes[at];
  if (first === undefined || depth > MAX_DEPTH) throw new Refused('malformed', 'an encoded item is cut off');
  if (first < 0x80) return { item: bytes.subarray(at, at + 1), end: at + 1 };
  const base = first < 0xc0 ? 0x80 : 0xc0;
  const short = first - base;
  const sizeBytes = short > 55 ? short - 55 : 0;
  const start = at + 1 + sizeBytes;
  const size =
    sizeBytes === 0 ? short : Number(`0x${Buffer.from(bytes.subarray(at + 1, start)).toString('hex')}`);
  const end = start + size;
  if (!(end <= bytes.length)) throw new Refused('malformed', 'an encoded item is cut off');
  if (base === 0x80) return { item: bytes.subarray(start, end), end };
  const items: Item[] = [];
  for (let next = start; next < end;) {
    const inner = decodeAt(bytes.subarray(0, end), next, depth + 1);
    items.push(inner.item);
    next = inner.end;
  }
  return { item: items, end };
}

/** Returns an integer as RLP writes it: big-endian, without leading zeros; 0 is empty. */
export function integerBytes(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0);
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

/** Returns the hash that the EVM uses, with its 0x. */
export function keccak(bytes: Uint8Array): string {
  return `0x${keccakBytes(bytes).toString('hex')}`;
}

export function keccakBytes(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = keccak_256(bytes);
  return Buffer.from(buffer, byteOffset, length);
}
