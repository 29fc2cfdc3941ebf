import { isProofOfWork, NETWORK_IDS, NETWORKS, type NetworkId } from '../../../chain/networks.ts';
import type { ChainTransfer } from '../../../chain/port.ts';
import { run, runOne, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { IS_AWAITED, IS_HELD, IS_UNSIGNED } from '../states.ts';
import type { Candidate } from './choose.ts';
import { FITS, IS_STANDING_PAYOUT, type PayoutKey } from './payout-transfers.ts';

/**
 * The longest that a block's time lies before the moment when it took its transactions. Where miners say it,
 * it is later than the middle one of the eleven before, and no more.
 */
const BLOCK_SECONDS = `CASE r.network ${NETWORK_IDS.map((network) => {
  const { blockSeconds } = NETWORKS[network];
  return `WHEN '${network}' THEN ${isProofOfWork(network) ? 6 * blockSeconds : blockSeconds}`;
}).join(' ')} END`;

/**
 * SQL: a transfer `t` came after the refund `r` was accepted: by the clock, and behind the block that its
 * network was read to. Behind it by its height or, where a reorganisation gave it a lower one, by its time.
 */
export const CAME_AFTER = (t: string, r: string): string =>
  `${t}.seen_at >= ${r}.created_at - make_interval(secs => ${BLOCK_SECONDS})
    AND (${r}.accepted_head IS NULL OR ${t}.block_height > ${r}.accepted_head
      OR ${t}.seen_at > ${r}.accepted_head_at)`;

/** SQL: the refund `r` names another transaction than `t` has, and a transfer of that one fits and stands. */
const HAS_OWN = (r: string, t: string): string =>
  `EXISTS (
        SELECT FROM payout_transfers own
        WHERE own.tx_hash = ${r}.tx_hash AND own.tx_hash <> ${t}.tx_hash AND ${FITS(r, 'own')}
          AND ${IS_STANDING_PAYOUT('own')}
      )`;

const candidatesOfTransfer = sql<Candidate, PayoutKey>(
  'candidates_of_payout_transfer',
  (p) => `
    SELECT r.id, r.payment_id, r.amount, r.currency, r.source, r.coin, r.network, r.coin_amount, r.reason,
      r.address, r.status, r.tx_hash, r.created_at, r.problem, r.offered_at, r.price, p.merchant_id,
      r.named_at, r.is_announced, ${HAS_OWN('r', 't')} AS has_own
    FROM payout_transfers t JOIN refunds r ON ${FITS('r', 't')} JOIN payments p ON p.id = r.payment_id
    WHERE t.network = ${p.network} AND t.tx_hash = ${p.tx_hash} AND t.coin = ${p.coin}
      AND t.address = ${p.address} AND ${IS_STANDING_PAYOUT('t')} AND ${IS_AWAITED('r')}
      AND ${CAME_AFTER('t', 'r')}
    ORDER BY r.place`,
);

/** Returns the refunds that a transfer may complete, oldest first; none: it completes none, or did so. */
export async function readCandidates(connection: Connection, key: PayoutKey): Promise<Candidate[]> {
  return run(connection, candidatesOfTransfer, key);
}

interface Work extends PayoutKey {
  readonly is_final: boolean;
}

interface Above {
  readonly network: NetworkId;
  readonly finalHeight: number;
}

// A final one is followed until it completes a refund, or it needs nothing more: all that it fits
// wait for their own transfers, or belong to several merchants and do not wait for a signature, or are held
// because of it. Otherwise some of these transfers would keep the places of all others. One that is not final
// is followed until it is named.
const unfollowed = sql<Work, Above>(
  'payout_transfers_to_follow',
  (p) => `
    SELECT t.network, t.tx_hash, t.coin, t.address, s.is_final
    FROM payout_transfers t CROSS JOIN LATERAL (
      SELECT t.block_height <= ${p.finalHeight}::bigint AS is_final,
        bool_or(r.tx_hash = t.tx_hash) AS is_named, bool_or(${IS_UNSIGNED('r')}) AS is_unsigned,
        bool_or(${IS_UNSIGNED('r')}) FILTER (WHERE NOT o.has_own) AS is_free,
        count(DISTINCT m.merchant_id) FILTER (WHERE NOT o.has_own) = 1
          AND bool_or(NOT ${IS_HELD('r')} OR r.problem->>'tx_hash' <> t.tx_hash)
            FILTER (WHERE NOT o.has_own) AS is_for_one
      FROM refunds r JOIN payments m ON m.id = r.payment_id
        CROSS JOIN LATERAL (SELECT ${HAS_OWN('r', 't')} AS has_own) o
      WHERE ${FITS('r', 't')} AND ${IS_AWAITED('r')} AND ${CAME_AFTER('t', 'r')}
    ) s
    WHERE t.network = ${p.network} AND ${IS_STANDING_PAYOUT('t')}
      AND CASE WHEN s.is_final THEN s.is_named OR s.is_free OR s.is_for_one
        ELSE s.is_unsigned AND s.is_named IS NOT TRUE END
    ORDER BY t.block_height, t.tx_hash, t.coin, t.address LIMIT 100`,
);

/** Returns mined transfers of a network that something is to be done about, in the order of their blocks. */
export async function readUnfollowed(connection: Connection, above: Above): Promise<Work[]> {
  return run(connection, unfollowed, above);
}

// Index: payout_transfers_open.
const deleteIdle = sql<never, Above>(
  'delete_idle_payout_transfers',
  (p) => `
    DELETE FROM payout_transfers t
    WHERE t.network = ${p.network} AND ${IS_STANDING_PAYOUT('t')}
      AND t.block_height <= ${p.finalHeight}::bigint
      AND NOT EXISTS (
        SELECT FROM refunds r WHERE ${FITS('r', 't')} AND ${IS_AWAITED('r')} AND ${CAME_AFTER('t', 'r')})`,
);

/**
 * Deletes final transfers that fit no refund which waits: none that waits later can mean them, and each would
 * be looked at with every block.
 */
export async function deleteIdlePayouts(connection: Connection, above: Above): Promise<void> {
  await run(connection, deleteIdle, above);
}

const cameAfter = sql<{ came_after: boolean }, { id: string; seenAt: Date; height: number }>(
  'payout_came_after_refund',
  (p) => `
    SELECT coalesce(${CAME_AFTER('t', 'r')}, false) AS came_after
    FROM refunds r, (
      SELECT ${p.seenAt}::timestamptz AS seen_at, ${p.height}::bigint AS block_height
    ) t
    WHERE r.id = ${p.id}`,
);

/** True when a mined transfer came after the refund was accepted. */
export async function hasComeAfter(
  connection: Connection,
  id: string,
  { seenAt, block }: Pick<ChainTransfer, 'seenAt' | 'block'>,
): Promise<boolean> {
  const height = block?.height ?? 0;
  return (await runOne(connection, cameAfter, { id, seenAt, height }))?.came_after ?? false;
}
