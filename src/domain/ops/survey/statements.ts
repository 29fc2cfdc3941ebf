import { LIVE_CHAIN_KEY } from '../../chain/chain-key.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { Provider } from '../../chain/port.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { READ_AT } from '../chains.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { isUnderWay, statusesThat } from '../../payments/lifecycle/states.ts';
import { findWaitingJobs } from '../../schedule/lateness.ts';

/** Rows that are counted of a kind; more of them do not change what operators do. */
export const MAX_COUNTED = 10_000;

/** SQL: the networks as rows. */
const NETWORK_ROWS = `unnest(ARRAY[${NETWORK_IDS.map((network) => `'${network}'`).join()}]) AS n (network)`;

export interface PaymentCount {
  readonly status: string;
  readonly count: number;
}

// Index: payments_by_status, which begins with the merchant, hence the walk from merchant to merchant; the
// inner LIMIT keeps the plan from joining the tables.
const openPayments = sql<PaymentCount>(
  'survey_open_payments',
  `SELECT s.status, c.count
   FROM unnest(ARRAY[${statusesThat(isUnderWay)}]) AS s (status), LATERAL (
     SELECT count(*)::int AS count FROM (
       SELECT FROM merchants m, LATERAL (
         SELECT FROM payments p WHERE p.merchant_id = m.id AND p.status = s.status LIMIT ${MAX_COUNTED}
       ) one
       LIMIT ${MAX_COUNTED}
     ) counted
   ) c`,
);

// Counting ten million rows takes seconds; what ANALYZE has found costs one row.
const endedPayments = sql<PaymentCount>(
  'survey_ended_payments',
  `SELECT v.status, round(greatest(c.reltuples, 0) * v.share)::float8 AS count
   FROM pg_class c JOIN pg_stats s ON s.tablename = c.relname AND s.attname = 'status'
     JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = s.schemaname,
     unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS v (status, share)
   WHERE c.oid = 'payments'::regclass AND v.status NOT IN (${statusesThat(isUnderWay)})`,
);

/** Payments by status: the open ones counted up to 10,000, the others as ANALYZE has estimated. */
export async function countPayments(db: Connection): Promise<PaymentCount[]> {
  return [...(await run(db, openPayments, [])), ...(await run(db, endedPayments, []))];
}

// Index: webhook_endpoints_stopped.
const endpoints = sql<{ open: number; disabled: number }, { now: Date }>(
  'survey_endpoints',
  (p) => `
    SELECT count(*) FILTER (WHERE disabled_at IS NULL AND circuit_open_until > ${p.now})::int AS open,
      count(*) FILTER (WHERE disabled_at IS NOT NULL)::int AS disabled
    FROM webhook_endpoints WHERE disabled_at IS NOT NULL OR circuit_open_until IS NOT NULL`,
);

/** How many endpoints have an open circuit, and how many are disabled. */
export async function countStopped(db: Connection, now: Date): Promise<{ open: number; disabled: number }> {
  return (await runOne(db, endpoints, { now })) ?? { open: 0, disabled: 0 };
}

/** How many jobs wait for a slot of their merchant's share, and for how long the oldest has. */
export async function countTurns(db: Connection, now: Date): Promise<{ count: number; seconds: number }> {
  const waiting = await findWaitingJobs(db, now);
  return {
    count: waiting.reduce((sum, { jobs }) => sum + jobs, 0),
    seconds: Math.max(0, ...waiting.map(({ seconds }) => seconds)),
  };
}

/** What a watcher says of a real network's providers, and of the audit of balances there. */
export interface LiveNetworkRow {
  readonly network: string;
  readonly is_forked: boolean;
  readonly providers: readonly Provider[];
  /** How long the oldest audit has been due. */
  readonly audit_late_seconds: number;
  /** Payments at whose addresses more is than anybody can prove. */
  readonly unproven: number;
}

// Indexes: balance_audits_due, balance_audits_unproven.
const liveNetworks = sql<LiveNetworkRow, { now: Date }>(
  'survey_live_networks',
  (p) => `
    SELECT c.chain AS network, coalesce(c.waits_because = 'forked', false) AS is_forked, c.providers,
      coalesce((SELECT greatest(0, extract(epoch FROM ${p.now}::timestamptz - min(due_at)))
        FROM balance_audits WHERE network = n.network AND due_at <= ${p.now}), 0)::float8
        AS audit_late_seconds,
      (SELECT count(*) FROM (SELECT FROM balance_audits
        WHERE network = n.network AND unproven IS NOT NULL LIMIT ${MAX_COUNTED}) counted)::int AS unproven
    FROM ${NETWORK_ROWS} JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('n.network')}`,
);

/** The networks that a watcher reads. */
export async function readLiveNetworks(db: Connection, now: Date): Promise<LiveNetworkRow[]> {
  return run(db, liveNetworks, { now });
}

/** A network, with how long its sync has been due or, of a real one, how far the scan is behind. */
export interface NetworkRow {
  readonly network: string;
  readonly head: string | null;
  readonly late_seconds: number;
  readonly is_halted: boolean;
}

const networks = sql<NetworkRow, { now: Date }>(
  'survey_networks',
  (p) => `
    SELECT j.key AS network, c.head,
      greatest(0, extract(epoch FROM ${p.now}::timestamptz - j.run_at))::float8 AS late_seconds,
      false AS is_halted
    FROM scheduled_jobs j LEFT JOIN chain_cursors c ON c.chain = j.key
    WHERE j.job = '${syncChain.name}' AND j.test_clock IS NULL
    UNION ALL
    SELECT chain, head,
      greatest(0, extract(epoch FROM
        ${p.now}::timestamptz - coalesce(${READ_AT('n.network')}, scanned_until, to_timestamp(0))))::float8,
      halted_at IS NOT NULL
    FROM ${NETWORK_ROWS}
      JOIN chain_cursors ON chain = ${LIVE_CHAIN_KEY('n.network')}`,
);

/** The networks that workers have scheduled, and those that a watcher reads. */
export async function readNetworks(db: Connection, now: Date): Promise<NetworkRow[]> {
  return run(db, networks, { now });
}

export interface PartitionRow {
  readonly parent: string;
  readonly seconds: number;
}

// The last weekly partition of a table is named after the Monday that it begins with. A table without any has
// a row, too: an alert on no row would be silent.
const partitions = sql<PartitionRow, { now: Date }>(
  'survey_partitions',
  (p) => `
    SELECT t.parent::text, coalesce(extract(epoch FROM
        (to_date(max(right(c.relname, 8)), 'YYYYMMDD') + 7)::timestamp AT TIME ZONE 'UTC'
        - ${p.now}::timestamptz), 0)::float8 AS seconds
    FROM (VALUES ('deliveries'::regclass), ('delivery_attempts'::regclass)) AS t (parent)
      LEFT JOIN (pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid AND c.relname ~ '_[0-9]{8}$')
      ON i.inhparent = t.parent
    GROUP BY t.parent`,
);

/** When the last weekly partition of each table ends. */
export async function readPartitions(db: Connection, now: Date): Promise<PartitionRow[]> {
  return run(db, partitions, { now });
}
