import { expect } from 'chai';
import { newAddress, unitsOf, type EvmStand } from '../support/evm-stand.ts';
import type { Harness } from '../support/harness.ts';
import { startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import type { Shop } from '../support/shop.ts';
import { SignerStand } from '../support/signer-stand.ts';
import { until } from '../support/until.ts';
import { startProcess, type Service } from './service.ts';

export type When = 'before' | 'after';

/** A process of the signer that is killed at any statement, and at any call of its node. */
export class KilledSigner {
  readonly #evm: EvmStand;
  readonly #harness: Harness;
  readonly #node: LyingProxy;
  readonly #postgres: PostgresProxy;
  readonly stand: SignerStand;
  #paid = 0;

  private constructor(
    [evm, harness]: readonly [EvmStand, Harness],
    stand: SignerStand,
    [node, postgres]: readonly [LyingProxy, PostgresProxy],
  ) {
    [this.#evm, this.#harness, this.stand] = [evm, harness, stand];
    [this.#node, this.#postgres] = [node, postgres];
  }

  static async open(evm: EvmStand, harness: Harness, shop: Shop): Promise<KilledSigner> {
    const stand = new SignerStand(evm, harness, shop);
    stand.now = () => new Date();
    await stand.begin();
    await stand.restart();
    const proxies = [await startLyingProxy(evm.anvil), await startPostgresProxy(stand.signerUrl)] as const;
    stand.urls = [proxies[0].url];
    await stand.writeFiles();
    stand.urls = [evm.anvil.url];
    return new KilledSigner([evm, harness], stand, proxies);
  }

  /** Counts the statements and calls until a payout is on its way. */
  async countPlaces(): Promise<number> {
    const id = await this.stand.insert({ address: newAddress() });
    const isSent = async () => {
      const row = await this.#harness.ctx.db('payouts').where({ refund_id: id }).first('hashes');
      const [hash] = row?.hashes ?? [];
      return hash !== undefined && (await this.#evm.rpc('eth_getTransactionByHash', hash)) !== null;
    };
    const count = await this.#runUntil(Infinity, 'before', () => until('it is sent', isSent, 30_000));
    await this.#finish([id]);
    return count;
  }

  /** Kills a signer at a place, before or after what it sends arrives, and expects one transfer. */
  async payKilledAt(place: number, when: When): Promise<void> {
    const address = newAddress();
    const id = await this.stand.insert({ address });
    await this.killAt(place, when);
    await this.#finish([id]);
    const what = `${when} ${place}`;
    expect(await this.#evm.balance('USDC', address), what).to.equal(unitsOf('USDC', 5));
    expect(await this.stand.sent(), what).to.equal(this.#paid);
  }

  /** Kills it at several places, one after the other, each with a payout more, before it may finish. */
  async payKilledAtEach(places: readonly number[]): Promise<void> {
    const address = newAddress();
    const ids: string[] = [];
    for (const place of places) {
      ids.push(await this.stand.insert({ address }));
      await this.killAt(place, place % 2 === 0 ? 'before' : 'after');
    }
    await this.#finish(ids);
    expect(await this.#evm.balance('USDC', address)).to.equal(unitsOf('USDC', 5) * BigInt(ids.length));
    expect(await this.stand.sent()).to.equal(this.#paid);
  }

  async killAt(place: number, when: When): Promise<void> {
    await this.#runUntil(place, when, (service) => until('it ends', () => service.isOver(), 30_000));
  }

  async close(): Promise<void> {
    await Promise.all([this.#node.close(), this.#postgres.close(), this.stand.close()]);
  }

  /** Runs a signer until `done`, and kills it then or at a place before. Returns how far it had come. */
  async #runUntil(place: number, when: When, done: (service: Service) => Promise<void>): Promise<number> {
    let count = 0;
    const env = { NODE_ENV: 'test', SIGNER_DATABASE_URL: this.#postgres.url, SIGNER_CONFIG: this.stand.file };
    const running = startProcess('signer', env, [], { mayFail: true });
    const isPlace = () => {
      count += 1;
      if (count === place) running.signal('SIGKILL');
      return count === place;
    };
    this.#node.before = () => {
      if (isPlace() && when === 'before') throw Object.assign(new Error('cut off'), { code: -1 });
    };
    if (when === 'before') this.#postgres.freezeWhen(isPlace);
    else this.#postgres.withholdAt(isPlace);
    await done(running);
    running.signal('SIGKILL');
    expect(await running.ended()).to.equal('SIGKILL');
    this.#node.before = null;
    this.#postgres.thaw();
    return count;
  }

  /** Lets another signer go on with what was left, until all of it is final. */
  async #finish(ids: readonly string[]): Promise<void> {
    await this.stand.pass();
    await this.stand.settle();
    await this.stand.pass();
    for (const id of ids) expect(await this.stand.stateOf(id)).to.equal('paid');
    await this.stand.restart();
    this.#paid += ids.length;
  }
}
