import type { Branch } from '../scan/branch.ts';
import { sightPool } from '../scan/read-branch.ts';
import { Refused } from '../rpc/refused.ts';
import { fields } from './proofs/values.ts';
import { transactionsIn, type Reader } from './read.ts';
import { ProviderError, withoutUntil, type ProviderFault } from '../rpc/provider-error.ts';
import { summed } from './transfers.ts';

/**
 * Records the transfers to us that the block after the tip would hold: an extra, since many providers know no
 * pending block, and nothing of it is proven. What fails here does not concern the poll.
 */
export async function sightPending({ provider, coins, watch }: Reader, branch: Branch): Promise<void> {
  if (performance.now() < provider.without.pending) return;
  const transactions = await pendingAbove(provider, branch).catch((error: unknown) => {
    if (error instanceof Refused) return [];
    if (!(error instanceof ProviderError)) throw error;
    provider.without.pending = withoutUntil(error.fault, SAYS_NO);
    return [];
  });
  const intended = transactions.flatMap((transaction) => {
    const move = coins.intended(transaction);
    return move === null ? [] : [{ transaction, move }];
  });
  if (intended.length === 0) return;
  const own = await watch.own(coins.network, [...new Set(intended.map(({ move }) => move.to))]);
  const ours = intended.filter(({ move }) => own.has(move.to));
  const found = ours.flatMap(({ transaction, move }) => summed(coins, transaction, [move]));
  const taken = found.filter((one) => own.takes?.(one) ?? true);
  await sightPool({ network: coins.network, watch }, branch, taken);
}

const SAYS_NO: ReadonlySet<ProviderFault> = new Set(['rpc_error', 'no_method']);

/** What was mined long ago, and a provider that lags takes for pending, must not come back as unmined. */
async function pendingAbove(provider: Reader['provider'], branch: Branch) {
  const sent = await provider.call('eth_getBlockByNumber', 'pending', true);
  if (sent === null) provider.without.pending = Infinity;
  if (sent === null) return [];
  return fields(sent).parentHash === branch.tip.hash ? transactionsIn(sent) : [];
}
