import { pbkdf2Sync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { openWallet } from '../../src/domain/chain/wallets/open.ts';
import type { WalletKindId } from '../../src/domain/chain/wallets/kinds.ts';
import type { Wallet } from '../../src/domain/chain/wallets/store.ts';
import { confirmWallet, firstAddresses, setWallet } from '../../src/domain/wallets/set.ts';
import type { Context } from '../../src/platform/context.ts';

/** The phrase of anvil and of hardhat, whose accounts everybody knows. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
export const ROOT_KEY = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512'));
/** The extended public key of an account of it. */
export const accountKey = (account: number): string =>
  ROOT_KEY.derive(`m/44'/60'/${account}'`).publicExtendedKey;
/** From the examples of EIP-55. */
export const TREASURY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let accounts = 0;

/** Sets a wallet of a merchant, of an account of its own, and does not confirm it. */
export async function addWallet(
  ctx: Context,
  merchantId: string | null,
  { kind = 'xpub', value }: { kind?: WalletKindId; value?: string } = {},
): Promise<Wallet> {
  const own = kind === 'xpub' ? accountKey((accounts += 1)) : TREASURY;
  return (await setWallet(ctx, { merchantId, kind, value: value ?? own })).wallet;
}

/** Sets a wallet and confirms it, as its owner does. */
export async function useWallet(
  ctx: Context,
  merchantId: string | null,
  choice: { kind?: WalletKindId; value?: string } = {},
): Promise<Wallet> {
  const wallet = await addWallet(ctx, merchantId, choice);
  const address = wallet.kind === 'xpub' ? (firstAddresses(ctx, wallet)[0]?.address ?? '') : TREASURY;
  return (await confirmWallet(ctx, wallet.id, address)).wallet;
}

/** The address of an index, as payments store it. */
export const addressOf = (ctx: Context, wallet: Wallet, index: number): string =>
  openWallet(ctx.config, wallet).addressAt(index);
