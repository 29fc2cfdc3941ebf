import { encode, integerBytes, keccak, keccakBytes, type Item } from '../evm/proofs/rlp.ts';
import type { SigningKey } from './key-file.ts';

/** A transaction that creates a contract, and carries no money (EIP-1559). */
export interface Creation {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly input: Uint8Array;
}

const EIP_1559 = Buffer.of(2);
const EMPTY = Buffer.alloc(0);

/** Returns the bytes to broadcast, and the hash that they have. The same transaction has the same ones. */
export function signCreation(
  key: SigningKey,
  { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, input }: Creation,
): { readonly raw: Buffer; readonly hash: string } {
  const numbers = [BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gas];
  // To nobody, with nothing, and without an access list.
  const content: Item[] = [...numbers.map(integerBytes), EMPTY, EMPTY, input, []];
  const { r, s, parity } = key.sign(keccakBytes(Buffer.concat([EIP_1559, encode(content)])));
  const signature = [BigInt(parity), r, s].map(integerBytes);
  const raw = Buffer.concat([EIP_1559, encode([...content, ...signature])]);
  return { raw, hash: keccak(raw) };
}
