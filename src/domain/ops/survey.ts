import { run, runOne, sql } from '../../platform/postgres/db.ts';
import type { Context } from '../../platform/context.ts';
import { syncChain } from '../payments/lifecycle/jobs.ts';
import { IS_WAITING } from '../schedule/rows.ts';

/** Rows that are counted of a kind; more of them do not change what operators do. */
const MAX_COUNTED = 10_000;

export interface PaymentCount {
  readonly status: string;
  readonly count: number;
}

// Index: payments_by_status, which begins with the merchant, hence the walk from merchant to merchant; the
// inner LIMIT keeps the plan from joining the tables.
const openPayments = sql<PaymentCount>(
  'survey_open_payments',
  `SELECT s.status, c.count
   FROM (VALUES ('WAITING'), ('PENDING'), ('PROCESSING')) AS s (status), LATERAL (
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
   WHERE c.oid = 'payments'::regclass AND v.status IN ('SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED')`,
);

// Index: webhook_endpoints_stopped.
const endpoints = sql<{ open: number; disabled: number }, { now: Date }>(
  'survey_endpoints',
  (p) => `
    SELECT count(*) FILTER (WHERE disabled_at IS NULL AND circuit_open_until > ${p.now})::int AS open,
      count(*) FILTER (WHERE disabled_at IS NOT NULL)::int AS disabled
    FROM webhook_endpoints WHERE disabled_at IS NOT NULL OR circuit_open_until IS NOT NULL`,
);

// Index: scheduled_jobs_waiting.
const turns = sql<{ count: number; seconds: number }, { now: Date }>(
  'survey_turns',
  (p) => `
    SELECT count(*)::int AS count,
      coalesce(max(extract(epoch FROM ${p.now}::timestamptz - turn_since)), 0)::float8 AS seconds
    FROM (SELECT turn_since FROM scheduled_jobs j WHERE ${IS_WAITING('j')} LIMIT ${MAX_COUNTED}) waiting`,
);

interface NetworkRow {
  readonly network: string;
  readonly head: string | null;
  readonly late_seconds: number;
}

const networks = sql<NetworkRow, { now: Date }>(
  'survey_networks',
  (p) => `
    SELECT j.key AS network, c.head,
      greatest(0, extract(epoch FROM ${p.now}::timestamptz - j.run_at))::float8 AS late_seconds
    FROM scheduled_jobs j LEFT JOIN chain_cursors c ON c.chain = j.key
    WHERE j.job = '${syncChain.name}' AND j.test_clock IS NULL`,
);

interface PartitionRow {
  readonly parent: string;
  readonly seconds: number;
}

// The last weekly partition of a table is named after the Monday that it begins with.
const partitions = sql<PartitionRow, { now: Date }>(
  'survey_partitions',
  (p) => `
    SELECT i.inhparent::regclass::text AS parent, extract(epoch FROM
        (to_date(max(right(c.relname, 8)), 'YYYYMMDD') + 7)::timestamp AT TIME ZONE 'UTC'
        - ${p.now}::timestamptz)::float8 AS seconds
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('deliveries'::regclass, 'delivery_attempts'::regclass)
      AND c.relname ~ '_[0-9]{8}$'
    GROUP BY i.inhparent`,
);

export interface NetworkAge {
  readonly network: string;
  /** How long ago its head was last seen to advance. */
  readonly ageSeconds: number;
  /** How long its sync has been due. */
  readonly lateSeconds: number;
}

export interface Survey {
  readonly payments: readonly PaymentCount[];
  readonly endpoints: { readonly open: number; readonly disabled: number };
  readonly turns: { readonly count: number; readonly seconds: number };
  readonly networks: readonly NetworkAge[];
  readonly partitions: readonly PartitionRow[];
}

/** Scrapes that come sooner share what was read last. */
const KEPT_MS = 15_000;

/**
 * Reads what metrics show of the whole database, at most every 15 s and only when somebody asks. Each
 * statement is bounded at ten million payments.
 */
export class Surveyor {
  readonly #ctx: Context;
  readonly #heads = new Map<string, { head: string | null; since: number }>();
  #latest: Promise<Survey> | null = null;
  #readAt = -Infinity;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Rejects where Postgres is unavailable; the next call reads again. */
  async read(): Promise<Survey> {
    if (this.#latest === null || performance.now() - this.#readAt > KEPT_MS) {
      this.#readAt = performance.now();
      this.#latest = this.#look();
    }
    try {
      return await this.#latest;
    } catch (error) {
      this.#latest = null;
      throw error;
    }
  }

  async #look(): Promise<Survey> {
    const { db } = this.#ctx;
    const now = this.#ctx.systemNow();
    // One after another: a scrape takes one connection of the pool, not all.
    const open = await run(db, openPayments, []);
    const ended = await run(db, endedPayments, []);
    return {
      payments: [...open, ...ended],
      endpoints: (await runOne(db, endpoints, { now })) ?? { open: 0, disabled: 0 },
      turns: (await runOne(db, turns, { now })) ?? { count: 0, seconds: 0 },
      networks: (await run(db, networks, { now })).map((row) => this.#ageOf(row)),
      partitions: await run(db, partitions, { now }),
    };
  }

  /** A head has no time in the database: its age counts from when this process first saw it. */
  #ageOf({ network, head, late_seconds: lateSeconds }: NetworkRow): NetworkAge {
    const known = this.#heads.get(network);
    const since = known?.head === head ? known.since : performance.now();
    this.#heads.set(network, { head, since });
    return { network, ageSeconds: (performance.now() - since) / 1000, lateSeconds };
  }
}
