import { createHash, randomBytes } from 'node:crypto';
import { bech32, bech32m, createBase58check } from '@scure/base';

/** An output that can be spent. */
export interface Coin {
  readonly txid: string;
  readonly index: number;
  readonly satoshi: bigint;
  readonly script: Buffer;
}

export interface Output {
  readonly script: Buffer;
  readonly satoshi: bigint;
}

export interface BuiltTransaction {
  readonly id: string;
  readonly hex: string;
  readonly spends: readonly Coin[];
  /** Each output as a coin. */
  readonly coins: readonly Coin[];
}

/** Anybody may spend it: with a witness, and without one. */
const TRUE = Buffer.from([0x51]);
export const OPEN_SCRIPT = Buffer.from([0x00, 0x20, ...createHash('sha256').update(TRUE).digest()]);
export const OPEN_LEGACY_SCRIPT = TRUE;

const base58Check = createBase58check((data: Uint8Array) => createHash('sha256').update(data).digest());

/** What an address of the test chain stands for. */
export function scriptOf(address: string): Buffer {
  if (address.startsWith('bcrt1')) {
    const encoding = address.startsWith('bcrt1p') ? bech32m : bech32;
    const { words } = encoding.decode(address as `${string}1${string}`);
    const [version = 0, ...rest] = words;
    const program = encoding.fromWords(rest);
    return Buffer.from([version === 0 ? 0 : 0x50 + version, program.length, ...program]);
  }
  const [version, ...hash] = base58Check.decode(address);
  return version === 0x6f
    ? Buffer.from([0x76, 0xa9, 20, ...hash, 0x88, 0xac])
    : Buffer.from([0xa9, 20, ...hash, 0x87]);
}

/** New addresses, by their form. */
export const ADDRESSES = {
  'a witness key': () => bech32.encode('bcrt', [0, ...bech32.toWords(randomBytes(20))]),
  'a witness script': () => bech32.encode('bcrt', [0, ...bech32.toWords(randomBytes(32))]),
  taproot: () => bech32m.encode('bcrt', [1, ...bech32m.toWords(randomBytes(32))]),
  'a key': () => base58Check.encode(Uint8Array.of(0x6f, ...randomBytes(20))),
  'a script': () => base58Check.encode(Uint8Array.of(0xc4, ...randomBytes(20))),
} as const;

export const newAddress = ADDRESSES['a witness key'];

const sha256 = (...parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const doubleSha256 = (...parts: readonly Uint8Array[]) => sha256(sha256(...parts));
const idOf = (bytes: Uint8Array) => Buffer.from(doubleSha256(bytes)).reverse().toString('hex');
const backwards = (hex: string) => Buffer.from(hex, 'hex').reverse();

function uint(value: number | bigint, bytes: 4 | 8): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 4) buffer.writeUInt32LE(Number(value));
  else buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function size(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value]);
  return Buffer.from([0xfd, value & 0xff, value >> 8]);
}

const sized = (bytes: Uint8Array) => Buffer.concat([size(bytes.length), bytes]);

/** It may be replaced by another that pays more (BIP-125). */
const REPLACEABLE = 0xfffffffd;

/** Spends coins that anybody may spend. */
export function buildTransaction(spends: readonly Coin[], outputs: readonly Output[]): BuiltTransaction {
  const inputs = spends.map(({ txid, index }) =>
    Buffer.concat([backwards(txid), uint(index, 4), size(0), uint(REPLACEABLE, 4)]),
  );
  const isWitness = ({ script }: Coin) => script.length === OPEN_SCRIPT.length;
  const witnesses = spends.map((coin) => (isWitness(coin) ? Buffer.concat([size(1), sized(TRUE)]) : size(0)));
  return assemble({ inputs, outputs, witnesses: spends.some(isWitness) ? witnesses : null, spends });
}

