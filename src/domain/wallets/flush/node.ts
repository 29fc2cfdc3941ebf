import { displayedAddress } from '../../chain/addresses.ts';
import type { CoinId } from '../../chain/coins.ts';
import { Coins } from '../../chain/evm/transfers.ts';
import { demand } from '../../chain/rpc/refused.ts';
import { fields, integer, quantity } from '../../chain/evm/proofs/values.ts';
import { headerAt } from '../../chain/evm/read.ts';
import { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { isFault, isUnable, NO_PROVIDER } from '../../chain/rpc/questions.ts';
import { checkChain } from '../../chain/evm/scan.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { realChains } from '../../chain/profile.ts';
import type { RpcNetwork } from '../../../platform/config/variables.ts';
import type { Config } from '../../../platform/config/config.ts';

/** A node that one run asks for all, and those that hear of what it sends. */
export interface Node {
  readonly provider: JsonRpc;
  readonly all: readonly JsonRpc[];
  readonly coins: Coins;
  readonly chainId: number;
  /** The last block that is final for the node, and that the watcher has read. */
  readonly final: number;
  /** What one unit of gas costs at most, and how much of it is for who mines. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The gas of a block. */
  readonly blockGas: bigint;
}

/**
 * Opens the first provider of a network that serves it, and closes it behind `use`. Nothing here is believed
 * beyond what gas may cost: a node that lies about balances, nonces or fees makes us send what moves nothing.
 */
export async function withNode<Result>(
  { config }: { readonly config: Pick<Config, 'rpc' | 'chainProfile' | 'testnetTokens'> },
  network: NetworkId,
  scanned: number,
  use: (node: Node) => Promise<Result>,
): Promise<Result> {
  const chains = realChains(config);
  const { urls = [] } = config.rpc[network as RpcNetwork] ?? {};
  const all = urls.map((url, i) => new JsonRpc(url, i + 1));
  const coins = new Coins(network, chains.contractOf);
  const served = { all, coins, chainId: chains.chainIdOf(network) ?? 0, scanned };
  try {
    return await use(await firstThatServes(served));
  } finally {
    await Promise.all(all.map((provider) => provider.close()));
  }
}

type Served = Pick<Node, 'all' | 'coins' | 'chainId'> & { readonly scanned: number };

async function firstThatServes({ scanned, ...served }: Served): Promise<Node> {
  let last: unknown = NO_PROVIDER;
  for (const provider of served.all) {
    try {
      await checkChain(provider, served.chainId);
      const final = await headerAt(provider, 'finalized');
      demand(final !== null, `provider ${provider.name} names no final block`);
      const head = fields(await provider.call('eth_getBlockByNumber', 'latest', false));
      demand('baseFeePerGas' in head, `blocks of provider ${provider.name} have no base fee (EIP-1559)`);
      const tip = await tipOf(provider);
      return {
        ...served,
        provider,
        final: Math.min(final.height, scanned),
        maxFeePerGas: 2n * quantity(head.baseFeePerGas) + tip,
        maxPriorityFeePerGas: tip,
        blockGas: quantity(head.gasLimit),
      };
    } catch (error) {
      if (!isFault(error)) throw error;
      last = error;
    }
  }
  throw last;
}

const GWEI = 10n ** 9n;

async function tipOf(provider: JsonRpc): Promise<bigint> {
  return provider.call('eth_maxPriorityFeePerGas').then(quantity, (error: unknown) => {
    if (isUnable(error)) return GWEI;
    throw error;
  });
}

/** A coin at an address. */
export interface Place {
  readonly address: string;
  readonly coin: CoinId;
}

const BALANCE_OF = '0x70a08231';

/** Returns what is at places after a block, in units; those of which the node does not say are left out. */
export async function unitsAt(
  { provider, coins }: Node,
  places: readonly Place[],
  block: number | 'latest',
): Promise<ReadonlyMap<Place, bigint>> {
  const at = nameOf(block);
  const units = new Map<Place, bigint>();
  for (const coin of new Set(places.map((place) => place.coin))) {
    const own = places.filter((place) => place.coin === coin);
    const to = contractOf(coins, coin);
    const calls = own.map(({ address }) =>
      to === null
        ? { method: 'eth_getBalance', params: [address, at] }
        : { method: 'eth_call', params: [{ to, data: `${BALANCE_OF}${wordOf(address)}` }, at] },
    );
    const said = await provider.batch(calls, isUnable);
    // Where there is no code, an empty answer.
    own.forEach((place, i) => {
      const answer = said[i] ?? null;
      if (answer !== null) units.set(place, answer === '0x' ? 0n : quantity(answer));
    });
  }
  return units;
}

/** Returns those of the addresses that have code after a block. */
export async function withCode(
  { provider }: Node,
  addresses: readonly string[],
  block: number | 'latest',
): Promise<Set<string>> {
  const calls = addresses.map((address) => ({ method: 'eth_getCode', params: [address, nameOf(block)] }));
  const codes = await provider.batch(calls);
  return new Set(addresses.filter((_, i) => codes[i] !== '0x'));
}

/** Returns the contract of a coin; null: it is native. */
export function contractOf({ tokens }: Coins, coin: CoinId): string | null {
  return [...tokens].find(([, token]) => token === coin)?.[0] ?? null;
}

/** Returns how many transactions an account has sent, after a block. */
export async function nonceOf(
  { provider }: Node,
  account: string,
  block: number | 'latest',
): Promise<number> {
  return integer(await provider.call('eth_getTransactionCount', account, nameOf(block)));
}

/** Returns the gas that the creation of a contract needs, with which no call of Flush.sol gets too little. */
export async function gasFor({ provider }: Node, input: Uint8Array, most: bigint): Promise<bigint> {
  const data = `0x${Buffer.from(input).toString('hex')}`;
  return quantity(await provider.call('eth_estimateGas', { data, gas: `0x${most.toString(16)}` }));
}

/** Returns what an account holds of the native coin, for its owner to read in an error. */
export async function gasLeft({ provider, coins }: Node, account: string) {
  const units = quantity(await provider.call('eth_getBalance', account, 'latest'));
  const { native } = coins;
  return {
    units,
    text: `${displayedAddress(coins.network, account)} holds ${native === null ? '0' : coins.amountOf(native, units)} ${native ?? ''}`,
  };
}

/** Gives signed bytes to every provider. Returns whether one of them has the transaction now. */
export async function broadcast(
  { all }: Pick<Node, 'all'>,
  { raw, hash }: { readonly raw: Uint8Array; readonly hash: string },
): Promise<boolean> {
  const bytes = `0x${Buffer.from(raw).toString('hex')}`;
  const known = all.map(async (provider) => {
    // "Already known" and, once it is mined, "nonce too low" are errors: what the node has, says more.
    await provider.call('eth_sendRawTransaction', bytes).catch((error: unknown) => {
      if (!isFault(error)) throw error;
    });
    return (await provider.call('eth_getTransactionByHash', hash)) !== null;
  });
  return (await Promise.allSettled(known)).some((one) => one.status === 'fulfilled' && one.value);
}

const nameOf = (block: number | 'latest'): string =>
  typeof block === 'number' ? `0x${block.toString(16)}` : block;

const wordOf = (address: string): string => address.slice(2).padStart(64, '0');
