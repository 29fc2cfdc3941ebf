import { run, sql, type Connection, type Placeholders } from '../../platform/postgres/db.ts';
import { displayedAddress } from '../chain/addresses.ts';
import { NETWORK_IDS } from '../chain/networks.ts';
import { RESOURCE_COLUMNS, toResource, type PaymentResource, type ResourceRow } from './schemas.ts';

/** By which of its texts a payment was found. */
export const FOUND_BY = ['id', 'link', 'address', 'transaction', 'order', 'email', 'metadata'] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** More than a person looks through: who searches types more. */
export const MAX_FOUND = 50;
/** One more says that there is more. In the text: for a parameter Postgres expects a tenth of all. */
const MAX_READ = MAX_FOUND + 1;
/** A value of metadata has at most 500 characters. */
export const MAX_SEARCH_LENGTH = 500;

/** What a search has found, what fits exactly first, then the newest. */
export interface SearchResult {
  readonly found: readonly { readonly by: FoundBy; readonly payment: PaymentResource }[];
  /** There is more than is shown. */
  readonly hasMore: boolean;
}

/**
 * Returns the payments of a merchant that `text` is the id, the link, an address or a transaction of, or with
 * whose order id, mail address or a value of whose metadata begins with it; the case of ASCII letters is the
 * same. Each kind is a range of an index, of which at most MAX_FOUND + 1 rows are read: what it costs depends
 * on neither the number of payments nor what is searched for (decision 158).
 */
export async function searchPayments(
  connection: Connection,
  merchantId: string,
  text: string,
  publicUrl: string,
): Promise<SearchResult> {
  const asked = text.trim();
  // Postgres rejects NUL, and a lone surrogate: no payment has either.
  if (asked === '' || asked.length > MAX_SEARCH_LENGTH || asked.includes('\0') || !asked.isWellFormed())
    return { found: [], hasMore: false };
  const low = foldAscii(asked);
  const rows = await run(connection, foundPayments, {
    merchantId,
    text: asked,
    token: tokenOf(asked, publicUrl),
    addresses: addressesOf(asked),
    hashes: hashesOf(asked),
    low,
    high: `${low}${LAST_CHARACTER}`,
  });
  return {
    found: rows
      .slice(0, MAX_FOUND)
      .map(({ found_by: by, ...row }) => ({ by, payment: toResource(row, publicUrl) })),
    hasMore: rows.length > MAX_FOUND,
  };
}

/** Behind all that begins with a text, in the order of UTF-8. */
const LAST_CHARACTER = '\u{10FFFF}';

