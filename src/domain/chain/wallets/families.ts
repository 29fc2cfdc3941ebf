import { displayedAddress } from '../addresses.ts';
import type { WalletUriStandard } from '../../../networks/traits/network.ts';
import { NETWORK_IDS, NETWORKS, type NetworkId } from '../networks.ts';

/** Networks on which a wallet and an index have one address. */
export type WalletFamily = 'evm' | 'bitcoin';

const FAMILIES: Readonly<Partial<Record<WalletUriStandard, WalletFamily>>> = {
  'eip-681': 'evm',
  'bip-21': 'bitcoin',
};

/** Returns the family of a network; null: no kind of wallet serves it. */
export function familyOf(network: NetworkId): WalletFamily | null {
  return FAMILIES[NETWORKS[network].walletUri] ?? null;
}

/** SQL: the family of a network; null: no kind of wallet serves it. */
export const FAMILY_OF = (network: string): string =>
  `CASE ${network} ${NETWORK_IDS.flatMap((id) => {
    const family = familyOf(id);
    return family === null ? [] : [`WHEN '${id}' THEN '${family}'`];
  }).join(' ')} END`;

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

/** An address of a wallet as people read it: the same on every network of its family. */
export function shownAddress({ family }: Pick<DerivableWallet, 'family'>, address: string): string {
  const [network] = networksOf(family);
  return network === undefined ? address : displayedAddress(network, address);
}
