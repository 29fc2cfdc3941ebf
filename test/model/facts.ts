import { dispatchEvent } from '../../src/domain/outbox/jobs.ts';
import type { Context } from '../../src/platform/context.ts';
import { sql } from '../../src/platform/postgres/db.ts';

/** A transfer as the service stores it; amounts are decimal strings. */
export interface TransferFact {
  readonly hash: string;
  readonly method: string;
  readonly amount: string;
  readonly credit: string;
  readonly locked_amount: string;
  readonly locked_credit: string;
  readonly converted: string;
  readonly returned: string;
  readonly confirmed: boolean;
  readonly dropped: boolean;
  readonly lapsed: boolean;
}

export interface RefundFact {
  readonly method: string;
  readonly source: string;
  readonly coins: string;
  readonly credit: string;
  readonly status: string;
}

export interface ConversionFact {
  readonly method: string;
  readonly amount: string;
  readonly credit: string;
  readonly status: string;
}

/** The service's own view of a payment, in one row. */
export interface Facts {
  readonly status: string;
  readonly sequence: number;
  readonly exceptions: string[];
  readonly received: string;
  readonly refunded: string;
  readonly settled: boolean;
  readonly paid: string | null;
  readonly paid_currency: string | null;
  /** Mode, coin, network and amount of a payment that settled in what came. */
  readonly settled_as: string | null;
  readonly events: readonly {
    sequence: number;
    event: string;
    payment: { txHash: string | null; network: string; confirmations: number; requiredConfirmations: number };
    transfer: { coin: string; network: string; amount: string; credit: string } | null;
  }[];
  /** Oldest first. */
  readonly transfers: readonly TransferFact[];
  readonly refunds: readonly RefundFact[];
  /** The balance of each coin on a network and account that is not zero. */
  readonly balances: Readonly<Record<string, string>>;
  readonly conversions: readonly ConversionFact[];
  readonly due: number;
  readonly planned: number;
}

export const readFacts = sql<Facts, { id: string; now: Date }>(
  'model_facts',
  (p) => `SELECT status, sequence, exceptions, amount_received::text AS received,
     amount_refunded::text AS refunded, settled_at IS NOT NULL AS settled, actually_paid AS paid,
     actually_paid_currency AS paid_currency,
     CASE WHEN settled_at IS NOT NULL AND settlement_mode <> 'simulated' THEN concat_ws(' ', settlement_mode,
       coalesce(settlement_coin, 'null'), coalesce(settlement_network, 'null'),
       coalesce(trim_scale(settlement_amount::numeric)::text, 'null')) END AS settled_as,
     (SELECT json_agg(json_build_object('sequence', e.sequence,
        'event', replace(e.type, 'checkout.', '') || ' ' || (e.body::json #>> '{data,checkout,status}'),
        'payment', e.body::json #> '{data,payment}',
        'transfer', e.body::json #> '{data,transfer}') ORDER BY e.sequence)
        FROM events e WHERE e.payment_id = p.id) AS events,
     (SELECT coalesce(json_agg(json_build_object('method', t.coin || ' ' || t.network,
        'hash', t.tx_hash, 'amount', t.amount::text, 'credit', t.credit::text, 'locked_amount', t.locked_amount::text,
        'locked_credit', t.locked_credit::text, 'converted', t.converted::text,
        'returned', t.returned::text, 'confirmed', t.confirmed_at IS NOT NULL,
        'dropped', t.dropped_at IS NOT NULL,
        'lapsed', t.lapsed_at IS NOT NULL) ORDER BY t.seen_at, t.place), '[]')
        FROM transfers t WHERE t.payment_id = p.id) AS transfers,
     (SELECT coalesce(json_agg(json_build_object('method', r.coin || ' ' || r.network, 'source', r.source,
        'coins', r.coin_amount::text, 'credit', r.amount::text, 'status', r.status)), '[]')
        FROM refunds r WHERE r.payment_id = p.id) AS refunds,
     (SELECT coalesce(json_object_agg(account, total::text), '{}') FROM (
        SELECT account, sum(amount) AS total FROM (
          SELECT coin || ' ' || network || ' ' || to_account AS account, amount
            FROM ledger_entries WHERE payment_id = p.id
          UNION ALL SELECT coin || ' ' || network || ' ' || from_account, -amount
            FROM ledger_entries WHERE payment_id = p.id) sides
        GROUP BY account HAVING sum(amount) <> 0) a) AS balances,
     (SELECT coalesce(json_agg(json_build_object('method', c.coin || ' ' || c.network,
        'amount', c.amount::text, 'credit', c.credit::text, 'status', c.status)), '[]')
        FROM conversions c WHERE c.payment_id = p.id) AS conversions,
     (SELECT count(*)::int FROM scheduled_jobs WHERE test_clock = p.id AND run_at <= ${p.now}) AS due,
     (SELECT count(*)::int FROM scheduled_jobs WHERE test_clock = p.id) AS planned
   FROM payments p WHERE id = ${p.id}`,
);

/** Prevents dispatch: the model has no webhooks, and they would take a fifth of the time. */
export async function disableWebhooks({ db }: Context): Promise<void> {
  await db.raw(`
    CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER no_webhooks BEFORE INSERT ON scheduled_jobs FOR EACH ROW WHEN (NEW.job = '${dispatchEvent.name}')
      EXECUTE FUNCTION skip()`);
}
