import { Coins } from '../chain/evm/transfers.ts';
import { keccak } from '../chain/evm/proofs/rlp.ts';
import { readSigned, signerOf } from '../chain/keys/sign.ts';
import type { NetworkId } from '../chain/networks.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { multiply } from '../../platform/values/money.ts';
import type { SignedEntry } from './journal.ts';
import { accountOf, chainsOfSigner, type Signer } from './signer.ts';
import type { Account } from './store.ts';

interface StoredPayout {
  readonly refund_id: string;
  readonly intent_hash: string;
  readonly hashes: readonly string[];
  readonly raws: readonly string[];
  readonly signed_at: Date;
}

const storedPayouts = sql<StoredPayout, { network: string; address: string }>(
  'stored_payouts',
  (p) => `
    SELECT refund_id, intent_hash, hashes, raws, signed_at FROM payouts
    WHERE network = ${p.network} AND account = ${p.address} AND hashes <> '{}' ORDER BY nonce`,
);

const upsertAccount = sql<never, Account & { nonce: number }>(
  'register_payout_account',
  (p) => `
    INSERT INTO payout_accounts (network, address, next_nonce)
    VALUES (${p.network}, ${p.address}, ${p.nonce})
    ON CONFLICT (network, address) DO UPDATE SET next_nonce = excluded.next_nonce, held_because = NULL`,
);

/** Stores from which number on an account signs, and ends what holds it. */
async function storeAccount(connection: Connection, account: Account, nonce: number): Promise<void> {
  await run(connection, upsertAccount, { ...account, nonce });
}

/**
 * Registers the account of the key on a network: from which number on it signs says a person, who has looked
 * at an explorer, and no node. After a foreign transaction it is registered again, with a higher number. What
 * the database knows of, and a journal that was lost does not, is taken into the journal first: it is not
 * signed again, and counts for the limits. Throws RangeError for a number that was signed, and for a row
 * whose bytes this key has not signed: all that is in the journal is signed again for more gas.
 */
export async function registerAccount(signer: Signer, network: NetworkId, nonce: number): Promise<number> {
  const { db, journal, key } = signer;
  const account = accountOf(signer, network);
  let known = 0;
  for (const stored of await run(db, storedPayouts, account)) {
    const entries = entriesOf(signer, network, stored, nonce);
    for (const entry of entries) await journal.append(entry);
    if (entries.length > 0) known += 1;
  }
  const next = journal.nextNonce(network) ?? 0;
  if (nonce < next)
    throw new RangeError(
      `Number ${nonce} of ${key.address} on ${network} was signed: the next one is ${next}`,
    );
  const at = signer.now().toISOString();
  await journal.append({ kind: 'registered', at, network, account: key.address, nonce });
  await storeAccount(db, account, nonce);
  return known;
}

/** Returns what the journal lacks of a row. */
function entriesOf(
  signer: Signer,
  network: NetworkId,
  { refund_id: refund, intent_hash: intent, hashes, raws, signed_at }: StoredPayout,
  next: number,
): SignedEntry[] {
  const now = signer.now();
  const at = (signed_at < now ? signed_at : now).toISOString();
  const made = { kind: 'signed', at, refund, intent, network, account: signer.key.address } as const;
  const inJournal = signer.journal.hashesOf(refund);
  return hashes.flatMap((hash, i) => {
    if (inJournal.has(hash)) return [];
    const raw = raws[i] ?? '';
    const bytes = Buffer.from(raw, 'hex');
    // Those of erased payments are gone, and their numbers are used.
    if (raw === '') return { ...made, nonce: next - 1, hash, raw, ...NOTHING };
    if (keccak(bytes) !== hash || signerOf(bytes) !== signer.key.address || !isOn(signer, network, bytes))
      throw new RangeError(
        `The row of ${refund} in payouts has bytes that this key has not signed on ${network}: somebody has ` +
          'changed the database. Find out who, and delete the row',
      );
    const { nonce } = readSigned(bytes);
    return { ...made, nonce, hash, raw, ...movedBy(signer, network, bytes, i > 0) };
  });
}

const NOTHING = { method: '', amount: '0', usd: '0' };

const isOn = (signer: Signer, network: NetworkId, raw: Buffer): boolean =>
  readSigned(raw).chainId === chainsOfSigner(signer).chainIdOf(network);

/** What a transaction may have moved, by the prices of the configuration. */
function movedBy(signer: Signer, network: NetworkId, raw: Buffer, isAgain: boolean) {
  const coins = new Coins(network, chainsOfSigner(signer).contractOf);
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
  const { to, value, input } = readSigned(raw);
  const moved = coins.intended({ from: signer.key.address, to: hex(to), value, input: hex(input) });
  const coin = moved?.coin ?? coins.native ?? 'ETH';
  const amount = moved === null || isAgain ? '0' : coins.amountOf(coin, moved.value);
  const usd = multiply(amount, signer.settings.networks[network]?.coins[coin]?.usd ?? '0');
  return { method: `${coin}/${network}`, amount, usd };
}
