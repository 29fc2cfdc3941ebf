import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { EvmClient } from '../../src/domain/chain/evm/client.ts';
import { signingKey, type SigningKey } from '../../src/domain/chain/keys/key-file.ts';
import { offerRefunds } from '../../src/domain/payments/refunds/by-signer/offer.ts';
import type { RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { grantRole } from '../../src/domain/payouts/decide.ts';
import { Journal } from '../../src/domain/payouts/journal.ts';
import { registerAccount } from '../../src/domain/payouts/register.ts';
import { pass } from '../../src/domain/payouts/run.ts';
import { parseSettings } from '../../src/domain/payouts/settings.ts';
import { networksOf, type Signer } from '../../src/domain/payouts/signer.ts';
import { SILENT } from '../../src/platform/log.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { wordOf } from './anvil.ts';
import { FINAL_DEPTH, newAddress, unitsOf, type EvmStand } from './evm-stand.ts';
import type { Harness } from './harness.ts';
import { keyFile, PASSPHRASE } from './key-file.ts';
import { MerchantRefunds, type LiveMerchant } from './merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from './real-network.ts';
import type { Shop } from './shop.ts';

const WIDE = { perIntent: '1000', perHour: '100000', perDay: '1000000' };

/** An intent as whoever can insert one writes it. */
export interface Written {
  readonly refund_id?: string;
  readonly merchant_id?: string;
  readonly coin?: string;
  readonly amount?: string;
  readonly address?: string;
}

/** A signer with roles, a journal and an account of its own, on a node. */
export class SignerStand {
  readonly #evm: EvmStand;
  readonly #harness: Harness;
  readonly #client: EvmClient;
  readonly real: RealNetwork;
  readonly refunds: MerchantRefunds;
  readonly secret: Buffer = randomBytes(32);
  readonly key: SigningKey = signingKey(this.secret);
  readonly approver: KeyObject;
  readonly #approverKey: string;
  readonly #roles: string[] = [];
  readonly #dbs: Db[] = [];
  /** Where the signer asks: the node, unless a test puts something before it. */
  urls: string[];
  folder = '';
  signerUrl = '';
  worker!: Db;
  #signer: Signer | null = null;
  #signerDb: Db | null = null;
  /** What the configuration says beyond the usual. */
  settings: Record<string, unknown> = {};
  /** The clock of the signer's machine. */
  now: () => Date;

  constructor(evm: EvmStand, harness: Harness, shop: Shop) {
    [this.#evm, this.#harness, this.now] = [evm, harness, harness.ctx.now];
    this.urls = [evm.anvil.url];
    const finality = { hasCheckpoints: true, depth: 2 };
    this.#client = new EvmClient(
      { network: 'ethereum', chainId: 1, urls: this.urls, finality },
      harness.ctx.now,
    );
    this.real = openRealNetwork(harness, shop, () => this.#client);
    const payIn = async (id: string, amount: string) =>
      evm.pay('USDC', (await shop.payment(id)).address, BigInt(Number(amount) * 1e6));
    this.refunds = new MerchantRefunds(harness, this.real, { finish: () => this.settle(), payIn });
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.approver = privateKey;
    this.#approverKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }

  async begin(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'sign-'));
    this.signerUrl = await this.#role('signer');
    this.worker = this.#open(await this.#role('worker'));
    await this.#evm.rpc('anvil_setBalance', this.key.address, wordOf(10n ** 20n));
    await this.#evm.setBalance('USDC', this.key.address, unitsOf('USDC', 100_000));
    await this.real.sync();
    await this.register(0);
  }

  get file(): string {
    return join(this.folder, 'signer.json');
  }

  get haltFile(): string {
    return join(this.folder, 'HALT');
  }

  /** The content of the configuration. */
  get configuration(): Record<string, unknown> {
    return {
      networks: {
        ethereum: {
          urls: this.urls,
          maxFeePerGasGwei: '200',
          coins: { ETH: { usd: '3000', ...WIDE }, USDC: { usd: '1', ...WIDE } },
        },
      },
      usd: { perIntent: '10000', perHour: '1000000', perDay: '10000000' },
      approval: { fromUsd: '500', approvers: { Ann: this.#approverKey } },
      key: {
        keystore: { file: join(this.folder, 'key.json'), passphraseFile: join(this.folder, 'passphrase') },
      },
      journal: join(this.folder, 'journal'),
      haltFile: this.haltFile,
      pollSeconds: 0.05,
      ...this.settings,
    };
  }

  /** Writes the files that a process of the signer reads. */
  async writeFiles(): Promise<void> {
    const write = (path: string, text: string) => writeFile(path, text, { mode: 0o600 });
    await write(join(this.folder, 'key.json'), JSON.stringify(keyFile(this.secret)));
    await write(join(this.folder, 'passphrase'), PASSPHRASE);
    await write(this.file, JSON.stringify(this.configuration));
  }

  /** The signer, as its process opens it; again after `restart`. */
  async signer(): Promise<Signer> {
    const opened = this.#signer;
    const settings = parseSettings(JSON.stringify(this.configuration));
    if (opened !== null) return (this.#signer = { ...opened, settings });
    const journal = await Journal.open(join(this.folder, 'journal'), this.key.address, this.now());
    const now = () => this.now();
    const base = { log: SILENT, settings, key: this.key, journal, now };
    this.#signerDb ??= this.#open(this.signerUrl);
    this.#signer = { ...base, db: this.#signerDb, sent: new Map() };
    return this.#signer;
  }

  /** Forgets all that a process knows. */
  async restart(): Promise<void> {
    await this.#signer?.journal.close();
    this.#signer = null;
  }

  async register(nonce: number): Promise<number> {
    return registerAccount(await this.signer(), 'ethereum', nonce);
  }

  async pass(): Promise<void> {
    const signer = await this.signer();
    for (const [network, own] of networksOf(signer)) await pass(signer, network, own);
  }

  /** A refund of a settled payment, which the worker has offered to the signer. */
  async offered(merchant: LiveMerchant, address = newAddress(), amount = '5'): Promise<RefundResource> {
    const refund = await this.refunds.ask(merchant, await this.refunds.settled(merchant), {
      amount,
      address,
    });
    await this.offer(merchant, refund.id);
    return refund;
  }

  async offer({ id }: LiveMerchant, refundId: string): Promise<void> {
    const { ctx } = this.#harness;
    const config = { ...ctx.config, signerRefunds: [`${id}/ethereum`] };
    await offerRefunds({ ...ctx, config }, null, [refundId]);
  }

  /** Inserts an intent with the worker's role, and returns its refund. */
  async insert(own: Written = {}, at = this.now()): Promise<string> {
    const refund_id = own.refund_id ?? `ref_${randomBytes(13).toString('hex').toUpperCase()}`;
    const usual = {
      payment_id: 'pay_X',
      merchant_id: 'mer_X',
      network: 'ethereum',
      coin: 'USDC',
      amount: '5',
    };
    const row = { ...usual, address: newAddress(), ...own, refund_id, created_at: at };
    await this.worker('payout_intents').insert(row);
    return refund_id;
  }

  /** What the signer made of an intent: `held: why`. */
  async stateOf(refundId: string): Promise<string> {
    const row = await this.#harness.ctx
      .db('payouts')
      .where({ refund_id: refundId })
      .first('state', 'because');
    if (row === undefined) return 'new';
    return row.because === null ? row.state : `${row.state}: ${row.because}`;
  }

  async row(
    refundId: string,
  ): Promise<{ hashes: string[]; raws: string[]; nonce: string; tx_hash: string | null }> {
    return this.#harness.ctx.db('payouts').where({ refund_id: refundId }).first('*');
  }

  async heldBecause(): Promise<string | null> {
    return (await this.#harness.ctx.db('payout_accounts').first('held_because')).held_because;
  }

  /** Mines until what is in the pool is final, and lets the watcher read it. */
  async settle(): Promise<void> {
    await this.#evm.mine(FINAL_DEPTH + 2);
    while (await this.real.sync());
    await this.real.sync();
  }

  /** How many transactions the account has sent, in the newest block. */
  async sent(): Promise<number> {
    return Number(await this.#evm.rpc<string>('eth_getTransactionCount', this.key.address, 'latest'));
  }

  async close(): Promise<void> {
    await this.restart();
    await Promise.all([this.#client.close(), ...this.#dbs.map((db) => db.destroy())]);
    // The database, and what they were granted in it, is gone before.
    const server = withDatabase(this.#harness.ctx.config.databaseUrl, 'postgres');
    for (const role of this.#roles) await execute(server, `DROP ROLE IF EXISTS ${role}`);
    await rm(this.folder, { recursive: true, force: true });
  }

  #open(url: string): Db {
    const db = openDb({ url, name: 'signer stand', poolSize: 2, acquireMs: 5_000, queryMs: 10_000 });
    this.#dbs.push(db);
    return db;
  }

  /** Makes a role, as an operator does, and grants it what the migration says. */
  async #role(kind: 'signer' | 'worker'): Promise<string> {
    const { databaseUrl } = this.#harness.ctx.config;
    const role = `${kind}_${randomBytes(6).toString('hex')}`;
    await execute(databaseUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    this.#roles.push(role);
    await grantRole(this.#harness.ctx.db, role, kind === 'signer');
    const url = new URL(databaseUrl);
    [url.username, url.password] = [role, 'secret'];
    return url.href;
  }
}
