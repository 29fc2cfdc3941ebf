import { wrongDecimals } from '../../chain/evm/calls/decimals.ts';
import { checkpointsBelow } from '../../chain/evm/finality.ts';
import type { Header } from '../../chain/evm/proofs/header.ts';
import { Refused } from '../../chain/rpc/refused.ts';
import { blockOf, headerAt, proveContent, receiptsOf } from '../../chain/evm/read.ts';
import { checkChain } from '../../chain/evm/scan.ts';
import type { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { ProviderError } from '../../chain/rpc/provider-error.ts';
import { Coins, TRANSFER_TOPIC } from '../../chain/evm/transfers.ts';
import { isProofOfWork, NETWORKS, type NetworkId } from '../../chain/networks.ts';
import { mostSecondsBehind, realChains } from '../../chain/profile.ts';
import { FACTORY } from '../../chain/wallets/forwarder.ts';
import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { durationText } from '../status/section.ts';
import { broken, ok, type Verdict } from './finding.ts';

/** The chain that a provider has to serve, and the variable that names the provider. */
export interface Asked {
  readonly network: NetworkId;
  /** What people call it. */
  readonly name: string;
  readonly chainId: number;
  readonly variable: string;
}

export interface Inspected {
  readonly provider: JsonRpc;
  readonly verdict: Verdict;
  /** The height of its final block; null: it cannot be read with. */
  readonly final: number | null;
}

/** Asks a provider for what the watcher asks it for, and proves it as the watcher does. */
export async function inspectProvider(ctx: Context, provider: JsonRpc, asked: Asked): Promise<Inspected> {
  const { variable, network } = asked;
  const failed = (says: string, remedy: string) => ({ provider, final: null, verdict: broken(says, remedy) });
  try {
    await checkChain(provider, asked.chainId);
    const head = await headerAt(provider, 'latest');
    if (head === null)
      return failed('it names no head', `${variable}: another provider, or a node that has synced`);
    const late = timeFault(ctx, head, network);
    if (late !== null) return failed(...late);
    const depth = NETWORKS[network].confirmations;
    const { final } = await checkpointsBelow(provider, head, { hasCheckpoints: true, depth });
    const block = await blockOf(provider, head.hash);
    if (block === null) return failed('it does not have its head', `${variable}: another provider`);
    proveContent(block);
    await receiptsOf(provider, block);
    const coins = new Coins(network, realChains(ctx.config).contractOf);
    const [wrong] = await wrongDecimals(provider, coins);
    if (wrong !== undefined)
      return failed(
        `it says that ${wrong.coin} has ${wrong.said} decimals, and not ${wrong.expected}`,
        `compare ${wrong.contract} with a block explorer: correct TESTNET_TOKENS or src/networks, or ${variable}`,
      );
    if ((await provider.call('eth_getCode', FACTORY, 'latest')) === '0x' && (await hasForwarders(ctx)))
      return failed(
        `nothing is at ${FACTORY}, which deploys forwarders: what is sent to them stays there`,
        `look with a block explorer: have the deterministic deployment proxy deployed, or ${variable}`,
      );
    const lacks = await lacking(provider, head);
    if (lacks.needed.length > 0)
      return failed(`it lacks ${lacks.needed.join(', ')}`, `${variable}: a provider that has them`);
    const age = durationText(Math.max(0, (ctx.systemNow().getTime() - head.time.getTime()) / 1_000));
    const extras = lacks.extra.length === 0 ? '' : `; without ${lacks.extra.join(', ')}`;
    return {
      provider,
      final,
      verdict: ok(`it serves ${asked.name}, block ${head.height} of ${age} ago, final ${final}${extras}`),
    };
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof Refused)) throw error;
    return failed(error.message, remedyOf(error, asked));
  }
}

const forwarders = sql<{ id: string }>(
  'preflight_forwarders',
  `SELECT id FROM wallets WHERE kind = 'forwarder' AND retired_at IS NULL LIMIT 1`,
);

const hasForwarders = async ({ db }: Context) => (await runOne(db, forwarders, [])) !== null;

function remedyOf(error: ProviderError | Refused, { variable, name, chainId }: Asked): string {
  if (error instanceof Refused && error.kind === 'wrong_chain')
    return `${variable}: a URL of ${name} (chain ${chainId}), or the other CHAIN_PROFILE on every process`;
  if (error instanceof Refused) return `${variable}: another provider; what it says contradicts itself`;
  return `${variable}: is the URL right, does its key count, and may this machine reach it?`;
}

/** Validators' clocks may be ahead by a slot, and those of miners by two hours. */
const AHEAD_SECONDS = 15;
const AHEAD_SECONDS_OF_WORK = 7_200;

/** Compares a head with the database's time, by which deadlines pass; null: it is of now. */
export function timeFault(
  { systemNow, config }: Context,
  { height, time }: Pick<Header, 'height' | 'time'>,
  network: NetworkId,
): [string, string] | null {
  const seconds = (systemNow().getTime() - time.getTime()) / 1_000;
  if (seconds > mostSecondsBehind(config, network))
    return [
      `its head ${height} is ${durationText(seconds)} old`,
      'wait until it has synced, or take another provider. If all are late alike: the clock of the database is ahead',
    ];
  if (seconds >= -(isProofOfWork(network) ? AHEAD_SECONDS_OF_WORK : AHEAD_SECONDS)) return null;
  const ahead = durationText(-seconds);
  return [
    `its head ${height} is ${ahead} in the future`,
    'the clock of the database is behind (docs/operations.md, "Clocks"), or the provider is wrong',
  ];
}

/** Without these the catch-up, or the balance audit, fails. */
const NEEDED = ['eth_getLogs', 'eth_getBalance at a block hash'];
/** Without these receipts cost a request each, transfers are seen in blocks only, and less is proven. */
const EXTRA = ['eth_getBlockReceipts', 'the pending block', 'eth_getProof'];

async function lacking(provider: JsonRpc, { height, hash }: Header) {
  const block = `0x${height.toString(16)}`;
  const at = { blockHash: hash, requireCanonical: true };
  const [logs, balance, receipts, pending, proof] = await Promise.all([
    serves(provider, 'eth_getLogs', {
      fromBlock: block,
      toBlock: block,
      address: NOBODY,
      topics: [TRANSFER_TOPIC],
    }),
    serves(provider, 'eth_getBalance', NOBODY, at),
    serves(provider, 'eth_getBlockReceipts', hash),
    serves(provider, 'eth_getBlockByNumber', 'pending', true),
    serves(provider, 'eth_getProof', NOBODY, [], { blockHash: hash }),
  ]);
  const without = (names: readonly string[], served: readonly boolean[]) =>
    names.filter((_, i) => !served[i]);
  return { needed: without(NEEDED, [logs, balance]), extra: without(EXTRA, [receipts, pending, proof]) };
}

const NOBODY = `0x${'0'.repeat(40)}`;

/** A method that a node does not know, or refuses, is lacking; a provider that is away is a fault. */
async function serves(provider: JsonRpc, method: string, ...params: readonly unknown[]): Promise<boolean> {
  try {
    return (await provider.call(method, ...params)) !== null;
  } catch (error) {
    if (error instanceof ProviderError && ['no_method', 'rpc_error'].includes(error.fault)) return false;
    throw error;
  }
}

/** Returns the hash of a provider's block at a height; null: it has none. */
export async function evmHashAt(provider: JsonRpc, height: number): Promise<string | null> {
  return (await headerAt(provider, height))?.hash ?? null;
}
