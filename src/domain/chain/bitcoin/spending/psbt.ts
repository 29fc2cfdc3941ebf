import { Transaction } from '@scure/btc-signer/transaction.js';
import type { AccountKey } from '../../wallets/bitcoin/account-keys.ts';
import type { Coin } from './choose.ts';

/** A coin of an account, which the owner of that signs for. */
export interface Input extends Coin {
  readonly key: AccountKey;
  /** The transaction that made it, by which a signer proves its amount; null: it is too large. */
  readonly made: Buffer | null;
}

/** What a transaction pays; `key`: of the account itself, which takes the change. */
export interface Output {
  readonly script: Buffer;
  readonly satoshi: bigint;
  readonly key?: AccountKey;
}

/** It may be replaced by another that pays more (BIP-125). */
const REPLACEABLE = 0xfffffffd;

/** Returns a transaction that somebody is to sign (BIP-174), in an order that tells nothing (BIP-69). */
export function buildPsbt(inputs: readonly Input[], outputs: readonly Output[]): Buffer {
  const transaction = new Transaction({ allowUnknownOutputs: true });
  for (const { txHash, index, satoshi, key, made } of inputs.toSorted(byOutpoint))
    transaction.addInput({
      txid: txHash,
      index,
      sequence: REPLACEABLE,
      witnessUtxo: { script: key.script, amount: satoshi },
      // A signature of an input commits to its own amount alone: who is lied to about another signs a fee.
      ...(made && { nonWitnessUtxo: made }),
      ...derivationOf(key),
    });
  for (const { script, satoshi, key } of outputs.toSorted(byAmount))
    transaction.addOutput({ script, amount: satoshi, ...(key && derivationOf(key)) });
  return Buffer.from(transaction.toPSBT(0));
}

function derivationOf({ publicKey, origin }: AccountKey) {
  if (origin === null) return {};
  const { fingerprint, path } = origin;
  return { bip32Derivation: [[publicKey, { fingerprint, path: [...path] }]] satisfies Derivation };
}

type Derivation = [Uint8Array, { fingerprint: number; path: number[] }][];

const byOutpoint = (a: Coin, b: Coin) =>
  a.txHash === b.txHash ? a.index - b.index : a.txHash < b.txHash ? -1 : 1;

const byAmount = (a: Output, b: Output) =>
  a.satoshi === b.satoshi ? Buffer.compare(a.script, b.script) : a.satoshi < b.satoshi ? -1 : 1;
