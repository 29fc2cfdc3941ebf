import { keccak_256 } from '@noble/hashes/sha3.js';

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
