import { secp256k1 } from '@noble/curves/secp256k1.js';
import { itemOf } from './header.ts';
import { demand, Refused } from '../../rpc/refused.ts';
import { encode, integerBytes, keccak, keccakBytes, type Item } from './rlp.ts';
import { listRoot } from './trie.ts';
import { address, dataBytes, fields, integer, list, quantity, word } from './values.ts';

type Sent = Readonly<Record<string, unknown>>;

/** A transaction of a block. */
export interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
  /** Null: it creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  readonly input: string;
  readonly sent: Sent;
}

/** Returns a transaction as a provider sent it, proven by nothing. Throws Refused when it is malformed. */
export function readTransaction(sent: unknown): Transaction {
  const transaction = fields(sent);
  const { to, input } = transaction;
  if (typeof input !== 'string') throw new Refused('malformed', 'the input of a transaction is missing');
  return {
    hash: word(transaction.hash),
    from: address(transaction.from),
    nonce: integer(transaction.nonce),
    to: to === null || to === undefined ? null : address(to),
    value: quantity(transaction.value),
    input,
    sent: transaction,
  };
}

/** Of the types of transactions that are known here, what is signed, in its order. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  '0x0': ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input'],
  '0x1': ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'accessList'],
  '0x2': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input', 'accessList'],
  '0x3': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input', 'accessList',
    'maxFeePerBlobGas', 'blobVersionedHashes'],
  '0x4': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input', 'accessList',
    'authorizationList'],
}; // prettier-ignore

/**
 * Of the types that nobody signs, what is hashed: deposits of the OP Stack, one of which begins every block,
 * and that with which Arbitrum begins one.
 */
const UNSIGNED_FORMS: Readonly<Record<string, readonly string[]>> = {
  '0x7e': ['sourceHash', 'from', 'to', 'mint', 'value', 'gas', 'isSystemTx', 'input'],
  '0x6a': ['chainId', 'input'],
};

/** True when its account has signed a transaction, with its number. */
export function isSigned({ sent }: Transaction): boolean {
  return Object.hasOwn(FORMS, typeOf(sent));
}

/**
 * True when the bytes that a transaction's hash covers follow from its fields. Where these have no value
 * there is none, and what a node leaves out, or adds to a form, makes a type one that is not known.
 */
export function isKnownType(transaction: Transaction): boolean {
  if (isSigned(transaction)) return true;
  const { sent, hash, value } = transaction;
  const form = UNSIGNED_FORMS[typeOf(sent)];
  if (form === undefined || !(form.includes('value') || value === 0n)) return false;
  try {
    return keccak(encodeTransaction(sent)) === hash;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/**
 * Throws Refused unless the transactions are those that the header commits to, each with the hash that it
 * claims. `raw` has the bytes of those whose type is not known here.
 */
export function proveTransactions(
  transactions: readonly Transaction[],
  header: { height: number; transactionsRoot: string },
  raw: ReadonlyMap<string, Buffer>,
): void {
  const encoded = transactions.map((transaction) => {
    const bytes = raw.get(transaction.hash) ?? encodeTransaction(transaction.sent);
    demand(
      keccak(bytes) === transaction.hash,
      `a transaction of block ${header.height} has not the hash that it claims`,
    );
    return bytes;
  });
  demand(
    listRoot(encoded) === header.transactionsRoot,
    `the transactions of block ${header.height} have not the root of its header`,
  );
}

/** Throws Refused unless a transaction has the hash that it claims, and its sender has signed it. */
export function proveSigned(transaction: Transaction): void {
  const { hash, sent } = transaction;
  demand(keccak(encodeTransaction(sent)) === hash, `transaction ${hash} has not the hash that it claims`);
  proveSender(transaction);
}

/** Throws Refused unless the address that a transaction claims to come from has signed it. */
export function proveSender({ hash, from, sent }: Transaction): void {
  const type = typeOf(sent);
  const v = quantity(sent.v ?? sent.yParity);
  // EIP-155: a legacy signature also names its chain.
  const chain = type === '0x0' && v >= 35n ? [integerBytes((v - 35n) / 2n), EMPTY, EMPTY] : [];
  const parity = type === '0x0' ? (v >= 35n ? (v - 35n) % 2n : v - 27n) : v;
  const signed = withType(type, [...contentOf(type, sent), ...chain]);
  const signature = Buffer.concat([Buffer.of(Number(parity & 1n)), padded(sent.r), padded(sent.s)]);
  demand(
    signerOf(keccakBytes(signed), signature) === from,
    `transaction ${hash} was not signed by the address that it claims to come from`,
  );
}

/** Returns the address whose key signed a digest; null: the signature is none. */
function signerOf(digest: Uint8Array, signature: Uint8Array): string | null {
  try {
    const compressed = secp256k1.recoverPublicKey(signature, digest, { prehash: false });
    const key = secp256k1.Point.fromBytes(compressed).toBytes(false);
    return `0x${keccakBytes(key.subarray(1)).subarray(12).toString('hex')}`;
  } catch {
    return null;
  }
}

const EMPTY = new Uint8Array();

function typeOf(sent: Sent): string {
  return sent.type === undefined || sent.type === null ? '0x0' : `0x${quantity(sent.type).toString(16)}`;
}

function encodeTransaction(sent: Sent): Buffer {
  const type = typeOf(sent);
  if (Object.hasOwn(UNSIGNED_FORMS, type)) return withType(type, contentOf(type, sent));
  const parity = type === '0x0' ? sent.v : (sent.yParity ?? sent.v);
  return withType(type, [...contentOf(type, sent), ...[parity, sent.r, sent.s].map(integerItem)]);
}

function withType(type: string, items: readonly Item[]): Buffer {
  const body = encode(items);
  return type === '0x0' ? body : Buffer.concat([Buffer.of(Number(type)), body]);
}

function contentOf(type: string, sent: Sent): Item[] {
  const form = FORMS[type] ?? UNSIGNED_FORMS[type];
  if (form === undefined)
    throw new Refused('inconsistent', `transactions of type ${type} are not known here`);
  return form.map((name) => contentItem(name, sent));
}

function contentItem(name: string, sent: Sent): Item {
  if (name === 'to') return sent.to === null || sent.to === undefined ? EMPTY : dataBytes(sent.to);
  if (name === 'input' || name === 'sourceHash' || name === 'from') return dataBytes(sent[name]);
  if (name === 'isSystemTx') return integerBytes(sent.isSystemTx === true ? 1n : 0n);
  // Older nodes leave it out where nothing was minted.
  if (name === 'mint') return integerBytes(quantity(sent.mint ?? '0x0'));
  if (name === 'accessList')
    return list(sent.accessList).map((entry) => {
      const { address, storageKeys } = fields(entry);
      return [dataBytes(address), list(storageKeys).map(dataBytes)];
    });
  if (name === 'blobVersionedHashes') return list(sent[name]).map(dataBytes);
  if (name === 'authorizationList') return list(sent[name]).map((entry) => authorizationItem(fields(entry)));
  return itemOf(sent, [name, 'quantity']);
}

function authorizationItem(entry: Sent): Item {
  const { chainId, address, nonce, yParity, r, s } = entry;
  return [integerItem(chainId), dataBytes(address), ...[nonce, yParity, r, s].map(integerItem)];
}

const integerItem = (value: unknown): Item => integerBytes(quantity(value));

function padded(value: unknown): Buffer {
  const bytes = integerBytes(quantity(value));
  return Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]);
}
