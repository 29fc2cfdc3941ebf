import type { NetworkId } from '../networks.ts';
import type { ChainProfile } from '../profile.ts';
import {
  bitcoinAccountOf,
  bitcoinKeyOf,
  openBitcoinAccount,
  parseBitcoinAccount,
} from './bitcoin/account.ts';
import { accountOf, openAccountKey, parseAccountKey, shortened } from './extended-key.ts';
import { familyOf, type DerivableWallet, type WalletFamily } from './families.ts';
import { openForwarder, parseTreasury, treasuryOf } from './forwarder.ts';

/** A kind of wallet on a family of networks: all that distinguishes it. */
export interface WalletForm {
  /** What is typed to set one. */
  readonly value: string;
  /**
   * How the owner compares: the address that their own wallet must show them before the wallet is confirmed.
   */
  readonly shown: string;
  /** Money passes a contract that nobody has audited. */
  readonly isUnaudited: boolean;
  /** Returns the public data to store. Throws RangeError that never names the value. */
  readonly parse: (value: string, chains: ChainProfile) => string;
  readonly open: (publicData: string, walletId: string) => DerivableWallet;
  /** The address that must be typed to confirm it, where that is not one of the first deposit addresses. */
  readonly treasury: (publicData: string) => string | null;
  /** What decides the addresses, where wallets with the same have the same ones; null: no two have. */
  readonly account: (publicData: string) => string | null;
  /** The public key, shortened to what distinguishes it; null: there is none. */
  readonly publicKey: (publicData: string) => string | null;
}

const ACCOUNT = {
  shown: 'one of these addresses, as your own wallet shows it',
  isUnaudited: false,
  treasury: () => null,
};

/** The kinds of wallets, by the families that they serve. */
const WALLET_FORMS = {
  xpub: {
    evm: {
      ...ACCOUNT,
      value: "on EVM networks the account's extended public key, xpub... of m/44'/60'/0'",
      parse: parseAccountKey,
      open: openAccountKey,
      account: accountOf,
      publicKey: shortened,
    },
    bitcoin: {
      ...ACCOUNT,
      value:
        "on Bitcoin the account's zpub..., its descriptor wpkh(...), or with --network bitcoin its xpub... of " +
        "m/84'/0'/0'",
      parse: parseBitcoinAccount,
      open: openBitcoinAccount,
      account: bitcoinAccountOf,
      publicKey: bitcoinKeyOf,
    },
  },
  forwarder: {
    evm: {
      value: 'the treasury: the address of your own wallet that everything is forwarded to, 0x...',
      shown: 'the address of the treasury, as your own wallet shows it',
      isUnaudited: true,
      parse: parseTreasury,
      open: openForwarder,
      treasury: treasuryOf,
      account: () => null,
      publicKey: () => null,
    },
  },
} as const satisfies Record<string, Partial<Record<WalletFamily, WalletForm>>>;

export type WalletKindId = keyof typeof WALLET_FORMS;

export const WALLET_KIND_IDS = Object.keys(WALLET_FORMS) as readonly WalletKindId[];

/** True for the id of a kind in the table. */
export function isWalletKind(value: string): value is WalletKindId {
  return Object.hasOwn(WALLET_FORMS, value);
}

/** Which wallet is meant, as a row says it. */
interface KindAndFamily {
  readonly kind: WalletKindId;
  readonly family: WalletFamily;
}

/** Returns the forms of a kind, one for each family that it serves. */
export function formsOf(kind: WalletKindId): readonly WalletForm[] {
  const forms: Readonly<Record<string, WalletForm>> = WALLET_FORMS[kind];
  return Object.values(forms);
}

/** Returns the form of a wallet; null: this release does not know it. */
export function findForm({ kind, family }: KindAndFamily): WalletForm | null {
  if (!isWalletKind(kind)) return null;
  const forms: Partial<Record<WalletFamily, WalletForm>> = WALLET_FORMS[kind];
  return Object.hasOwn(forms, family) ? (forms[family] ?? null) : null;
}

/** Returns the form of a wallet that this release knows. */
export function formOf(wallet: KindAndFamily): WalletForm {
  const form = findForm(wallet);
  if (form === null) throw new Error(`there is no wallet ${wallet.kind} of ${wallet.family} networks`);
  return form;
}

/** Only Bitcoin has these: keys with other letters than xpub, and descriptors. */
const OF_BITCOIN = /^(?:[yzYZtuvUV]pub|[a-z]+\()/;

/**
 * Returns the family of networks that a value is for: that of the network that was named with it, else what
 * the value says by itself. A bare xpub says nothing, and is one of EVM networks. Throws RangeError where the
 * two contradict each other, and where the kind does not serve the family.
 */
export function familyOfValue(kind: WalletKindId, value: string, network: NetworkId | null): WalletFamily {
  const said = OF_BITCOIN.test(value) ? 'bitcoin' : null;
  const asked = network === null ? null : familyOf(network);
  if (network !== null && asked === null) throw new RangeError(`No kind of wallet serves ${network}`);
  if (asked !== null && said !== null && asked !== said)
    throw new RangeError(`The value is of an account of Bitcoin, which has no addresses on ${network}`);
  const family = asked ?? said ?? 'evm';
  if (findForm({ kind, family }) === null)
    throw new RangeError(`A ${kind} does not serve ${network ?? family}: give it a wallet of kind xpub`);
  return family;
}

/** What a kind is called where it is offered or named. */
export const namedKind = (kind: WalletKindId): string =>
  `${kind}${formsOf(kind).some((form) => form.isUnaudited) ? ' (unaudited)' : ''}`;

/** The addresses of a wallet that are shown before it is used. */
export const FIRST_ADDRESSES = 5;
