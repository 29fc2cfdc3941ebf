import { demand } from '../../rpc/refused.ts';
import type { ChainTraits } from '../options.ts';
import { bytesOf, hashOf, textOf } from './bytes.ts';

/** The header of a block, whose hash its work proves. Its height is not in it. */
export interface Header {
  readonly hash: string;
  readonly parentHash: string;
  /** In the byte order of hashing. */
  readonly merkleRoot: Buffer;
  readonly time: Date;
  readonly bits: number;
}

const HEADER_BYTES = 80;
/** Blocks after which the target changes, and the most that it does so. */
const RETARGET_BLOCKS = 2_016;
const MOST_CHANGE = 4n;

/** Returns the header of a hash. Throws Refused unless it has that hash, and the work that it claims. */
export function readHeader(sent: unknown, hash: string, chain: ChainTraits): Header {
  return headerOf(bytesOf(sent), hash, chain);
}

/** The same, of the bytes of a header. */
export function headerOf(bytes: Buffer, hash: string, { easiestBits }: ChainTraits): Header {
  demand(bytes.length === HEADER_BYTES, 'a header is not 80 bytes');
  demand(textOf(hashOf(bytes)) === hash, `block ${hash} has another hash`);
  const bits = bytes.readUInt32LE(72);
  const target = targetOf(bits);
  demand(target <= targetOf(easiestBits), `block ${hash} is too easy for its chain`);
  demand(BigInt(`0x${hash}`) <= target, `block ${hash} has not the work that it claims`);
  return {
    hash,
    parentHash: textOf(bytes.subarray(4, 36)),
    merkleRoot: bytes.subarray(36, 68),
    time: new Date(bytes.readUInt32LE(68) * 1_000),
    bits,
  };
}

/** Throws Refused unless a block at a height may be as easy as it is behind its parent. */
export function proveWork(header: Header, parent: Header, height: number, { isSteady }: ChainTraits): void {
  if (!isSteady || header.bits === parent.bits) return;
  const [own, before] = [targetOf(header.bits), targetOf(parent.bits)];
  demand(
    height % RETARGET_BLOCKS === 0 && own <= before * MOST_CHANGE && before <= own * MOST_CHANGE,
    `block ${height} is easier or harder than it may be`,
  );
}

/** Returns the highest hash that bits allow: a number of bytes, and the first three of them. */
function targetOf(bits: number): bigint {
  const digits = BigInt(bits & 0x7fffff);
  const shift = 8 * ((bits >>> 24) - 3);
  return shift < 0 ? digits >> BigInt(-shift) : digits << BigInt(shift);
}
