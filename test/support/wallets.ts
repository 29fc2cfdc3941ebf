import { pbkdf2Sync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import type { NetworkId } from '../../src/domain/chain/networks.ts';
import { openWallet } from '../../src/domain/chain/wallets/open.ts';
import type { WalletKindId } from '../../src/domain/chain/wallets/kinds.ts';
import type { Wallet } from '../../src/domain/chain/wallets/store.ts';
import { firstAddresses } from '../../src/domain/wallets/first-addresses.ts';
import { confirmWallet, setWallet } from '../../src/domain/wallets/set.ts';
import type { Context } from '../../src/platform/context.ts';

/** The phrase of anvil and of hardhat, whose accounts everybody knows. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
export const seedOf = (mnemonic: string) => pbkdf2Sync(mnemonic, 'mnemonic', 2_048, 64, 'sha512');
export const ROOT_KEY = HDKey.fromMasterSeed(seedOf(MNEMONIC));
/** The extended public key of an account of it. */
export const accountKey = (account: number): string =>
  ROOT_KEY.derive(`m/44'/60'/${account}'`).publicExtendedKey;
/** The test vectors of BIP-84: its account 0, and the first addresses of that. */
export const BIP84_MNEMONIC = `${'abandon '.repeat(11)}about`;
export const BIP84 = {
  zpub: 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  receiving: ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
};

/** The versions of keys by their first letters (BIP-32, SLIP-132). */
export const VERSIONS = {
  xpub: 0x0488b21e,
  xprv: 0x0488b21e,
  tpub: 0x043587cf,
  ypub: 0x049d7cb2,
  zpub: 0x04b24746,
  upub: 0x044a5262,
  vpub: 0x045f1cf6,
  Ypub: 0x0295b43f,
  Zpub: 0x02aa7ed3,
};

/** The extended key of an account of BIP-84, with these first letters. */
export function bitcoinKey(letters: keyof typeof VERSIONS, account: number, mnemonic = MNEMONIC): string {
  const coin = ['tpub', 'upub', 'vpub'].includes(letters) ? 1 : 0;
  const versions = { public: VERSIONS[letters], private: 0x0488ade4 };
  const key = HDKey.fromMasterSeed(seedOf(mnemonic), versions).derive(`m/84'/${coin}'/${account}'`);
  return letters === 'xprv' ? key.privateExtendedKey : key.publicExtendedKey;
}

/** From the examples of EIP-55. */
export const TREASURY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let accounts = 0;

/** Sets a wallet of a merchant, of an account of its own, and does not confirm it. */
export async function addWallet(
  ctx: Context,
  merchantId: string | null,
  { kind = 'xpub', value, network = null }: WalletChoice = {},
): Promise<Wallet> {
  const letters = ctx.config.chainProfile === 'mainnet' ? 'xpub' : 'tpub';
  const account = network === 'bitcoin' ? (at: number) => bitcoinKey(letters, at) : accountKey;
  const own = kind === 'xpub' ? account((accounts += 1)) : TREASURY;
  return (await setWallet(ctx, { merchantId, kind, value: value ?? own, network })).wallet;
}

interface WalletChoice {
  readonly kind?: WalletKindId;
  readonly value?: string;
  readonly network?: NetworkId | null;
}

/** Sets a wallet and confirms it, as its owner does. */
export async function useWallet(
  ctx: Context,
  merchantId: string | null,
  choice: WalletChoice = {},
): Promise<Wallet> {
  const wallet = await addWallet(ctx, merchantId, choice);
  const address = wallet.kind === 'xpub' ? (firstAddresses(ctx, wallet)[0]?.address ?? '') : TREASURY;
  return (await confirmWallet(ctx, wallet.id, address)).wallet;
}

/** The address of an index, as payments store it. */
export const addressOf = (ctx: Context, wallet: Wallet, index: number): string =>
  openWallet(ctx.config, wallet).addressAt(index);
