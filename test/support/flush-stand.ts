import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CoinId } from '../../src/domain/chain/coins.ts';
import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import { signingKey, type SigningKey } from '../../src/domain/chain/keys/key-file.ts';
import { displayedAddress } from '../../src/domain/chain/addresses.ts';
import { FACTORY, initCodeOf, openForwarder } from '../../src/domain/chain/wallets/forwarder.ts';
import { storeRates } from '../../src/domain/chain/rates/store.ts';
import { flushForwarders, type FlushAsked } from '../../src/domain/wallets/flush/run.ts';
import type { FlushReport } from '../../src/domain/wallets/flush/report.ts';
import { confirmWallet, setWallet } from '../../src/domain/wallets/set.ts';
import type { Context } from '../../src/platform/context.ts';
import { wordOf } from './anvil.ts';
import { compileContracts } from './compile-contract.ts';
import { contractOf, FINAL_DEPTH, unitsOf, type EvmStand } from './evm-stand.ts';
import type { Harness } from './harness.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import type { Shop } from './shop.ts';
import { TREASURY } from './wallets.ts';

/** The tokens of test/support/contracts. */
export type TokenKind = 'NoReturn' | 'FeeOnTransfer' | 'Refusing' | 'Burning' | 'Bombing';

let tokens: ReturnType<typeof compileContracts> | null = null;

/** Forwarders of merchants on a node, and what flushes them. */
export class FlushStand {
  readonly #stand: EvmStand;
  readonly #harness: Harness;
  readonly #client: EvmClient;
  readonly real: RealNetwork;
  /** A gas wallet of its own, with an ether. */
  readonly secret: Buffer = randomBytes(32);
  readonly key: SigningKey = signingKey(this.secret);
  /** Where a run asks: the node, unless a test puts something before it. */
  urls: readonly string[];

  constructor(stand: EvmStand, harness: Harness, shop: Shop) {
    this.#stand = stand;
    this.#harness = harness;
    this.urls = [stand.anvil.url];
    const finality = { hasCheckpoints: true, depth: 2 };
    this.#client = new EvmClient(
      { network: 'ethereum', chainId: 1, urls: this.urls, finality },
      harness.ctx.now,
    );
    this.real = openRealNetwork(harness, shop, () => this.#client);
  }

  get ctx(): Context {
    const { ctx } = this.#harness;
    const rpc = { ethereum: { urls: this.urls, quorumUsd: 1e9 } };
    return { ...ctx, config: { ...ctx.config, simulateLive: false, rpc } };
  }

  async begin(): Promise<void> {
    this.#harness.advance(3_000);
    await this.storeRates(this.#harness.ctx.now());
    await this.#stand.rpc('anvil_setBalance', this.key.address, wordOf(10n ** 18n));
    await this.settle();
  }

  async storeRates(at: Date): Promise<void> {
    const usd = { ETH: '3000', USDT: '1', USDC: '1', DAI: '1', POL: '0.4' } as const;
    const rates = Object.entries(usd).map(
      ([coin, price]) => [coin as CoinId, { usd: price, sources: ['a', 'b'], at }] as const,
    );
    await storeRates(this.ctx.db, new Map(rates));
  }

  /** Adds a live merchant whose forwarders pay a treasury. */
  async addMerchant(treasury = TREASURY): Promise<{ id: string; apiKey: string }> {
    const merchant = await this.#harness.addMerchant({ mode: 'live' });
    const value = displayedAddress('ethereum', treasury.toLowerCase());
    const { wallet } = await setWallet(this.ctx, { merchantId: merchant.id, kind: 'forwarder', value });
    await confirmWallet(this.ctx, wallet.id, value);
    return merchant;
  }

  /** Creates payments of a merchant, and returns their addresses. */
  async addresses(merchant: { id: string; apiKey: string }, count: number): Promise<string[]> {
    const found: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const id = await this.real.create({ pay_amount: '1000', order_id: `order-${i}` }, merchant);
      const row = (await this.ctx.db('payments').where({ id }).first('address')) as { address: string };
      found.push(row.address);
    }
    return found;
  }

  /** Makes a token of a kind of what is at a coin's contract, and gives an account plenty of it. */
  async setToken(coin: CoinId, kind: TokenKind): Promise<void> {
    tokens ??= compileContracts(readFileSync(new URL('./contracts/Tokens.sol', import.meta.url), 'utf8'));
    await this.#stand.rpc('anvil_setCode', contractOf(coin), `0x${tokens[kind]?.deployed ?? ''}`);
    for (const account of this.#stand.accounts)
      await this.#stand.setBalance(coin, account, unitsOf(coin, 1_000_000));
    await this.misbehave(coin, false);
  }

  /** Turns what is wrong with a token on or off. */
  async misbehave(coin: CoinId, isOn: boolean): Promise<void> {
    await this.#stand.rpc('anvil_setStorageAt', contractOf(coin), wordOf(0n), wordOf(isOn ? 1n : 0n));
  }

  /** Pays an address in a coin, native or token; a token takes gas of its own kind. */
  async pay(coin: CoinId, address: string, whole: number): Promise<string> {
    const units = unitsOf(coin, whole);
    return coin === 'ETH' ? this.#stand.send(address, units) : this.#stand.pay(coin, address, units);
  }

  /** Deploys the forwarder of an address, as anybody may, first in its block. */
  async deploy(address: string): Promise<string> {
    const { wallet_id, deposit_index } = await this.ctx.db('payments').where({ address }).first('*');
    const { id, public_data } = await this.ctx.db('wallets').where({ id: wallet_id }).first('*');
    const salt = openForwarder(public_data, id).pathAt(deposit_index);
    const code = Buffer.from(initCodeOf(public_data)).toString('hex');
    const fees = { maxFeePerGas: '0xba43b7400', maxPriorityFeePerGas: '0x2540be400' };
    return this.#stand.call(FACTORY, `${salt}${code}`, { gas: '0x80000', ...fees });
  }

  /** Mines until what is in the pool is final, and lets the watcher read it. */
  async settle(): Promise<void> {
    await this.mine(FINAL_DEPTH + 2);
    while (await this.real.sync());
    // Two polls must agree on what is final.
    await this.real.sync();
  }

  async mine(blocks = 1): Promise<void> {
    await this.#stand.mine(blocks);
  }

  /** One run of `ops wallet flush`. */
  async flush(own: Partial<FlushAsked> = {}): Promise<FlushReport> {
    const asked = { network: 'ethereum', minUsd: '0', maxFeePercent: '5', key: this.key, ...own } as const;
    return flushForwarders(this.ctx, asked);
  }

  /** What an account holds, in units. */
  async holds(coin: CoinId, account: string): Promise<bigint> {
    if (coin !== 'ETH') return this.#stand.balance(coin, account);
    return BigInt(await this.#stand.rpc<string>('eth_getBalance', account, 'latest'));
  }

  async hasCode(address: string): Promise<boolean> {
    return (await this.#stand.rpc('eth_getCode', address, 'latest')) !== '0x';
  }

  async gasOf(hash: unknown): Promise<number> {
    const receipt = await this.#stand.rpc<{ gasUsed: string; status: string }>(
      'eth_getTransactionReceipt',
      hash,
    );
    if (receipt.status !== '0x1') throw new Error(`${String(hash)} was reverted`);
    return Number(receipt.gasUsed);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
