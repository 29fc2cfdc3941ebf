import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { HDKey } from '@scure/bip32';

const { Point } = secp256k1;
type Point = ReturnType<typeof Point.fromBytes>;

/** BIP-32: an index from here on is hardened, and needs the private key. */
export const HARDENED = 0x80000000;

/**
 * Returns the public keys of an extended public key's children, by their index (BIP-32, "Public parent key to
 * public child key"). They are those that HDKey derives, which takes a root of the field for its parent, for
 * the child and for what is made of it: addresses are derived by the million. Throws RangeError for a
 * hardened index.
 */
export function publicChildren({ publicKey, chainCode }: HDKey): (index: number) => Point {
  if (publicKey === null || chainCode === null) throw new Error('an extended public key has both');
  const parent = Point.fromBytes(publicKey);
  const childAt = (index: number): Point => {
    if (!Number.isInteger(index) || index < 0 || index >= HARDENED)
      throw new RangeError(`${index} is no index of a public child`);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(index);
    const digest = createHmac('sha512', chainCode).update(publicKey).update(number).digest();
    const tweak = BigInt(`0x${digest.toString('hex', 0, 32)}`);
    // As rare as a guessed key: the next index has its place.
    if (tweak >= Point.Fn.ORDER) return childAt(index + 1);
    const child = parent.add(Point.BASE.multiplyUnsafe(tweak));
    return child.is0() ? childAt(index + 1) : child;
  };
  return childAt;
}
