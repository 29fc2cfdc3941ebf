import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { newAddress, unitsOf, type EvmStand } from '../support/evm-stand.ts';
import type { Harness } from '../support/harness.ts';
import { privateFile } from '../support/key-file.ts';
import { startKms, type Kms } from '../support/kms.ts';
import { startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import type { Shop } from '../support/shop.ts';
import { SignerStand } from '../support/signer-stand.ts';
import { until } from '../support/until.ts';
import { startProcess, type Service } from './service.ts';

export type When = 'before' | 'after';

const CREDENTIALS = { AccessKeyId: 'AKIDEXAMPLE', SecretAccessKey: 'secret' };
/** Longer ago than what waits is signed again for more gas. */
const LONG_MS = 600_000;

/** A process of the signer that is killed at any statement, and at any call of its node and of AWS KMS. */
export class KilledSigner {
  readonly #evm: EvmStand;
  readonly #harness: Harness;
  readonly #node: LyingProxy;
  readonly #postgres: PostgresProxy;
  readonly #kms: Kms;
  readonly stand: SignerStand;
  /** Which of the places that were counted last are calls of AWS KMS. */
  placesOfKms: readonly number[] = [];
  #paid = 0;

  private constructor(
    [evm, harness]: readonly [EvmStand, Harness],
    stand: SignerStand,
    [node, postgres, kms]: readonly [LyingProxy, PostgresProxy, Kms],
  ) {
    [this.#evm, this.#harness, this.stand] = [evm, harness, stand];
    [this.#node, this.#postgres, this.#kms] = [node, postgres, kms];
  }

  static async open(
    evm: EvmStand,
    harness: Harness,
    shop: Shop,
    keyIn: 'file' | 'kms',
  ): Promise<KilledSigner> {
    const stand = new SignerStand(evm, harness, shop);
    stand.now = () => new Date();
    await stand.begin();
    await stand.restart();
    const [node, postgres] = [await startLyingProxy(evm.anvil), await startPostgresProxy(stand.signerUrl)];
    const kms = await startKms(stand.secret);
    if (keyIn === 'kms') {
      const credentialsFile = await privateFile(JSON.stringify(CREDENTIALS));
      const { endpoint } = kms;
      stand.settings = {
        key: { awsKms: { keyId: 'alias/x', region: 'eu-west-1', credentialsFile, endpoint } },
      };
    }
    stand.urls = [node.url];
    await stand.writeFiles();
    stand.urls = [evm.anvil.url];
    return new KilledSigner([evm, harness], stand, [node, postgres, kms]);
  }

  /** Counts the statements and calls until a payout is on its way. */
  async countPlaces(): Promise<number> {
    return this.#countUntilSent(await this.stand.insert({ address: newAddress() }), 1);
  }

  /** Counts those until one that waits is on its way for more gas. */
  async countPlacesOfBump(): Promise<number> {
    return this.#countUntilSent(await this.#waiting(newAddress()), 2);
  }

  async #countUntilSent(id: string, signatures: number): Promise<number> {
    const isSent = async () => {
      const row = await this.#harness.ctx.db('payouts').where({ refund_id: id }).first('hashes');
      const hash = row?.hashes[signatures - 1];
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
    await this.#expectPaid(address, 1, `${when} ${place}`);
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
    await this.#expectPaid(address, ids.length);
  }

  /** Kills it at a place while it signs again, for more gas, what waits; one of the two is mined. */
  async bumpKilledAt(place: number, when: When): Promise<void> {
    const address = newAddress();
    const id = await this.#waiting(address);
    await this.killAt(place, when);
    await this.#finish([id]);
    expect((await this.stand.row(id)).hashes, `${when} ${place}`).to.have.length(2);
    await this.#expectPaid(address, 1, `${when} ${place}`);
  }

  /**
   * Kills `register` at a place while it takes into a journal that was lost what is on its way, signed twice;
   * the next one goes on, and it is paid once. Returns false where it had ended before that place.
   */
  async registerKilledAt(place: number, when: When): Promise<boolean> {
    const address = newAddress();
    const id = await this.#waiting(address);
    await this.stand.pass();
    await this.stand.restart();
    await rm(join(this.stand.folder, 'journal'));
    const number = String(this.#paid + 1);
    const isKilled = await this.#killRegisterAt(place, when, number);
    await this.stand.register(Number(number));
    await this.#finish([id]);
    await this.#expectPaid(address, 1, `${when} ${place}`);
    return isKilled;
  }

  async #killRegisterAt(place: number, when: When, number: string): Promise<boolean> {
    const ends = async (service: Service) => void (await service.ended());
    const args = ['register', '--network', 'ethereum', '--nonce', number];
    return (await this.#runUntil(place, when, ends, args)) >= place;
  }

  async killAt(place: number, when: When): Promise<void> {
    await this.#runUntil(place, when, (service) => until('it ends', () => service.isOver(), 30_000));
  }

  async close(): Promise<void> {
    const proxies = [this.#node, this.#postgres, this.#kms];
    await Promise.all([...proxies.map((one) => one.close()), this.stand.close()]);
  }

  /** A payout that was signed and sent long ago, and is in no block. */
  async #waiting(address: string): Promise<string> {
    const { now } = this.stand;
    this.stand.now = () => new Date(Date.now() - LONG_MS);
    const id = await this.stand.insert({ address });
    await this.stand.pass();
    this.stand.now = now;
    expect((await this.stand.row(id)).hashes).to.have.length(1);
    await this.stand.restart();
    return id;
  }

  /** Runs a signer until `done`, and kills it then or at a place before. Returns how far it had come. */
  async #runUntil(
    place: number,
    when: When,
    done: (service: Service) => Promise<void>,
    args: string[] = [],
  ): Promise<number> {
    let count = 0;
    const env = { NODE_ENV: 'test', SIGNER_DATABASE_URL: this.#postgres.url, SIGNER_CONFIG: this.stand.file };
    const running = startProcess('signer', env, args, { mayFail: true });
    const isPlace = () => {
      count += 1;
      if (count === place) running.signal('SIGKILL');
      return count === place;
    };
    const cutOff = () => {
      if (isPlace() && when === 'before') throw Object.assign(new Error('cut off'), { code: -1 });
    };
    const ofKms: number[] = [];
    this.#node.before = cutOff;
    this.#kms.before = () => (ofKms.push(count + 1), cutOff());
    if (when === 'before') this.#postgres.freezeWhen(isPlace);
    else this.#postgres.withholdAt(isPlace);
    await done(running);
    running.signal('SIGKILL');
    const end = await running.ended();
    if (args.length === 0) expect(end).to.equal('SIGKILL');
    [this.#node.before, this.#kms.before] = [null, null];
    this.#postgres.thaw();
    if (place === Infinity) this.placesOfKms = ofKms;
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

  async #expectPaid(address: string, count: number, what?: string): Promise<void> {
    expect(await this.#evm.balance('USDC', address), what).to.equal(unitsOf('USDC', 5) * BigInt(count));
    expect(await this.stand.sent(), what).to.equal(this.#paid);
  }
}
