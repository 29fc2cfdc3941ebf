import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { networksOf } from '../../chain/wallets/families.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

/** A deposit address of a forwarder with final money that, as far as is known, has not left. */
export interface Candidate {
  readonly payment_id: string;
  readonly wallet_id: string;
  readonly deposit_index: number;
  /** As it was quoted; null: on no network of the wallet. */
  readonly address: string | null;
  /** What came by coin, at most: a decimal string. */
  readonly amounts: Readonly<Partial<Record<CoinId, string>>>;
  /** Flushes in a row that left something of it. */
  readonly tries: number;
  /** What it is worth by the last rates, in US dollars; coins without a rate are worth nothing here. */
  readonly usd: string;
  /** How many such addresses there are. */
  readonly found: number;
}

interface Search {
  readonly network: NetworkId;
  /** Those on which a forwarder has the same address. */
  readonly networks: readonly NetworkId[];
  readonly finalHeight: number;
  /** Only addresses that hold as much, in US dollars. */
  readonly minUsd: string;
  readonly limit: number;
  /** Wallets that nothing is signed for: their addresses come last, and keep no other from its place. */
  readonly refused: readonly string[];
  /** Only these, also where they are not to be tried again yet; null: all. */
  readonly ids: readonly string[] | null;
  readonly now: Date;
}

// Served by transfers_held, which has nothing of what was moved, and the key of flushed_deposits.
const flushable = sql<Candidate, Search>(
  'flushable_deposits',
  (p) => `
    WITH open AS (
      SELECT t.payment_id, t.coin, sum(t.amount) AS amount, max(t.block_height) AS height,
        max(coalesce(f.tries, 0)) AS tries
      FROM transfers t LEFT JOIN flushed_deposits f
        ON f.payment_id = t.payment_id AND f.network = t.network AND f.coin = t.coin
      WHERE t.network = ${p.network} AND t.is_live AND t.dropped_at IS NULL AND NOT t.has_left
        AND t.block_height <= ${p.finalHeight} AND t.block_height > coalesce(f.empty_at, -1)
        AND (${p.ids}::text[] IS NULL AND coalesce(f.retry_at, '-infinity') <= ${p.now}
          OR t.payment_id = ANY (${p.ids}::text[]))
      GROUP BY t.payment_id, t.coin
    )
    SELECT o.payment_id, d.wallet_id, d.deposit_index,
      (SELECT address FROM quotes q
        WHERE q.payment_id = o.payment_id AND q.network = ANY (${p.networks}) LIMIT 1) AS address,
      jsonb_object_agg(o.coin, o.amount::text) AS amounts, max(o.tries) AS tries,
      coalesce(sum(o.amount * r.usd), 0)::text AS usd,
      (count(*) OVER ())::integer AS found
    FROM open o JOIN (
      SELECT id AS payment_id, wallet_id, deposit_index FROM payments
      UNION ALL SELECT payment_id, wallet_id, deposit_index FROM further_deposits
    ) d ON d.payment_id = o.payment_id
      JOIN wallets w ON w.id = d.wallet_id AND w.kind = 'forwarder'
      LEFT JOIN rates r ON r.coin = o.coin AND r.at > ${p.now}::timestamptz - interval '1 day'
      LEFT JOIN flush_looks l ON l.payment_id = o.payment_id AND l.network = ${p.network}
    GROUP BY o.payment_id, d.wallet_id, d.deposit_index, l.looked_at
    HAVING coalesce(sum(o.amount * r.usd), 0) >= ${p.minUsd}::numeric
    ORDER BY d.wallet_id = ANY (${p.refused}),
      CASE WHEN l.looked_at >= max(o.height) THEN l.looked_at ELSE -1 END,
      coalesce(sum(o.amount * r.usd), 0) DESC, o.payment_id
    LIMIT ${p.limit}`,
);

/**
 * Returns the addresses that a flush may move: first those to which money came since they were looked at in
 * vain, those that are worth most first, then the others, those whose look is the oldest first.
 */
export async function findCandidates(
  connection: Connection,
  search: Omit<Search, 'networks'>,
): Promise<Candidate[]> {
  return run(connection, flushable, { ...search, networks: networksOf('evm') });
}
