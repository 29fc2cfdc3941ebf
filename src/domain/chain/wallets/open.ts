import type { Context } from '../../../platform/context.ts';
import { ApiError } from '../../api/errors.ts';
import { findForm, formOf } from './kinds.ts';
import type { DerivableWallet } from './families.ts';
import { macFault, type Keys } from './mac.ts';
import type { Wallet } from './store.ts';

/** A stored wallet that must not be used: its message says why, and names its row. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
}

/** Returns why a stored wallet must not be used; null: it may. */
export function walletFault(config: Keys, wallet: Wallet): string | null {
  return findForm(wallet) === null
    ? `this release does not know its kind ${wallet.kind} of ${wallet.family} networks`
    : macFault(config, wallet);
}

/**
 * Opens a stored wallet to derive addresses. Throws WalletError where its MAC is wrong, or its kind unknown:
 * money would go where nobody has said that it may go.
 */
export function openWallet(config: Keys, wallet: Wallet): DerivableWallet {
  const fault = walletFault(config, wallet);
  if (fault !== null) throw new WalletError(`The wallet ${wallet.id} is refused: ${fault}`);
  return formOf(wallet).open(wallet.public_data, wallet.id);
}

/**
 * Like `openWallet`, for requests: logs an error, loudly, because somebody may have tried to divert money,
 * and throws ApiError network_unavailable, which tells customers and merchants nothing of it.
 */
export function openWalletFor(ctx: Pick<Context, 'config' | 'log'>, wallet: Wallet): DerivableWallet {
  try {
    return openWallet(ctx.config, wallet);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    const { id: wallet_id, merchant_id } = wallet;
    ctx.log.error(
      'wallet refused: its live payments get 503. Compare its row with operator_actions, and set it again',
      { wallet_id, merchant_id, reason: error.message },
    );
    throw new ApiError('network_unavailable', {
      message: 'network_unavailable: the wallet for live payments cannot be used. Ask the operator.',
    });
  }
}