/** As lower(... COLLATE "C") folds. */
const foldAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The token of a pasted link; the text itself elsewhere. */
function tokenOf(text: string, publicUrl: string): string {
  const page = `${publicUrl}/checkout/`;
  return text.startsWith(page) ? (text.slice(page.length).split(/[?#/]/, 1)[0] ?? '') : text;
}

/** Wallets and explorers write hex in either case, with a checksum or without. */
const addressesOf = (text: string): string[] => [
  ...new Set([
    text,
    text.toLowerCase(),
    ...NETWORK_IDS.map((one) => displayedAddress(one, text.toLowerCase())),
  ]),
];

function hashesOf(text: string): string[] {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text) ?? [];
  return digits === undefined ? [text] : [digits.toLowerCase(), `0x${digits.toLowerCase()}`];
}

interface Search {
  readonly merchantId: string;
  readonly text: string;
  readonly token: string;
  readonly addresses: readonly string[];
  readonly hashes: readonly string[];
  readonly low: string;
  readonly high: string;
}

const NETWORKS = NETWORK_IDS.map((network) => `'${network}'`).join(', ');

/** What people remember of a payment, and the rows in which it stands. */
interface Texts {
  readonly by: FoundBy;
  readonly id: string;
  readonly term: string;
  readonly source: string;
}
const TEXTS: readonly Texts[] = [
  { by: 'order', id: 'id', term: `lower(order_id COLLATE "C")`, source: 'payments WHERE' },
  {
    by: 'email',
    id: 'id',
    term: `lower(customer_email COLLATE "C")`,
    source: 'payments WHERE customer_email IS NOT NULL AND',
  },
  { by: 'metadata', id: 'payment_id', term: 'term', source: 'payment_terms WHERE' },
];

/**
 * SQL: the payment `m` of a key. OFFSET 0: where Postgres believes that the merchant has few payments, it
 * would read all of them and look for the key among them.
 */
const paymentOf = (key: string) => `(SELECT id, merchant_id FROM payments WHERE ${key} OFFSET 0) m`;

/**
 * SQL: what begins with the text, from `last` back in the order of an index of merchant, `term` and `id`, so
 * that the newest of a term is read first: the rows before it, of which those that do not begin so are left
 * out afterwards. Postgres must not know that the range is narrow, nor, for the subquery, whose it is: what
 * it expects to be few it collects and sorts, and the one merchant of whom it expects few has many.
 */
const backFrom = (p: Placeholders<Search>, { by, id, term, source }: Texts, last: 'low' | 'high') => `
        SELECT id, '${by}', term = ${p.low} FROM (
          SELECT merchant_id, ${term} AS term, ${id} AS id FROM ${source}
            (merchant_id, ${term}) <= ((SELECT ${p.merchantId}::text), ${p[last]})
          ORDER BY merchant_id DESC, ${term} DESC, ${id} DESC LIMIT ${MAX_READ}) back
        WHERE merchant_id = ${p.merchantId} AND term >= ${p.low}`;

/** SQL: what is the text, and what else begins with it: neither takes the place of the other. */
const beginning = (p: Placeholders<Search>, texts: Texts) =>
  `(${backFrom(p, texts, 'low')}
      ) UNION ALL (${backFrom(p, texts, 'high')}
      )`;

// Each branch is bounded by itself, in the order of its index: payments_pkey, payments_token_id_key,
// quotes_by_address, transfers_by_hash, refunds_by_transaction, payments_by_order_folded, payments_by_email,
// payment_terms_pkey.
const foundPayments = sql<ResourceRow & { found_by: FoundBy }, Search>(
  'found_payments',
  (p) => `
    WITH found AS (
      SELECT id, 'id' AS found_by, true AS is_exact FROM ${paymentOf(`id = ${p.text}`)}
      WHERE merchant_id = ${p.merchantId}
      UNION ALL
      SELECT id, 'link', true FROM ${paymentOf(`token_id = ${p.token}`)} WHERE merchant_id = ${p.merchantId}
      UNION ALL (
        SELECT m.id, 'address', true FROM quotes q CROSS JOIN LATERAL ${paymentOf('id = q.payment_id')}
        WHERE q.address = ANY (${p.addresses}) AND m.merchant_id = ${p.merchantId} LIMIT ${MAX_READ}
      ) UNION ALL (
        SELECT m.id, 'transaction', true FROM transfers t CROSS JOIN LATERAL ${paymentOf('id = t.payment_id')}
        WHERE t.network IN (${NETWORKS}) AND t.tx_hash = ANY (${p.hashes})
          AND m.merchant_id = ${p.merchantId}
        LIMIT ${MAX_READ}
      ) UNION ALL (
        SELECT m.id, 'transaction', true FROM refunds r CROSS JOIN LATERAL ${paymentOf('id = r.payment_id')}
        WHERE r.tx_hash = ANY (${p.hashes}) AND m.merchant_id = ${p.merchantId} LIMIT ${MAX_READ}
      ) UNION ALL ${TEXTS.map((texts) => beginning(p, texts)).join(' UNION ALL ')}
    )
    SELECT once.found_by, ${RESOURCE_COLUMNS.map((column) => `payments.${column}`).join(', ')}
    FROM (SELECT DISTINCT ON (id) id, found_by, is_exact FROM found ORDER BY id, is_exact DESC) once
      JOIN payments USING (id)
    ORDER BY once.is_exact DESC, payments.created_at DESC, id DESC LIMIT ${MAX_READ}`,
);
