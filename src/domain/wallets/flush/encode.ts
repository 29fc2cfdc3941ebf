import { hexToBytes } from '@noble/hashes/utils.js';
import { FACTORY } from '../../chain/wallets/forwarder.ts';
import { FORWARDER } from '../../chain/wallets/forwarder-code.ts';
import { FLUSH } from './flush-code.ts';

/** Calls of one kind, as contracts/Flush.sol takes them. */
export interface Group {
  /** Deployments: the constructor's arguments of the forwarders. Else the call of each. */
  readonly tail: Uint8Array;
  readonly deploys: boolean;
  /** Deployments: salts. Else addresses. In hexadecimal. */
  readonly items: readonly string[];
  readonly gasEach: number;
}

/** Returns the input of the transaction that makes the calls: code of Flush with its arguments. */
export function flushInput(groups: readonly Group[]): Buffer {
  const code = groups.some(({ deploys }) => deploys) ? hexToBytes(FORWARDER.bytecode) : Buffer.alloc(0);
  const encoded = bytesOf(code);
  return Buffer.concat([
    hexToBytes(FLUSH.bytecode),
    wordOf(64),
    wordOf(64 + encoded.length),
    encoded,
    ...listOf(groups.map(groupOf)),
  ]);
}

/** Returns the call flush(address[]) of a forwarder. */
export function flushCall(tokens: readonly string[]): Buffer {
  return Buffer.concat([Buffer.from('48897c52', 'hex'), ...[32, tokens.length, ...tokens].map(wordOf)]);
}

/** A tuple with two dynamic parts. */
function groupOf({ tail, deploys, items, gasEach }: Group): Buffer {
  const encoded = bytesOf(tail);
  const heads = [deploys ? FACTORY : 0, gasEach, 128, 128 + encoded.length].map(wordOf);
  return Buffer.concat([...heads, encoded, ...[items.length, ...items].map(wordOf)]);
}

/** A list of dynamic items: how many, where each begins behind that, and the items. */
function listOf(items: readonly Buffer[]): Buffer[] {
  let at = items.length * 32;
  const offsets = items.map(({ length }) => wordOf((at += length) - length));
  return [wordOf(items.length), ...offsets, ...items];
}

/** Bytes of any length: how many, and filled up to whole words. */
function bytesOf(bytes: Uint8Array): Buffer {
  const filled = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
  filled.set(bytes);
  return Buffer.concat([wordOf(bytes.length), filled]);
}

function wordOf(value: number | string): Buffer {
  const digits = typeof value === 'number' ? value.toString(16) : value.replace(/^0x/, '');
  return Buffer.from(digits.padStart(64, '0'), 'hex');
}
