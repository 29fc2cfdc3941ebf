import { NETWORK_IDS, NETWORKS, type NetworkId } from '../networks.ts';

/** Networks on which a wallet and an index have one address. */
export type WalletFamily = 'evm';

/** Returns the family of a network; null: no kind of wallet serves it. */
export function familyOf(network: NetworkId): WalletFamily | null {
  return NETWORKS[network].walletUri === 'eip-681' ? 'evm' : null;
}

/** Returns the networks of a family. */
export function networksOf(family: WalletFamily): NetworkId[] {
  return NETWORK_IDS.filter((network) => familyOf(network) === family);
}

/** A wallet with its public data read: derives addresses without I/O and without any key. */
export interface DerivableWallet {
  readonly family: WalletFamily;
  /** The address of an index on every network of the family, in the form in which it is stored. */
  addressAt(index: number): string;
  /** How the owner's own tools find the address of an index. */
  pathAt(index: number): string;
}

/** Derives the address of a wallet's index on a network; null where the wallet serves no such network. */
export function deriveAddress(wallet: DerivableWallet, network: NetworkId, index: number): string | null {
  return familyOf(network) === wallet.family ? wallet.addressAt(index) : null;
}
