import { Coins } from '../chain/evm/transfers.ts';
import { readSigned } from '../chain/keys/sign.ts';
import type { NetworkId } from '../chain/networks.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import { multiply } from '../../platform/values/money.ts';
import type { SignedEntry } from './journal.ts';
import { accountOf, chainsOfSigner, type Signer } from './signer.ts';
import type { Account } from './store.ts';

interface StoredPayout {
  readonly refund_id: string;
  readonly nonce: string;
  readonly intent_hash: string;
  readonly hashes: readonly string[];
  readonly raws: readonly string[];
  readonly signed_at: Date;
}

const storedPayouts = sql<StoredPayout, { network: string; address: string }>(
  'stored_payouts',
  (p) => `
    SELECT refund_id, nonce, intent_hash, hashes, raws, signed_at FROM payouts
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
 * signed again, and counts for the limits. Throws RangeError for a number that was signed.
 */
export async function registerAccount(signer: Signer, network: NetworkId, nonce: number): Promise<number> {
  const { db, journal, key } = signer;
  const account = accountOf(signer, network);
  let known = 0;
  for (const stored of await run(db, storedPayouts, account)) {
    if (journal.hasSigned(stored.refund_id)) continue;
    for (const entry of entriesOf(signer, network, stored)) await journal.append(entry);
    known += 1;
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

function entriesOf(signer: Signer, network: NetworkId, stored: StoredPayout): SignedEntry[] {
  const { refund_id: refund, nonce, intent_hash: intent, hashes, raws, signed_at } = stored;
  return hashes.map((hash, i) => {
    const raw = raws[i] ?? '';
    const made = { kind: 'signed', at: signed_at.toISOString(), refund, intent, network } as const;
    const bytes = { account: signer.key.address, nonce: Number(nonce), hash, raw };
    return { ...made, ...bytes, ...movedBy(signer, network, Buffer.from(raw, 'hex'), i > 0) };
  });
}

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
