import { decode, encode, integerBytes, keccak, keccakBytes, type Item } from '../evm/proofs/rlp.ts';
import { Refused } from '../rpc/refused.ts';
import type { SigningKey } from './key-file.ts';

/** A transaction without an access list (EIP-1559). */
export interface Transaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  /** 20 bytes; none: it creates a contract. */
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly input: Uint8Array;
}

/** The bytes to broadcast, and the hash that they have. */
export interface Signed {
  readonly raw: Buffer;
  readonly hash: string;
}

const EIP_1559 = Buffer.of(2);

/** Signs a transaction. The same one has the same bytes, where the key signs as RFC 6979 says. */
export async function signTransaction(key: SigningKey, transaction: Transaction): Promise<Signed> {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, input } = transaction;
  const numbers = [BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gas];
  const content: Item[] = [...numbers.map(integerBytes), to, integerBytes(value), input, []];
  const { r, s, parity } = await key.sign(keccakBytes(Buffer.concat([EIP_1559, encode(content)])));
  const signature = [BigInt(parity), r, s].map(integerBytes);
  const raw = Buffer.concat([EIP_1559, encode([...content, ...signature])]);
  return { raw, hash: keccak(raw) };
}

/** Returns what was signed. */
export function readSigned(raw: Uint8Array): Transaction {
  const items = decode(raw.subarray(1));
  const [chainId, nonce, tip, most, gas, to, value, input] = items instanceof Uint8Array ? [] : items;
  if (!(to instanceof Uint8Array) || !(input instanceof Uint8Array))
    throw new Refused('malformed', 'a stored transaction is none');
  const number = (item: unknown) =>
    item instanceof Uint8Array ? BigInt(`0x0${Buffer.from(item).toString('hex')}`) : 0n;
  return {
    chainId: Number(number(chainId)),
    nonce: Number(number(nonce)),
    maxPriorityFeePerGas: number(tip),
    maxFeePerGas: number(most),
    gas: number(gas),
    to,
    value: number(value),
    input,
  };
}

/** Returns a fee by which a transaction replaces another: nodes ask for a tenth more of both fees. */
export function raised(before: bigint, now: bigint): bigint {
  const higher = (before * 1125n) / 1000n + 1n;
  return now > higher ? now : higher;
}
