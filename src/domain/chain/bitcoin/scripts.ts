import { bech32, bech32m } from '@scure/base';
import { base58Check } from '../addresses.ts';
import type { ChainTraits } from './options.ts';

/** Opcodes. */
const [DUP, HASH160, EQUAL, EQUALVERIFY, CHECKSIG] = [0x76, 0xa9, 0x87, 0x88, 0xac];
const [OP_0, OP_1] = [0x00, 0x51];
const [BYTES_20, BYTES_32] = [20, 32];

/**
 * Returns the address that a script pays, in lower case but for the old forms, whose case counts; null: it
 * pays none.
 */
export function addressOf(script: Buffer, { prefix, versions }: ChainTraits): string | null {
  const [first, second] = script;
  if (first === OP_0 && (second === BYTES_20 || second === BYTES_32) && script.length === second + 2)
    return segwit(bech32, prefix, 0, script.subarray(2));
  if (first === OP_1 && second === BYTES_32 && script.length === BYTES_32 + 2)
    return segwit(bech32m, prefix, 1, script.subarray(2));
  const [toKey, toScript] = versions;
  if (matches(script, [DUP, HASH160, BYTES_20], [EQUALVERIFY, CHECKSIG]))
    return base58Check.encode(Uint8Array.of(toKey, ...script.subarray(3, 23)));
  if (matches(script, [HASH160, BYTES_20], [EQUAL]))
    return base58Check.encode(Uint8Array.of(toScript, ...script.subarray(2, 22)));
  return null;
}

/** Returns the script that pays an address, whose form and checksum were checked when it was accepted. */
export function scriptOf(address: string, { versions }: Pick<ChainTraits, 'versions'>): Buffer {
  const lower = address.toLowerCase();
  if (SEGWIT.test(lower)) {
    const [version = 0, ...words] = (bech32.decodeUnsafe(lower) ?? bech32m.decode(lower as Segwit)).words;
    const program = bech32.fromWords(words);
    return Buffer.from([version === 0 ? OP_0 : OP_1 - 1 + version, program.length, ...program]);
  }
  const [version, ...hash] = base58Check.decode(address);
  return version === versions[0]
    ? Buffer.from([DUP, HASH160, BYTES_20, ...hash, EQUALVERIFY, CHECKSIG])
    : Buffer.from([HASH160, BYTES_20, ...hash, EQUAL]);
}

/** Several chains of tests share a node. */
const SEGWIT = /^(?:bc|tb|bcrt)1/;
type Segwit = `${string}1${string}`;

function segwit(encoding: typeof bech32, prefix: string, version: number, program: Buffer): string {
  return encoding.encode(prefix, [version, ...encoding.toWords(program)]);
}

/** True for 20 bytes between a beginning and an end. */
const matches = (script: Buffer, begin: readonly number[], end: readonly number[]): boolean =>
  script.length === begin.length + BYTES_20 + end.length &&
  begin.every((byte, i) => script[i] === byte) &&
  end.every((byte, i) => script[script.length - end.length + i] === byte);
