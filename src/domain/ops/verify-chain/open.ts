import { liveChainKey } from '../../chain/chain-key.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { ProviderError, type ProviderFault } from '../../chain/rpc/provider-error.ts';
import { isFault, NO_PROVIDER } from '../../chain/rpc/questions.ts';
import { scannedHeight } from '../../wallets/flush/store.ts';
import { RPC_NETWORKS, type RpcNetwork } from '../../../platform/config/variables.ts';
import type { Context } from '../../../platform/context.ts';
import { openBitcoinWitness } from './bitcoin-witness.ts';
import { openEvmWitness } from './evm-witness.ts';
import type { Witness } from './witness.ts';

/** The networks of which this process knows providers. */
export const networksWithProviders = ({ config }: Pick<Context, 'config'>): RpcNetwork[] =>
  RPC_NETWORKS.filter((network) => Object.hasOwn(config.rpc, network));

/**
 * Opens a network at its last block that is final for the watcher, with the first provider that serves it,
 * and closes it behind `use`. Null: no watcher has read it, or it has halted.
 */
export async function withWitness<Result>(
  ctx: Pick<Context, 'db' | 'config'>,
  { network, pause }: { readonly network: RpcNetwork & NetworkId; readonly pause: Pause },
  use: (witness: Witness, requests: () => number) => Promise<Result>,
): Promise<Result | null> {
  const final = await scannedHeight(ctx.db, liveChainKey(network));
  if (final === null) return null;
  const { urls = [] } = ctx.config.rpc[network] ?? {};
  const providers = urls.map((url, i) => new JsonRpc(url, i + 1));
  const open = network === 'bitcoin' ? openBitcoinWitness : openEvmWitness;
  try {
    let last: unknown = NO_PROVIDER;
    for (const provider of providers) {
      const witness = await open(ctx, { provider, network, final }).catch((error: unknown) => {
        if (!isFault(error)) throw error;
        last = error;
        return null;
      });
      if (witness !== null) return await use(patient(witness, pause), () => provider.requests);
    }
    throw last;
  } finally {
    await Promise.all(providers.map((provider) => provider.close()));
  }
}

/** Waits so many milliseconds. */
export type Pause = (ms: number) => Promise<unknown>;

/** What passes: a provider that has had enough, or is away for a moment. */
const PASSING: ReadonlySet<ProviderFault> = new Set(['rate_limited', 'timeout', 'unreachable', 'status']);
const MOST_TRIES = 8;
const MOST_SECONDS = 60;

/** Asks again, each time later, what a provider does not answer now. */
function patient(witness: Witness, pause: Pause): Witness {
  const ask = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1)
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof ProviderError) || !PASSING.has(error.fault) || tries === MOST_TRIES)
          throw error;
        const seconds = Math.max(error.retryAfterSeconds ?? 0, 2 ** tries / 2);
        await pause(1_000 * Math.min(MOST_SECONDS, seconds));
      }
  };
  return {
    ...witness,
    held: (holdings) => ask(() => witness.held(holdings)),
    moved: (asked) => ask(() => witness.moved(asked)),
  };
}
