import { blockOf, checkChain, headerOf, headOf, orNull } from '../../chain/bitcoin/node.ts';
import { CHAINS } from '../../chain/bitcoin/options.ts';
import { greatestDepth } from '../../chain/finality.ts';
import { realChains } from '../../chain/profile.ts';
import type { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { ProviderError } from '../../chain/rpc/provider-error.ts';
import { Refused } from '../../chain/rpc/refused.ts';
import type { Context } from '../../../platform/context.ts';
import { durationText } from '../status/section.ts';
import { broken, ok } from './finding.ts';
import { timeFault, type Inspected } from './provider.ts';

const NETWORK = 'bitcoin';

/** Asks a node of Bitcoin for what the watcher asks it for, and proves it as the watcher does. */
export async function inspectNode(ctx: Context, provider: JsonRpc, variable: string): Promise<Inspected> {
  const chains = realChains(ctx.config);
  const [chain] = chains.addressChains;
  const node = { provider, traits: CHAINS[chain] };
  const failed = (says: string, remedy: string) => ({ provider, final: null, verdict: broken(says, remedy) });
  try {
    await checkChain(node);
    const { height, hash } = await headOf(node);
    const { time } = await headerOf(node, hash);
    const late = timeFault(ctx, { height, time }, NETWORK);
    if (late !== null) return failed(...late);
    const block = await blockOf(node, hash);
    const [first] = block?.transactions ?? [];
    if (first === undefined) return failed('it does not have its head', `${variable}: another node`);
    await provider.call('getrawmempool');
    const hasIndex = (await orNull(provider.call('getrawtransaction', first.id, 1))) !== null;
    const final = Math.max(0, height - greatestDepth(NETWORK, ctx.config.finality) + 1);
    const age = durationText(Math.max(0, (ctx.systemNow().getTime() - time.getTime()) / 1_000));
    const extra = hasIndex ? '' : '; without txindex: what merchants announce is not looked up';
    const name = chains.nameOf(NETWORK);
    const says = `it serves ${name}, block ${height} of ${age} ago, final ${final}${extra}`;
    return { provider, final, verdict: ok(says) };
  } catch (error) {
    if (error instanceof Refused)
      return failed(
        error.message,
        error.kind === 'wrong_chain'
          ? `${variable}: a node of ${chains.nameOf(NETWORK)}, or the other CHAIN_PROFILE on every process`
          : `${variable}: another node; what it says contradicts itself`,
      );
    if (!(error instanceof ProviderError)) throw error;
    return failed(error.message, `${variable}: are user and password right, and may this machine reach it?`);
  }
}
