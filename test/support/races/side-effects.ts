import type { Adapters } from '../../../src/domain/adapters.ts';
import { run, sql, type Db } from '../../../src/platform/postgres/db.ts';

/** What left the service during a race, and what its rows know of that. */
export interface SideEffects {
  /** Record what they are asked for. */
  readonly adapters: Adapters;
  /** What was asked for since the last call of `forget`, in order of its text. */
  readonly asked: readonly string[];
  /** The ids of the events that left since then, one for each request. */
  readonly events: readonly string[];
  forget(): void;
  /** Returns what was asked for, and no row knows. */
  unknownTo(db: Db): Promise<string[]>;
}

const known = sql<{ what: string }>(
  'test_known_effects',
  `SELECT format('payout %s of %s %s', id, coin_amount::numeric::text, coin) AS what
   FROM refunds WHERE status = 'COMPLETED'
   UNION ALL
   SELECT format('conversion %s/%s of %s %s', payment_id, number, amount::numeric::text, coin)
   FROM conversions WHERE status = 'CONVERTED'`,
);

/**
 * Records payouts and conversions: what was asked for once is done, and must be booked whatever happens. Of
 * webhooks it records each request that leaves.
 */
export function recordEffects(adapters: Adapters): SideEffects {
  const asked = new Set<string>();
  const events: string[] = [];
  const { payouts, exchange, webhooks } = adapters;
  const record = (what: string, reference: string, amount: string, coin: string) =>
    void asked.add(`${what} ${reference} of ${Number(amount)} ${coin}`);
  return {
    adapters: {
      ...adapters,
      payouts: {
        request(payout) {
          record('payout', payout.reference, payout.amount, payout.currency);
          return payouts.request(payout);
        },
      },
      webhooks: {
        ...webhooks,
        post(url, headers, body) {
          events.push(headers['webhook-id'] ?? '');
          return webhooks.post(url, headers, body);
        },
      },
      exchange: {
        convert(conversion) {
          record('conversion', conversion.reference, conversion.paid, conversion.paidCurrency);
          return exchange.convert(conversion);
        },
      },
    },
    get asked() {
      return [...asked].sort();
    },
    events,
    forget() {
      asked.clear();
      events.length = 0;
    },
    async unknownTo(db) {
      const rows = (await run(db, known, [])).map(({ what }) => what.replace(/[\d.]+(?= \w+$)/, normal));
      return [...asked].filter((what) => !rows.includes(what)).map((what) => `no row knows the ${what}`);
    },
  };
}

const normal = (amount: string): string => String(Number(amount));
