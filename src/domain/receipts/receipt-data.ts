import { mailAddressOf } from '../checkout/markup/links.ts';
import { LOGO, type Logo } from '../checkout/view/appearance.ts';
import { isNetwork } from '../chain/networks.ts';
import { chainsOf } from '../chain/profile.ts';
import { HASH_OF } from '../chain/transaction-hashes.ts';
import { isRefunded, type Status } from '../payments/lifecycle/states.ts';
import { checkoutUrl } from '../payments/schemas.ts';
import { writtenLike } from '../../platform/values/money.ts';
import { runOne, sql, type Db } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Mode } from '../api/endpoint.ts';
import type { CheckoutPrice } from '../../sdk/event-types.ts';
import type { ReceiptData } from './template.ts';
import { IS_COMPLETED } from '../payments/refunds/states.ts';

interface ReceiptDataRow {
  readonly type: string;
  readonly at: Date;
  readonly status: Status;
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  readonly merchant_id: string;
  readonly support_url: string | null;
  readonly logo: Logo | null;
  readonly payment_id: string;
  readonly token_id: string;
  readonly customer_email: string | null;
  readonly language: string | null;
  readonly order_id: string;
  readonly order_description: string | null;
  readonly pay_amount: string;
  readonly price: CheckoutPrice | null;
  readonly pay_currency: string;
  readonly actually_paid: string | null;
  readonly actually_paid_currency: string | null;
  readonly refund_address: string | null;
  readonly refund_amount: string | null;
  readonly refund_coin: string | null;
  readonly refund_coin_amount: string | null;
  readonly refund_network: string | null;
  readonly refund_hash: string | null;
  readonly refunded_so_far: string | null;
  readonly transfers: readonly { network: string; hash: string }[];
}

// The state at the event, however late the mail is: later transfers and refunds have receipts of their own.
const receiptDataOfEvent = sql<ReceiptDataRow, { eventId: string }>(
  'receipt_data_of_event',
  (p) => `
  SELECT e.type, e.created_at AS at, e.body::json #>> '{data,checkout,status}' AS status,
    coalesce(f.name, m.name) AS merchant_name, m.mode AS merchant_mode, p.merchant_id,
    f.support_url, ${LOGO} AS logo,
    p.id AS payment_id, p.token_id, p.customer_email, p.language, p.order_id, p.order_description,
    p.pay_amount, p.price, p.pay_currency, p.actually_paid, p.actually_paid_currency,
    r.amount AS refund_amount, r.coin AS refund_coin, r.coin_amount AS refund_coin_amount,
    r.network AS refund_network, r.tx_hash AS refund_hash, r.address AS refund_address,
    so_far.refunded_so_far, seen.transfers
  FROM events e
    JOIN payments p ON p.id = e.payment_id
    JOIN merchants m ON m.id = p.merchant_id
    LEFT JOIN merchant_faces f ON f.merchant_id = m.id
    LEFT JOIN refunds r ON r.id = e.body::json #>> '{data,refund,id}'
    CROSS JOIN LATERAL (
      SELECT sum(o.amount::numeric) AS refunded_so_far
      FROM refunds o
      WHERE o.payment_id = p.id AND ${IS_COMPLETED('o')}
        AND (o.completed_at, o.place) <= (r.completed_at, r.place)
    ) so_far
    CROSS JOIN LATERAL (
      SELECT coalesce(
        json_agg(json_build_object('network', t.network, 'hash', t.tx_hash) ORDER BY t.place), '[]'
      ) AS transfers
      FROM (
        SELECT network, tx_hash, min(place) AS place
        FROM transfers
        WHERE payment_id = p.id AND dropped_at IS NULL AND confirmed_at <= e.created_at
          AND ${HASH_OF('tx_hash')} IS NOT NULL
        GROUP BY network, tx_hash ORDER BY place LIMIT 10
      ) t
    ) seen
  WHERE e.id = ${p.eventId}`,
);

/** What mails to customers depend on. */
export type MailConfig = Pick<
  Config,
  'publicUrl' | 'simulateLive' | 'chainProfile' | 'testnetTokens' | 'explorers'
>;

/** What a mail says, and to whom. */
export interface AddressedMail {
  readonly to: string;
  /** Null: unknown. */
  readonly language: string | null;
  readonly merchantId: string;
  readonly receipt: ReceiptData;
}

/** The receipt of an event; null when the customer has no address. */
export async function readReceipt(
  db: Db,
  eventId: string,
  config: MailConfig,
): Promise<AddressedMail | null> {
  const row = await runOne(db, receiptDataOfEvent, { eventId });
  if (row === null || row.customer_email === null) return null;
  const { customer_email: to, language, merchant_id: merchantId } = row;
  return { to, language, merchantId, receipt: toReceipt(row, config) };
}

/** Returns what a payment asks for, and the price in money of which that was converted. */
export const askedOf = (payment: Pick<ReceiptDataRow, 'pay_amount' | 'pay_currency' | 'price'>) => ({
  total: `${payment.pay_amount} ${payment.pay_currency}`,
  price: payment.price && `${payment.price.amount} ${payment.price.currency}`,
});

function toReceipt(row: ReceiptDataRow, config: MailConfig): ReceiptData {
  const chains = chainsOf(config, row.merchant_mode);
  const nameOf = (network: string) => (isNetwork(network) ? chains.nameOf(network) : network);
  const explorers: Readonly<Record<string, string>> = { ...chains.explorers, ...config.explorers };
  const linked = ({ network, hash }: { network: string; hash: string }) => ({
    hash,
    url: explorers[network]?.replace('{tx}', () => encodeURIComponent(hash)) ?? null,
  });
  const { pay_amount, pay_currency } = row;
  const inSettlementCoin = (amount: string) => `${writtenLike(amount, pay_amount)} ${pay_currency}`;
  return {
    merchantName: row.merchant_name,
    isTest: chains.isTest,
    supportUrl: row.support_url,
    replyTo: mailAddressOf(row.support_url),
    logo: row.logo,
    paymentId: row.payment_id,
    orderId: row.order_id,
    description: row.order_description,
    ...askedOf(row),
    at: row.at,
    pageUrl: checkoutUrl(row.token_id, config.publicUrl),
    ...(row.refund_amount === null
      ? {
          kind: 'paid',
          paid: row.actually_paid === null ? null : `${row.actually_paid} ${row.actually_paid_currency}`,
          networks: [...new Set(row.transfers.map(({ network }) => nameOf(network)))],
          transactions: row.transfers.map(linked),
        }
      : {
          kind: isRefunded(row.status) ? 'refunded' : 'refundedInPart',
          sentBack: inSettlementCoin(row.refund_amount),
          sentAs: row.refund_coin === pay_currency ? null : `${row.refund_coin_amount} ${row.refund_coin}`,
          sentBackSoFar: inSettlementCoin(row.refunded_so_far ?? row.refund_amount),
          sentTo: row.refund_address,
          networks: row.refund_network === null ? [] : [nameOf(row.refund_network)],
          transactions:
            row.refund_hash === null || row.refund_network === null
              ? []
              : [linked({ network: row.refund_network, hash: row.refund_hash })],
        }),
  };
}
