import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import type { EvmOptions } from '../../src/domain/chain/evm/evm-options.ts';
import { auditOnce, type AuditAdapters } from '../../src/domain/payments/audit/audit.ts';
import { expirePayment } from '../../src/domain/payments/lifecycle/jobs.ts';
import { expirePayments } from '../../src/domain/payments/processing/expire.ts';
import { wordOf } from './anvil.ts';
import { FINAL_DEPTH, FORWARDER_CODE, type EvmStand } from './evm-stand.ts';
import type { Harness } from './harness.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import type { Shop } from './shop.ts';
import { leaseOf } from './lease.ts';
import type { Context } from '../../src/platform/context.ts';

/** What addresses held is read from a block that is older than their payment. */
export const BEFORE_SECONDS = 120;

/** A payment of half an ether, or of others, on a node whose time goes with the harness's. */
export class AuditStand {
  readonly real: RealNetwork;
  readonly #stand: EvmStand;
  readonly #harness: Harness;
  readonly #clients: EvmClient[] = [];
  #client: EvmClient;

  constructor(stand: EvmStand, { harness, shop }: { harness: Harness; shop: Shop }) {
    this.#stand = stand;
    this.#harness = harness;
    this.#client = this.use();
    this.real = openRealNetwork(harness, shop, () => this.#client);
  }

  /** Reads the network by another client from now on. */
  use(options: Partial<EvmOptions> = {}): EvmClient {
    const finality = { hasCheckpoints: true, depth: 2 };
    const urls = [this.#stand.anvil.url];
    this.#client = new EvmClient(
      { network: 'ethereum', chainId: 1, urls, finality, ...options },
      this.#harness.ctx.now,
    );
    this.#clients.push(this.#client);
    return this.#client;
  }

  /** Mines until what is in the newest block is final, and reads it. */
  async settle(): Promise<void> {
    await this.#stand.mine(FINAL_DEPTH + 2);
    await this.align();
    while (await this.real.sync());
    // Two polls must agree on what is final.
    await this.real.sync();
  }

  /** Lets time pass, for the chain as well. */
  async later(seconds: number): Promise<void> {
    await this.align();
    this.#harness.advance(seconds);
    await this.#stand.rpc('evm_setNextBlockTimestamp', Math.ceil(this.#harness.ctx.now().getTime() / 1000));
    await this.settle();
  }

  /** The clock is never behind the chain's. */
  async align(): Promise<void> {
    const { timestamp } = await this.#stand.rpc<{ timestamp: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    const behind = Number(timestamp) + 1 - this.#harness.ctx.now().getTime() / 1000;
    if (behind > 0) this.#harness.advance(behind);
  }

  /** Opens a payment of 0.5 ETH by its address, and audits what was there before. */
  async open(): Promise<{ id: string; address: string }> {
    await this.later(BEFORE_SECONDS);
    const merchant = await this.real.addMerchant({ currency: 'ETH', network: 'ethereum' });
    const id = await this.real.create({ pay_amount: '0.5' }, merchant);
    const { address } = await this.#payment(id);
    await this.audit();
    return { id, address };
  }

  /** Lets a contract send native coins: a transfer without a transaction. Returns the outer one's hash. */
  async forward(address: string, units: bigint): Promise<string> {
    // What the node is told to change belongs to no block: to one that nobody asks for.
    await this.#stand.mine();
    const contract = await this.#stand.deploy(FORWARDER_CODE);
    await this.#stand.mine();
    const hash = await this.#stand.send(contract, units, { data: wordOf(address), gas: '0x40000' });
    await this.#stand.mine();
    return hash;
  }

  audit(more: Partial<AuditAdapters> = {}): Promise<number> {
    return auditOnce(this.#harness.ctx, { ...this.real.adapters.live, ...more }, 'ethereum');
  }

  async expire(id: string, ctx: Context = this.#harness.ctx): Promise<string | undefined> {
    await leaseOf(this.#harness.ctx, expirePayment);
    await expirePayments(ctx, this.real.adapters.live, [id]);
    return this.real.statusOf(id);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #payment(id: string): Promise<{ address: string }> {
    const row = await this.#harness.ctx.db('payments').where({ id }).first('address');
    return row as { address: string };
  }
}
