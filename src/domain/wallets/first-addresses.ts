import { displayedAddress } from '../chain/addresses.ts';
import { initCodeOf, FACTORY } from '../chain/wallets/forwarder.ts';
import { FIRST_ADDRESSES, formOf } from '../chain/wallets/kinds.ts';
import { openWallet } from '../chain/wallets/open.ts';
import { shownAddress } from '../chain/wallets/families.ts';
import type { Wallet } from '../chain/wallets/store.ts';
import type { Context } from '../../platform/context.ts';

/** An address as its owner compares it. */
export interface ShownAddress {
  readonly index: number;
  readonly path: string;
  readonly address: string;
}

/** The addresses to compare before a wallet is used. Throws WalletError where its MAC is wrong. */
export function firstAddresses({ config }: Pick<Context, 'config'>, wallet: Wallet): ShownAddress[] {
  const opened = openWallet(config, wallet);
  return Array.from({ length: FIRST_ADDRESSES }, (_, index) => ({
    index,
    path: opened.pathAt(index),
    address: shownAddress(opened, opened.addressAt(index)),
  }));
}

/** Whether `address` is what the owner's own wallet shows of it: one of the first, or the treasury. */
export function isShown(wallet: Wallet, first: readonly ShownAddress[], address: string): boolean {
  const treasury = formOf(wallet).treasury(wallet.public_data);
  const accepted = treasury === null ? first.map((one) => one.address) : [treasury];
  return accepted.some((one) => one.toLowerCase() === address.toLowerCase());
}

/**
 * What deploys the forwarder of an index: a call of `to` with its path, and this behind it; null: another
 * kind.
 */
export function deploymentOf(wallet: Wallet): { to: string; init_code: string } | null {
  const { public_data } = wallet;
  if (formOf(wallet).treasury(public_data) === null) return null;
  const to = displayedAddress('ethereum', FACTORY);
  return { to, init_code: `0x${Buffer.from(initCodeOf(public_data)).toString('hex')}` };
}
