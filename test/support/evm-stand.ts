import { randomBytes } from 'node:crypto';
import type { Context } from 'mocha';
import { decimalsOf, isCoinOn, tokenContract, type CoinId } from '../../src/domain/chain/coins.ts';
import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import type { EvmOptions } from '../../src/domain/chain/evm/evm-options.ts';
import { NETWORKS } from '../../src/domain/chain/networks.ts';
import type { EvmNetworkId } from '../../src/networks/networks.ts';
import { ERC20_CODE, findAnvil, startAnvil, wordOf, type Anvil } from './anvil.ts';
import { Follower } from './follower.ts';

/** Depths of anvil with four slots in an epoch: the block this far below the head is safe, or final. */
export const [SAFE_DEPTH, FINAL_DEPTH] = [4, 8];

const PLENTY = 10n ** 30n;

/**
 * Calls transfer of the token that the first word names, for each pair of words behind it: an address and an
 * amount.
 */
export const BATCH_CODE = `0x${[
  '6020', // 00 i = 32
  '5b368110600a57', // 02 loop: i < size of the call data: 0a
  '00', // 09 stop
  '5b63a9059cbb60e01b600052', // 0a memory[0] = selector of transfer
  '8035600452', // 16 memory[4] = address
  '8060200135602452', // 1b memory[36] = amount
  '602060006044600060006000355af150', // 23 call the token
  '604001600256', // 33 i += 64, loop
].join('')}`;

/**
 * Calls transfer of the token that the first word names, to the address of the second, with the amount in the
 * contract's first slot: the same transaction moves what the branch makes it move.
 */
export const ROUTER_CODE = `0x${[
  '63a9059cbb60e01b600052', // memory[0] = selector of transfer
  '602035600452', // memory[4] = address
  '600054602452', // memory[36] = slot 0
  '602060006044600060006000355af15000', // call the token, stop
].join('')}`;

/** Sends what it is paid on to the address of the first word: a native transfer without a transaction. */
export const FORWARDER_CODE = '0x6000600060006000346000355af15000';

/** A node with the id and token contracts of a main network, which mines when it is told to. */
export class EvmStand {
  readonly anvil: Anvil;
  readonly accounts: readonly string[];
  readonly network: EvmNetworkId;
  #sender = 0;

  constructor(anvil: Anvil, accounts: readonly string[], network: EvmNetworkId) {
    this.anvil = anvil;
    this.accounts = accounts;
    this.network = network;
  }

  rpc<Result = unknown>(method: string, ...params: readonly unknown[]): Promise<Result> {
    return this.anvil.rpc<Result>(method, params);
  }

  /** Returns an account that no other test sends from. */
  account(): string {
    const account = this.accounts[(this.#sender += 1) % this.accounts.length];
    if (account === undefined) throw new Error('anvil has no accounts');
    return account;
  }

  async mine(blocks = 1): Promise<void> {
    await this.rpc('anvil_mine', wordOf(BigInt(blocks)));
  }

  async height(): Promise<number> {
    return Number(await this.rpc<string>('eth_blockNumber'));
  }

  /** Sends native coins, and returns the hash. */
  send(to: string, units: bigint, more: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.rpc('eth_sendTransaction', {
      from: this.account(),
      to,
      value: `0x${units.toString(16)}`,
      ...FEES,
      ...more,
    });
  }

  /** Sends a token, and returns the hash. */
  pay(coin: CoinId, to: string, units: bigint, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const data = `0xa9059cbb${wordOf(to).slice(2)}${wordOf(units).slice(2)}`;
    return this.call(contractOf(coin, this.network), data, more);
  }

  /** Calls a contract, and returns the hash. */
  call(to: string, data: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.rpc('eth_sendTransaction', {
      from: this.account(),
      to,
      data,
      gas: '0x40000',
      ...FEES,
      ...more,
    });
  }

  /** Puts code at an address, with plenty of a token. */
  async deploy(code: string, address = newAddress()): Promise<string> {
    await this.rpc('anvil_setCode', address, code);
    await this.setBalance('USDC', address, PLENTY);
    return address;
  }

  async setBalance(coin: CoinId, address: string, units: bigint): Promise<void> {
    const contract = contractOf(coin, this.network);
    await this.rpc('anvil_setStorageAt', contract, wordOf(address), wordOf(units));
  }

  /** Returns what an address holds of a token in the newest block. */
  async balance(coin: CoinId, address: string): Promise<bigint> {
    const contract = contractOf(coin, this.network);
    return BigInt(await this.rpc<string>('eth_getStorageAt', contract, wordOf(address), 'latest'));
  }

  /** Replaces the newest blocks by as many others, with signed transactions in the block of that place. */
  async reorganise(
    depth: number,
    raw: readonly (readonly [bytes: string, block: number])[] = [],
  ): Promise<void> {
    await this.rpc('anvil_reorg', depth, raw);
  }

  /** Returns the signed bytes of a transaction. */
  rawOf(hash: string): Promise<string> {
    return this.rpc('eth_getRawTransactionByHash', hash);
  }

  /** Returns a client of this node, or of what stands in front of it, and who follows it. */
  follow(own: readonly string[], options: Partial<EvmOptions> = {}): Follower {
    const client = new EvmClient({ ...this.options, ...options }, () => new Date());
    return new Follower(client, own, this.network);
  }

  /** What a client of this node goes by. */
  get options(): EvmOptions {
    const { network, anvil } = this;
    const { chainId } = NETWORKS[network];
    return { network, chainId, urls: [anvil.url], finality: { hasCheckpoints: true, depth: 2 } };
  }
}

/** Enough for a block after any other. */
const FEES = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x3b9aca00' };

/**
 * Starts a node before the tests of a suite, and ends it behind them; without a binary they are pending. Its
 * chain begins now, unless told otherwise.
 */
export function useEvmStand(
  begin?: Date,
  network: EvmNetworkId = 'ethereum',
  { accounts: count = 20, options = [] }: { accounts?: number; options?: readonly string[] } = {},
): () => EvmStand {
  let stand: EvmStand | undefined;
  before(async function (this: Context) {
    const binary = findAnvil();
    if (binary === null) this.skip();
    const anvil = await startAnvil(binary, NETWORKS[network].chainId, [
      '--no-mining',
      '--slots-in-an-epoch',
      '4',
      '--accounts',
      String(count),
      ...options,
      ...(begin === undefined ? [] : ['--timestamp', String(begin.getTime() / 1000)]),
    ]);
    const accounts = await anvil.rpc<string[]>('eth_accounts');
    stand = new EvmStand(anvil, accounts, network);
    for (const coin of ['USDC', 'DAI'] as const) {
      if (!isCoinOn(coin, network)) continue;
      await stand.rpc('anvil_setCode', contractOf(coin, network), ERC20_CODE);
      for (const account of accounts) await stand.setBalance(coin, account, PLENTY);
    }
    await stand.mine(2 * FINAL_DEPTH);
  });
  after(() => stand?.anvil.close());
  return () => {
    if (stand === undefined) throw new Error('the node was not started');
    return stand;
  };
}

export const newAddress = (): string => `0x${randomBytes(20).toString('hex')}`;

export function contractOf(coin: CoinId, network: EvmNetworkId = 'ethereum'): string {
  const contract = tokenContract(coin, network);
  if (contract === null) throw new Error(`${coin} has no contract`);
  return contract;
}

/** Units of a coin, on Ethereum unless told otherwise. */
export const unitsOf = (coin: CoinId, whole: number, network: EvmNetworkId = 'ethereum'): bigint =>
  BigInt(whole) * 10n ** BigInt(decimalsOf(coin, network));
