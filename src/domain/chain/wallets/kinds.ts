import { accountOf, openAccountKey, parseAccountKey } from './extended-key.ts';
import type { DerivableWallet, WalletFamily } from './families.ts';
import type { ChainProfile } from '../profile.ts';
import { openForwarder, parseTreasury, treasuryOf } from './forwarder.ts';

interface WalletKind {
  readonly family: WalletFamily;
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

/** The kinds of wallets: all that distinguishes them. */
export const WALLET_KINDS = {
  xpub: {
    family: 'evm',
    value: "the account's extended public key, xpub...",
    shown: 'one of these addresses, as your own wallet shows it',
    isUnaudited: false,
    parse: parseAccountKey,
    open: openAccountKey,
    treasury: () => null,
    account: accountOf,
    publicKey: (publicData) => `${publicData.slice(0, 8)}...${publicData.slice(-4)}`,
  },
  forwarder: {
    family: 'evm',
    value: 'the treasury: the address of your own wallet that everything is forwarded to, 0x...',
    shown: 'the address of the treasury, as your own wallet shows it',
    isUnaudited: true,
    parse: parseTreasury,
    open: openForwarder,
    treasury: treasuryOf,
    account: () => null,
    publicKey: () => null,
  },
} as const satisfies Record<string, WalletKind>;

export type WalletKindId = keyof typeof WALLET_KINDS;

export const WALLET_KIND_IDS = Object.keys(WALLET_KINDS) as readonly WalletKindId[];

/** True for the id of a kind in the table. */
export function isWalletKind(value: string): value is WalletKindId {
  return Object.hasOwn(WALLET_KINDS, value);
}

/** The addresses of a wallet that are shown before it is used. */
export const FIRST_ADDRESSES = 5;
