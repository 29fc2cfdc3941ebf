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
    if (length > this.#bytes.length - this.#at) throw new Refused('malformed', 'a block ends too soon');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads a compact size: a number of inputs, outputs or bytes. */
  size(): number {
    const [first = 0] = this.take(1);
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.take(2).readUInt16LE();
    if (first === 0xfe) return this.take(4).readUInt32LE();
    throw new Refused('malformed', 'a block names a size that none has');
  }
}

/** Returns the bytes of hexadecimal digits. Throws Refused for anything else. */
export function bytesOf(sent: unknown): Buffer {
  const bytes = typeof sent === 'string' ? Buffer.from(sent, 'hex') : null;
  // Buffer.from stops at the first character that is no digit.
  if (bytes === null || bytes.length * 2 !== (sent as string).length)
    throw new Refused('malformed', 'what a node sent is not hexadecimal');
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