function assemble({
  inputs,
  outputs,
  witnesses,
  spends,
}: {
  inputs: readonly Buffer[];
  outputs: readonly Output[];
  witnesses: readonly Buffer[] | null;
  spends: readonly Coin[];
}): BuiltTransaction {
  const body = Buffer.concat([
    size(inputs.length),
    ...inputs,
    size(outputs.length),
    ...outputs.flatMap(({ satoshi, script }) => [uint(satoshi, 8), sized(script)]),
  ]);
  const [version, lockTime] = [uint(2, 4), uint(0, 4)];
  const id = idOf(Buffer.concat([version, body, lockTime]));
  const bytes =
    witnesses === null
      ? [version, body, lockTime]
      : [version, Buffer.from([0, 1]), body, ...witnesses, lockTime];
  const coins = outputs.map((output, index) => ({ txid: id, index, ...output }));
  return { id, hex: Buffer.concat(bytes).toString('hex'), spends, coins };
}

/** What a block is made of. */
export interface BlockToBuild {
  readonly parent: string;
  readonly height: number;
  /** Seconds. */
  readonly time: number;
  /** The raw bytes of transactions. */
  readonly transactions: readonly string[];
  /** What the first transaction pays. */
  readonly rewards: readonly Output[];
}

const BITS = 0x207fffff;
const VERSION = 0x20000000;
const COMMITMENT = Buffer.from([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed]);

/** Returns a block with its work done, and its first transaction. */
export function buildBlock({ parent, height, time, transactions, rewards }: BlockToBuild) {
  const raw = transactions.map((hex) => Buffer.from(hex, 'hex'));
  const witnessRoot = rootOf([Buffer.alloc(32), ...raw.map((bytes) => doubleSha256(bytes))]);
  const commitment = Buffer.concat([COMMITMENT, doubleSha256(witnessRoot, Buffer.alloc(32))]);
  // Two blocks of one height differ in it.
  const script = Buffer.concat([heightPush(height), sized(randomBytes(8))]);
  const coinbase = assemble({
    inputs: [Buffer.concat([Buffer.alloc(32), uint(0xffffffff, 4), sized(script), uint(0xffffffff, 4)])],
    outputs: [...rewards, { script: commitment, satoshi: 0n }],
    witnesses: [Buffer.concat([size(1), sized(Buffer.alloc(32))])],
    spends: [],
  });
  const ids = [coinbase.id, ...transactions.map(idWithoutWitness)].map(backwards);
  const head = Buffer.concat([
    uint(VERSION, 4),
    backwards(parent),
    rootOf(ids),
    uint(time, 4),
    uint(BITS, 4),
  ]);
  const header = solve(head);
  const block = [header, size(transactions.length + 1), Buffer.from(coinbase.hex, 'hex'), ...raw];
  return { hash: idOf(header), hex: Buffer.concat(block).toString('hex'), coinbase };
}

/** Does the work of a header, whose last four bytes are free. */
function solve(head: Buffer): Buffer {
  for (let nonce = 0; ; nonce += 1) {
    const header = Buffer.concat([head, uint(nonce, 4)]);
    if ((doubleSha256(header)[31] ?? 0xff) < 0x7f) return header;
  }
}

/** The identity of raw bytes: without their witnesses. */
function idWithoutWitness(hex: string): string {
  const known = built.get(hex);
  if (known === undefined) throw new Error('only what was built here is mined here');
  return known;
}
const built = new Map<string, string>();
/** Makes a transaction known to the blocks that are built here. */
export const remember = ({ hex, id }: BuiltTransaction): void => void built.set(hex, id);

function heightPush(height: number): Buffer {
  if (height <= 16) return Buffer.from([0x50 + height]);
  const bytes: number[] = [];
  for (let rest = height; rest > 0; rest >>= 8) bytes.push(rest & 0xff);
  if ((bytes.at(-1) ?? 0) > 0x7f) bytes.push(0);
  return Buffer.from([bytes.length, ...bytes]);
}

function rootOf(hashes: readonly Uint8Array[]): Buffer {
  let row = hashes.map((hash) => Buffer.from(hash));
  while (row.length > 1)
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) => {
      const left = row[2 * i] ?? Buffer.alloc(0);
      return doubleSha256(left, row[2 * i + 1] ?? left);
    });
  return row[0] ?? Buffer.alloc(32);
}
