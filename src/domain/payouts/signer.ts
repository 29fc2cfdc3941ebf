import { access } from 'node:fs/promises';
import type { SigningKey } from '../chain/keys/key-file.ts';
import { isNetwork, type NetworkId } from '../chain/networks.ts';
import { realChains } from '../chain/profile.ts';
import type { Config } from '../../platform/config/config.ts';
import { run, sql, type Connection, type Db, type Tx } from '../../platform/postgres/db.ts';
import type { Log } from '../../platform/log.ts';
import type { Journal, SignedEntry } from './journal.ts';
import type { NetworkSettings, SignerSettings } from './settings.ts';
import {
  holdAccount,
  lockAccount,
  seeAccount,
  storeAttempt,
  type AccountRow,
  type Attempt,
} from './store.ts';

/** What a signer works with: one key, one journal, one process. */
export interface Signer {
  readonly db: Db;
  readonly log: Log;
  readonly settings: SignerSettings;
  readonly key: SigningKey;
  readonly journal: Journal;
  /** By the machine's clock: the database's is that of whoever owns the database. */
  readonly now: () => Date;
  /** When bytes were sent last, by hash, in this process. */
  readonly sent: Map<string, number>;
}

/** The account of a network that the signer pays from. */
export const accountOf = ({ key }: Signer, network: string) => ({ network, address: key.address });

/** The chains and providers of the signer's configuration, as others have them from their variables. */
export function chainConfig({
  settings,
}: Pick<Signer, 'settings'>): Pick<Config, 'rpc' | 'chainProfile' | 'testnetTokens'> {
  const { networks, chainProfile = 'mainnet', testnetTokens = {} } = settings;
  const rpc = Object.entries(networks).map(([network, { urls }]) => [network, { urls, quorumUsd: Infinity }]);
  return { rpc: Object.fromEntries(rpc) as Config['rpc'], chainProfile, testnetTokens };
}

export const chainsOfSigner = (signer: Pick<Signer, 'settings'>) => realChains(chainConfig(signer));

/** Returns the networks of the configuration with what it says of them. */
export const networksOf = ({ settings }: Pick<Signer, 'settings'>): [NetworkId, NetworkSettings][] =>
  Object.entries(settings.networks).flatMap(([network, own]) => (isNetwork(network) ? [[network, own]] : []));

/** True while nothing may be signed or sent: there is a halt file, or nobody can say that there is none. */
export async function isHalted({ settings }: Pick<Signer, 'settings'>): Promise<boolean> {
  return access(settings.haltFile).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/** So many entries are compared with the database at once. */
const COMPARED = 500;

/**
 * Stores what the journal has and the database may lack: after a crash, or where that was set back. At a
 * start that is every entry there ever was, of which the database nearly always has all.
 */
export async function storeJournal({ db, journal }: Pick<Signer, 'db' | 'journal'>): Promise<void> {
  const unstored = journal.unstored();
  for (let at = 0; at < unstored.length; at += COMPARED) {
    const entries = unstored.slice(at, at + COMPARED);
    const known = await readHashes(
      db,
      entries.map(({ refund }) => refund),
    );
    for (const entry of entries.filter(({ hash }) => !known.has(hash))) {
      await db.transaction(async (tx) => {
        const { network, account: address } = entry;
        await lockAccount(tx, { network, address });
        await storeAttempt(tx, attemptOf(entry));
      });
    }
    journal.markStored(entries);
  }
}

const storedHashes = sql<{ hash: string }, { refunds: readonly string[] }>(
  'stored_payout_hashes',
  (p) => `SELECT unnest(hashes) AS hash FROM payouts WHERE refund_id = ANY (${p.refunds})`,
);

async function readHashes(connection: Connection, refunds: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await run(connection, storedHashes, { refunds })).map(({ hash }) => hash));
}

function attemptOf({ refund, intent, network, account, nonce, hash, raw, at }: SignedEntry): Attempt {
  const row = { refund_id: refund, intent_hash: intent, network, account, nonce, hash };
  return { ...row, raw, at: new Date(at) };
}

/**
 * Signs with the next number of an account, and stores what `sign` returns: first in the journal, then in the
 * database, whose transaction says that the number is used. Only then may anybody see it. No lock is held
 * while it is signed, for KMS takes its time. What a person has said meanwhile is read behind the lock, by
 * `isStill`: then what was signed is forgotten, and its number is the next one's. Returns null where nothing
 * is stored: that, or the account is held, or `sign` says so.
 */
export async function signNext(
  signer: Signer,
  network: NetworkId,
  sign: (nonce: number) => Promise<SignedEntry | null>,
  isStill: (tx: Tx) => Promise<boolean> = () => Promise.resolve(true),
): Promise<SignedEntry | null> {
  const { db, journal } = signer;
  const account = accountOf(signer, network);
  const nonce = journal.nextNonce(network);
  const isFree = async (connection: Connection, row: AccountRow | null) => {
    if (row === null || row.held_because !== null || (await isHalted(signer))) return false;
    if (Number(row.next_nonce) === nonce) return true;
    const because = `the next number is ${row.next_nonce} in the database, and ${nonce} in the journal`;
    await holdAccount(connection, account, because);
    return false;
  };
  if (nonce === null || !(await isFree(db, await seeAccount(db, account, signer.now())))) return null;
  const entry = await sign(nonce);
  if (entry === null) return null;
  const isStored = await db.transaction(async (tx) => {
    if (!(await isFree(tx, await lockAccount(tx, account))) || !(await isStill(tx))) return false;
    await journal.append(entry);
    await storeAttempt(tx, attemptOf(entry));
    return true;
  });
  if (!isStored) return null;
  journal.markStored([entry]);
  return entry;
}
