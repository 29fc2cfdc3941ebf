import { EVM_NETWORK_IDS, type NetworkId } from '../../networks/networks.ts';
import type { FinalityRule } from '../../networks/traits/network.ts';
import { flag, number, serverUrl, type Parse, type Reader } from './values.ts';
import { RPC_NETWORKS, variableOf, type RpcNetwork } from './variables.ts';

/** The providers of a network, in the watcher. */
export interface RpcProviders {
  /** Secrets: what follows the host is mostly a key. */
  readonly urls: readonly string[];
  /** From this amount in US dollars on, providers of two hosts must agree. */
  readonly quorumUsd: number;
  /** They trace blocks, and are asked to: for native coins that contracts send. */
  readonly hasTraces?: boolean;
  /** Sites that serve the blocks of Bitcoin by Esplora's API, as further sources; default: none. */
  readonly esplora?: readonly string[];
  /** The fee of a refund that the service makes may be so many per cent of it; default: 10. */
  readonly maxRefundFeePercent?: number;
}

/** What variables decide of real networks. */
export interface ChainConfig {
  /** What makes transfers final on real networks, where it is not each network's own choice. */
  readonly finality: Readonly<Partial<Record<NetworkId, readonly FinalityRule[]>>>;
  /** The providers of real networks: of the watcher alone, and empty in every other process. */
  readonly rpc: Readonly<Partial<Record<RpcNetwork, RpcProviders>>>;
}

const QUORUM_USD = 1_000;
const MOST_USD = 1e12;
/** A fee that is a larger part of a refund is the operator's to allow. */
const REFUND_FEE_PERCENT = 10;

/** Reads what makes transfers final, of the networks for which it is set. */
export function readFinality(read: Reader): ChainConfig['finality'] {
  return byNetwork(RPC_NETWORKS, (network) =>
    read(variableOf('CONFIRMATIONS', network), network === 'bitcoin' ? depthRules : finalityRules, null),
  );
}

/** Reads the providers of the networks that have any. */
export function readProviders(read: Reader): ChainConfig['rpc'] {
  const evm = byNetwork(EVM_NETWORK_IDS, (network) => {
    const urls = read(variableOf('RPC_URLS', network), rpcUrls, null);
    const quorumUsd = read(variableOf('RPC_QUORUM_USD', network), number(MOST_USD), QUORUM_USD);
    const hasTraces = read(variableOf('RPC_TRACES', network), flag, false);
    return urls && { urls, quorumUsd, hasTraces };
  });
  const urls = read('BITCOIN_RPC_URL', rpcUrls, null);
  const esplora = read('BITCOIN_ESPLORA_URLS', rpcUrls, []);
  const quorumUsd = read(variableOf('RPC_QUORUM_USD', 'bitcoin'), number(MOST_USD), QUORUM_USD);
  const maxRefundFeePercent = read('BITCOIN_REFUND_FEE_PERCENT', number(100), REFUND_FEE_PERCENT);
  return { ...evm, ...(urls && { bitcoin: { urls, quorumUsd, esplora, maxRefundFeePercent } }) };
}

/** Returns what is set of each network that something is set of. */
function byNetwork<Id extends RpcNetwork, T>(
  networks: readonly Id[],
  read: (network: Id) => T | null,
): Readonly<Partial<Record<Id, T>>> {
  const all = networks.map((network) => [network, read(network)] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== null)) as Partial<Record<Id, T>>;
}

/** The name of a URL's host: what answers under one name is one source, whatever its ports. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');

/** Returns how many hosts URLs have. */
export const countHosts = (urls: readonly string[]): number =>
  new Set(urls.map((url) => hostOf(new URL(url)))).size;

const MOST_PROVIDERS = 8;
const MOST_BLOCKS = 10_000;
/** The cursor of a network of proof of work holds the hashes of all that are not final: a day of them. */
const MOST_BLOCKS_OF_WORK = 144;

/** URLs of providers with commas; what follows the host is mostly a key. */
export const rpcUrls: Parse<readonly string[]> = (value) => {
  const urls = value.split(',').map((url) => serverUrl(['https:', 'http:'])(url.trim()));
  if (urls.length > MOST_PROVIDERS) throw new Error(`must name at most ${MOST_PROVIDERS} providers`);
  if (new Set(urls).size < urls.length) throw new Error('must not name a provider twice');
  return urls;
};

interface Rules {
  readonly hasCheckpoints: boolean;
  readonly mostBlocks: number;
  readonly example: string;
}

/** `0=safe,1000=finalized`, or depths: `0=3,1000=12`. */
export const finalityRules = rulesOf({
  hasCheckpoints: true,
  mostBlocks: MOST_BLOCKS,
  example: '0=safe,1000=finalized',
});

/** Depths alone, of a network without checkpoints: `0=1,500=2,5000=6`. */
export const depthRules = rulesOf({
  hasCheckpoints: false,
  mostBlocks: MOST_BLOCKS_OF_WORK,
  example: '0=1,500=2,5000=6',
});

function rulesOf(allowed: Rules): Parse<readonly FinalityRule[]> {
  return (value) => {
    const rules = value.split(',').map((text) => finalityRule(text, allowed));
    const isAscending = rules.every(({ from }, i) => i === 0 || from > (rules[i - 1]?.from ?? 0));
    if (rules[0]?.from !== 0 || !isAscending)
      throw new Error(`must begin with 0= and name amounts in ascending order, ${allowed.example}`);
    return rules;
  };
}

function finalityRule(text: string, { hasCheckpoints, mostBlocks }: Rules): FinalityRule {
  const [, from = '', by = ''] = /^\s*(\d{1,12})=(safe|finalized|\d{1,5})\s*$/.exec(text) ?? [];
  if (by === 'safe' || by === 'finalized') {
    if (hasCheckpoints) return { from: Number(from), by };
    throw new Error('must name numbers of blocks: the network knows neither safe nor finalized');
  }
  const blocks = Number(by);
  if (from === '' || blocks < 1 || blocks > mostBlocks) {
    const checkpoints = hasCheckpoints ? 'amount=safe, amount=finalized or ' : '';
    throw new Error(`must be ${checkpoints}amount=blocks (1 to ${mostBlocks}), with commas`);
  }
  return { from: Number(from), by: blocks };
}
