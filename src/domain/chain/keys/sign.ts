import { secp256k1 } from '@noble/curves/secp256k1.js';
import { decode, encode, integerBytes, keccak, keccakBytes, type Item } from '../evm/proofs/rlp.ts';
import { Refused } from '../rpc/refused.ts';
import { addressOf, type SigningKey } from './key-file.ts';

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
  return {
    chainId: Number(numberOf(chainId)),
    nonce: Number(numberOf(nonce)),
    maxPriorityFeePerGas: numberOf(tip),
    maxFeePerGas: numberOf(most),
    gas: numberOf(gas),
    to,
    value: numberOf(value),
    input,
  };
}

/** Returns the address whose key has signed such a transaction; null: the bytes are none. */
export function signerOf(raw: Uint8Array): string | null {
  try {
    const items = decode(raw.subarray(1));
    if (raw[0] !== EIP_1559[0] || items instanceof Uint8Array || items.length !== 12) return null;
    const digest = keccakBytes(Buffer.concat([EIP_1559, encode(items.slice(0, 9))]));
    const [parity, r, s] = items.slice(9).map(numberOf);
    const signature = new secp256k1.Signature(r ?? 0n, s ?? 0n, Number(parity));
    return addressOf(signature.recoverPublicKey(digest).toBytes(false));
  } catch {
    return null;
  }
}

const numberOf = (item: unknown): bigint =>
  item instanceof Uint8Array ? BigInt(`0x0${Buffer.from(item).toString('hex')}`) : 0n;

/** Returns a fee by which a transaction replaces another: nodes ask for a tenth more of both fees. */
export function raised(before: bigint, now: bigint): bigint {
  const higher = (before * 1125n) / 1000n + 1n;
  return now > higher ? now : higher;
}
