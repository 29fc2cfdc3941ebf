import { createHash } from 'node:crypto';
import { Refused } from '../../rpc/refused.ts';

/** Reads what a node sent as bytes, from the front. Throws Refused where they end too soon. */
export class Bytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Returns the bytes from a place up to here. */
  since(start: number): Buffer {
    return this.#bytes.subarray(start, this.#at);
  }

  /** Skips bytes where they are the next ones. */
  skip(expected: readonly number[]): boolean {
    const isNext = expected.every((byte, i) => this.#bytes[this.#at + i] === byte);
    if (isNext) this.#at += expected.length;
    return isNext;
  }

  take(length: number): Buffer {
    this.#demand(length);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Skips bytes that their size stands before. */
  pass(): void {
    const length = this.size();
    this.#demand(length);
    this.#at += length;
  }

  /** Reads a compact size: a number of inputs, outputs or bytes. */
  size(): number {
    this.#demand(1);
    const first = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.take(2).readUInt16LE();
    if (first === 0xfe) return this.take(4).readUInt32LE();
    throw new Refused('malformed', 'a block names a size that none has');
  }

  #demand(length: number): void {
    if (length > this.#bytes.length - this.#at) throw new Refused('malformed', 'a block ends too soon');
  }
}

/** No block is longer (BIP-141): what is, is a lie, and takes many times its length in memory. */
const MOST_BYTES = 4_000_000;

/** Returns the bytes of hexadecimal digits. Throws Refused for anything else, and for more than a block. */
export function bytesOf(sent: unknown): Buffer {
  const text = typeof sent === 'string' ? sent : '-';
  if (text.length > 2 * MOST_BYTES) throw new Refused('malformed', 'a node sent more bytes than a block has');
  const bytes = Buffer.from(text, 'hex');
  // Buffer.from stops at the first character that is no digit.
  if (bytes.length * 2 !== text.length) throw new Refused('malformed', 'what a node sent is not hexadecimal');
  return bytes;
}

/** Returns a hash as people write it. Throws Refused for what is none. */
export function hashText(sent: unknown): string {
  if (typeof sent !== 'string' || !/^[0-9a-f]{64}$/.test(sent))
    throw new Refused('malformed', 'a hash is not 32 bytes');
  return sent;
}

/** Returns the double SHA-256 of parts. */
export function hashOf(...parts: readonly Uint8Array[]): Buffer {
  const once = createHash('sha256');
  for (const part of parts) once.update(part);
  return createHash('sha256').update(once.digest()).digest();
}

/** Returns a hash as people write it: backwards. */
export const textOf = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
