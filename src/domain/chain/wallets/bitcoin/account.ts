import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { witnessAddress, type AddressChain } from '../../addresses.ts';
import { HARDENED, publicChildren } from '../deposits/public-children.ts';
import type { ChainProfile } from '../../profile.ts';
import { accountOf, ACCOUNT_DEPTH, readExtendedKey, RECEIVING, shortened } from '../extended-key.ts';
import type { DerivableWallet } from '../families.ts';
import { readDescriptor } from './descriptor.ts';

/** What is stored of an account: chain and key decide every address. */
interface BitcoinAccount {
  readonly chain: AddressChain;
  /** The extended public key, with the letters with which it was given. */
  readonly key: string;
  /** Of the wallet's master key, which signers ask for; null: nobody has named it. */
  readonly fingerprint: string | null;
}

/** BIP-84: m/84'/coin'/account'. */
const PURPOSE = 84;
const coinTypeOf = (chain: AddressChain): number => (chain === 'main' ? 0 : 1);
/** The steps from a master key to an account, which are hardened all. */
export const accountSteps = (chain: AddressChain, account: number) =>
  [PURPOSE, coinTypeOf(chain), account] as const;
const accountPath = (chain: AddressChain, index: number): string =>
  accountSteps(chain, index - HARDENED)
    .map((step) => `/${step}'`)
    .join('');

/**
 * Returns what is stored of an account of BIP-84, given as an extended public key or a descriptor. Throws
 * RangeError, which never names the value, for anything else: also for keys whose addresses are of another
 * form, which the owner's wallet would not look for.
 */
export function parseBitcoinAccount(value: string, { addressChains: [chain] }: ChainProfile): string {
  const { key: text, origin } = value.includes('(') ? readDescriptor(value) : { key: value, origin: null };
  assertForm(text, chain);
  const key = readExtendedKey(text);
  if (key === null)
    throw new RangeError(
      'The value is no extended public key (zpub..., xpub...) and no descriptor (wpkh(...)), or its checksum ' +
        'is wrong: copy it again, as a whole',
    );
  const path = `m/${PURPOSE}'/${coinTypeOf(chain)}'/0'`;
  if (key.depth !== ACCOUNT_DEPTH || key.index < HARDENED)
    throw new RangeError(
      `The value is an extended public key of depth ${key.depth}, and that of an account is needed (depth 3): ` +
        `the one of ${path}`,
    );
  if (origin !== null && origin.path !== accountPath(chain, key.index))
    throw new RangeError(
      `The descriptor names another path than that of an account of BIP84, ${path}, or than its key has`,
    );
  const account: BitcoinAccount = { chain, key: text, fingerprint: origin?.fingerprint ?? null };
  return JSON.stringify(account);
}

/** SLIP-132: the first letters of a key say which addresses its wallet shows. */
function assertForm(text: string, chain: AddressChain): void {
  if (/^[yu]pub/.test(text))
    throw new RangeError(
      'The extended public key is of BIP49, whose addresses begin with 3 (2 on test networks). Give the one of ' +
        'BIP84, whose addresses begin with bc1q: zpub..., which wallets call native SegWit',
    );
  if (/^[YZUV]pub/.test(text))
    throw new RangeError(
      'The extended public key is of a wallet with several signers: give that of an account with one, zpub...',
    );
  if (/^[tv]pub/.test(text) && chain === 'main')
    throw new RangeError(
      'The extended public key is of a test network, and CHAIN_PROFILE=mainnet is not: give a zpub... or xpub...',
    );
  if (/^[xz]pub/.test(text) && chain !== 'main')
    throw new RangeError(
      'The extended public key is of the main network, and CHAIN_PROFILE is not: give a vpub... or tpub...',
    );
}

/** Reads what `parseBitcoinAccount` has returned. */
export const readAccount = (publicData: string) => JSON.parse(publicData) as BitcoinAccount;

/** Opens what `parseBitcoinAccount` has returned: addresses are those of m/84'/coin'/account'/0/index. */
export function openBitcoinAccount(publicData: string): DerivableWallet {
  const { chain, key } = readAccount(publicData);
  const account = readExtendedKey(key);
  if (account === null) throw new Error('the stored extended public key cannot be read');
  const receiving = publicChildren(account.deriveChild(RECEIVING));
  const path = `m${accountPath(chain, account.index)}/${RECEIVING}`;
  return {
    family: 'bitcoin',
    addressAt: (index) => witnessAddress(chain, ripemd160(sha256(receiving(index).toBytes(true)))),
    pathAt: (index) => `${path}/${index}`,
  };
}

/** Returns what the addresses of an account follow from, whatever it was given as. */
export const bitcoinAccountOf = (publicData: string): string | null => accountOf(readAccount(publicData).key);

/** Returns the extended public key, shortened. */
export const bitcoinKeyOf = (publicData: string): string => shortened(readAccount(publicData).key);
