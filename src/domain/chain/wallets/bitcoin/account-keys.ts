import { HARDENED } from '../deposits/public-children.ts';
import { accountOf, ACCOUNT_DEPTH, readExtendedKey, RECEIVING } from '../extended-key.ts';
import { accountSteps, readAccount } from './account.ts';

/** A public key of an account, as whoever signs for it has to know it. */
export interface AccountKey {
  readonly publicKey: Uint8Array;
  /** What pays it: a witness program of version 0 (BIP-141). */
  readonly script: Buffer;
  /** The master key's fingerprint, and the steps from there; null: nobody has named the fingerprint. */
  readonly origin: { readonly fingerprint: number; readonly path: readonly number[] } | null;
}

/** Child 1 of an account holds the addresses that change goes to. */
const CHANGE = 1;
const WITNESS_KEY = [0x00, 20];

/** Derives the keys of an account that `parseBitcoinAccount` has returned. */
export function openAccountKeys(publicData: string) {
  const { key, fingerprint, ...stored } = readAccount(publicData);
  const account = readExtendedKey(key);
  if (account === null || account.depth !== ACCOUNT_DEPTH)
    throw new Error('the stored extended public key cannot be read');
  const steps = accountSteps(stored.chain, account.index - HARDENED).map((step) => step + HARDENED);
  const branch = (number: number) => {
    const parent = account.deriveChild(number);
    return (index: number): AccountKey => {
      const { publicKey, pubKeyHash } = parent.deriveChild(index);
      if (publicKey === null || pubKeyHash === undefined) throw new Error('a public key has a child');
      const origin =
        fingerprint === null
          ? null
          : { fingerprint: Number.parseInt(fingerprint, 16), path: [...steps, number, index] };
      return { publicKey, script: Buffer.from([...WITNESS_KEY, ...pubKeyHash]), origin };
    };
  };
  return { account: accountOf(key), receiving: branch(RECEIVING), change: branch(CHANGE) };
}
export type AccountKeys = ReturnType<typeof openAccountKeys>;
