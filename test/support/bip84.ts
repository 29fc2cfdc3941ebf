import { createECDH, createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * The addresses of a seed phrase as BIP-32, BIP-84 and BIP-173 say them, by private keys and with what Node
 * has, but for Keccak: it shares nothing else with the service, which has public keys alone.
 */
export class SeedWallet {
  readonly #root: Node;

  constructor(mnemonic: string) {
    const seed = pbkdf2Sync(mnemonic, 'mnemonic', 2_048, 64, 'sha512');
    this.#root = nodeOf(createHmac('sha512', 'Bitcoin seed').update(seed).digest());
  }

  /** The address of `m/84'/0'/0'/0/7`. */
  addressAt(path: string, prefix = 'bc'): string {
    const sha = createHash('sha256')
      .update(publicKeyOf(this.#keyAt(path)))
      .digest();
    return bech32(prefix, createHash('ripemd160').update(sha).digest());
  }

  /** The address of `m/44'/60'/0'/0/7` on EVM networks, in lower case. */
  evmAddressAt(path: string): string {
    const point = publicKeyOf(this.#keyAt(path), 'uncompressed').subarray(1);
    return `0x${Buffer.from(keccak_256(point).subarray(12)).toString('hex')}`;
  }

  #keyAt(path: string): bigint {
    const steps = path.split('/').slice(1);
    return steps.reduce((node, step) => childOf(node, step), this.#root).key;
  }
}

interface Node {
  readonly key: bigint;
  readonly chainCode: Buffer;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const nodeOf = (digest: Buffer, parent = 0n): Node => ({
  key: (BigInt(`0x${digest.toString('hex', 0, 32)}`) + parent) % ORDER,
  chainCode: digest.subarray(32),
});

/** Children are derived again for each address: the steps above the last are the same, and kept. */
const known = new Map<string, Node>();

function childOf({ key, chainCode }: Node, step: string): Node {
  const name = `${key}/${step}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const isHardened = step.endsWith("'");
  const number = Buffer.alloc(4);
  number.writeUInt32BE(Number.parseInt(step, 10) + (isHardened ? 0x80000000 : 0));
  const from = isHardened ? Buffer.concat([Buffer.alloc(1), bytesOf(key)]) : publicKeyOf(key);
  const digest = createHmac('sha512', chainCode)
    .update(Buffer.concat([from, number]))
    .digest();
  const child = nodeOf(digest, key);
  known.set(name, child);
  return child;
}

const bytesOf = (key: bigint) => Buffer.from(key.toString(16).padStart(64, '0'), 'hex');

function publicKeyOf(key: bigint, format: 'compressed' | 'uncompressed' = 'compressed'): Buffer {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(bytesOf(key));
  return curve.getPublicKey(null, format);
}

const CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Witness version 0 (BIP-173). */
function bech32(prefix: string, program: Buffer): string {
  const bits = [...program].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const data = [0, ...(bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, '0'), 2))];
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = checksum([...expanded, ...data, 0, 0, 0, 0, 0, 0]) ^ 1n;
  const check = [5, 4, 3, 2, 1, 0].map((place) => Number((sum >> BigInt(5 * place)) & 31n));
  return `${prefix}1${[...data, ...check].map((value) => CHARACTERS.charAt(value)).join('')}`;
}

function checksum(values: readonly number[]): bigint {
  const rows = [0x3b6a57b2n, 0x26508e6dn, 0x1ea119fan, 0x3d4233ddn, 0x2a1462b3n];
  return values.reduce((sum, value) => {
    const top = sum >> 25n;
    const next = ((sum & 0x1ffffffn) << 5n) ^ BigInt(value);
    return rows.reduce((all, row, i) => ((top >> BigInt(i)) & 1n ? all ^ row : all), next);
  }, 1n);
}
