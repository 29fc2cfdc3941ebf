import { createHash } from 'node:crypto';
import { WALLET_CHAINS } from '../../chain/demand/wallet-chains.ts';
import { ALL_LANGUAGES, type Language, type LanguageId } from '../../languages/languages.ts';

interface WalletKit {
  readonly path: string;
  readonly content: string;
}

/**
 * What only a page needs that has a wallet in its browser, by language: what it says, and the chains that a
 * wallet may not know. The script loads it then. Its path changes with its content.
 */
export const WALLET_KITS = Object.fromEntries(
  ALL_LANGUAGES.map(({ id, wallet }) => {
    const content = JSON.stringify({ texts: wallet, chains: WALLET_CHAINS });
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 20);
    return [id, { path: `/checkout/assets/${hash}.json`, content }];
  }),
) as Readonly<Record<LanguageId, WalletKit>>;

/** The kit in the page's language. */
export const walletKit = ({ id }: Language): WalletKit => WALLET_KITS[id];
