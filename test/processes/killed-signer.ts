import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { FINAL_DEPTH, newAddress, unitsOf, type EvmStand } from '../support/evm-stand.ts';
import type { Harness } from '../support/harness.ts';
import { privateFile } from '../support/key-file.ts';
import { startKms, type Kms } from '../support/kms.ts';
import { startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import type { Shop } from '../support/shop.ts';
import { SignerStand } from '../support/signer-stand.ts';
import { until } from '../support/until.ts';
import { startProcess, type Service } from './service.ts';

/** The statement or call of a process, and whether what it sends arrives before the kill. */
export type Kill = readonly [place: number, when: 'before' | 'after'];

const CREDENTIALS = { AccessKeyId: 'AKIDEXAMPLE', SecretAccessKey: 'secret' };
/** Longer ago than what waits is signed again for more gas. */
const LONG_MS = 600_000;
const PATIENCE_MS = 30_000;

/** A process of the signer that is killed at any statement, and at any call of its node and of AWS KMS. */
export class KilledSigner {
  readonly #evm: EvmStand;
  readonly #node: LyingProxy;
  readonly #postgres: PostgresProxy;
  readonly #kms: Kms;
  readonly stand: SignerStand;
  /** Whom the payouts go to that nobody has finished yet, their refunds, and how often each is signed. */
  #address = newAddress();
  #open: string[] = [];
  #signatures = 1;
  /** What becomes of them. */
  #state: 'paid' | 'cancelled' = 'paid';
  #paid = 0;
  /** How many statements and calls the last process has come to, and which was the first that sent. */
  #count = 0;
  #sentAt = 0;
  /** Which of them were calls of AWS KMS. */
  placesOfKms: number[] = [];

  private constructor(
    evm: EvmStand,
    stand: SignerStand,
    [node, postgres, kms]: readonly [LyingProxy, PostgresProxy, Kms],
  ) {
    [this.#evm, this.stand] = [evm, stand];
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
    return new KilledSigner(evm, stand, [node, postgres, kms]);
  }

  /** Counts the statements and calls of a process up to the one that sends a payout, which is finished. */
  async countPlaces(): Promise<number> {
    await this.#insert();
    return this.#countUntilSent();
  }

  /** Counts those up to the one that sends, for more gas, one that waits. */
  async countPlacesOfBump(): Promise<number> {
    await this.#wait();
    return this.#countUntilSent();
  }

  /** Counts those up to the one that sends what cancels a payout, which somebody else has paid. */
  async countPlacesOfCancel(): Promise<number> {
    await this.#waitAndStop();
    return this.#countUntilSent();
  }

  async #countUntilSent(): Promise<number> {
    await this.#run([Infinity, 'before'], () => until('it sends', () => this.#sentAt > 0, PATIENCE_MS));
    const places = this.#sentAt;
    await finishAll(this.#evm, [this]);
    return places;
  }

  /** Adds a payout, and lets a process pay what there is until it is killed. */
  async pay(kill: Kill): Promise<void> {
    await this.#insert();
    await this.#killAt(kill);
  }

  /** Kills a process while it signs again, for more gas, what waits; one of the two is mined. */
  async bump(kill: Kill): Promise<void> {
    await this.#wait();
    await this.#killAt(kill);
  }

  /** Kills a process while it cancels what waits. */
  async cancel(kill: Kill): Promise<void> {
    await this.#waitAndStop();
    await this.#killAt(kill);
  }

  /**
   * Kills `register` while it takes into a journal that was lost what is on its way, signed twice; the next
   * one goes on. Returns false where it had ended before that place.
   */
  async register(kill: Kill): Promise<boolean> {
    await this.#wait();
    await this.stand.pass();
    await this.stand.restart();
    await rm(join(this.stand.folder, 'journal'));
    const number = this.#paid + 1;
    const ends = async (service: Service) => void (await service.ended());
    await this.#run(kill, ends, ['register', '--network', 'ethereum', '--nonce', String(number)]);
    const isKilled = this.#count >= kill[0];
    await this.stand.register(number);
    return isKilled;
  }

  /** Lets another signer go on with what was left. */
  async goOn(): Promise<void> {
    await this.stand.pass();
  }

  /**
   * Expects one transfer of each payout that was left, none of one that was cancelled; a signer that begins
   * again knows nothing of them.
   */
  async expectPaid(): Promise<void> {
    for (const id of this.#open) {
      expect(await this.stand.stateOf(id)).to.match(new RegExp(`^${this.#state}\\b`));
      expect((await this.stand.row(id)).hashes).to.have.length(this.#signatures);
    }
    await this.stand.restart();
    const count = this.#open.length;
    this.#paid += count;
    const each = this.#state === 'paid' ? unitsOf('USDC', 5) : 0n;
    expect(await this.#evm.balance('USDC', this.#address)).to.equal(each * BigInt(count));
    expect(await this.stand.sent()).to.equal(this.#paid);
    [this.#open, this.#address, this.#signatures, this.#state] = [[], newAddress(), 1, 'paid'];
  }

  async close(): Promise<void> {
    const proxies = [this.#node, this.#postgres, this.#kms];
    await Promise.all([...proxies.map((one) => one.close()), this.stand.close()]);
  }

  async #insert(): Promise<void> {
    this.#open.push(await this.stand.insert({ address: this.#address }));
  }

  /** Adds a payout that was signed and sent long ago, and is in no block. */
  async #wait(): Promise<void> {
    const { now } = this.stand;
    this.stand.now = () => new Date(Date.now() - LONG_MS);
    await this.#insert();
    await this.stand.pass();
    this.stand.now = now;
    await this.stand.restart();
    this.#signatures = 2;
  }

  /** Adds one that waits, and whose refund another transaction completes. */
  async #waitAndStop(): Promise<void> {
    await this.#wait();
    const tx_hash = `0x${'ab'.repeat(32)}`;
    for (const refund_id of this.#open)
      await this.stand.worker('payout_stops').insert({ refund_id, created_at: new Date(), tx_hash });
    this.#state = 'cancelled';
  }

  async #killAt(kill: Kill): Promise<void> {
    await this.#run(kill, (service) => until('it ends', () => service.isOver(), PATIENCE_MS));
  }

  /** Runs a signer until `done`, and kills it then or at a place before. */
  async #run(
    [place, when]: Kill,
    done: (service: Service) => Promise<void>,
    args: string[] = [],
  ): Promise<void> {
    [this.#count, this.#sentAt, this.placesOfKms] = [0, 0, []];
    const env = { NODE_ENV: 'test', SIGNER_DATABASE_URL: this.#postgres.url, SIGNER_CONFIG: this.stand.file };
    const running = startProcess('signer', env, args, { mayFail: true });
    const isPlace = () => {
      this.#count += 1;
      if (this.#count === place) running.signal('SIGKILL');
      return this.#count === place;
    };
    const cutOff = () => {
      if (isPlace() && when === 'before') throw Object.assign(new Error('cut off'), { code: -1 });
    };
    this.#node.before = ({ method }) => {
      cutOff();
      if (method === 'eth_sendRawTransaction' && this.#sentAt === 0) this.#sentAt = this.#count;
    };
    this.#kms.before = () => (this.placesOfKms.push(this.#count + 1), cutOff());
    if (when === 'before') this.#postgres.freezeWhen(isPlace);
    else this.#postgres.withholdAt(isPlace);
    await done(running);
    running.signal('SIGKILL');
    const end = await running.ended();
    // `register` may have ended before.
    if (args.length === 0) expect(end).to.equal('SIGKILL');
    [this.#node.before, this.#kms.before] = [null, null];
    this.#postgres.thaw();
  }
}

/** Has each signer do something until it is killed, and expects one transfer of each of their payouts. */
export async function killEach(
  evm: EvmStand,
  kills: readonly (readonly [signer: KilledSigner, kill: Kill])[],
  act: (signer: KilledSigner, kill: Kill) => Promise<unknown>,
): Promise<void> {
  try {
    await Promise.all(kills.map(([signer, kill]) => act(signer, kill)));
    await finishAll(
      evm,
      kills.map(([signer]) => signer),
    );
  } catch (error) {
    const where = kills.map(([, [place, when]]) => `${when} ${place}`).join(', ');
    throw new Error(`killed ${where}: ${(error as Error).message}`, { cause: error });
  }
}

/** Lets other signers go on until all that was left is final, in blocks that they share. */
export async function finishAll(evm: EvmStand, signers: readonly KilledSigner[]): Promise<void> {
  await Promise.all(signers.map((one) => one.goOn()));
  await evm.mine(FINAL_DEPTH + 2);
  await Promise.all(signers.map((one) => one.goOn()));
  await Promise.all(signers.map((one) => one.expectPaid()));
}
