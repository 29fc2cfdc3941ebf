import { DEFAULT_LIMIT, type PageQuery } from '../api/schemas.ts';
import { foundOr } from '../api/errors.ts';
import { pageOf, parseCursor } from '../api/pages.ts';
import { recordChange } from '../audit/record.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { isToken } from '../../platform/values/cells.ts';
import { idPattern, isId } from '../../platform/values/ids.ts';
import type { Mode } from '../api/endpoint.ts';
import { STORED_APPEARANCE, type StoredAppearance } from '../checkout/view/appearance.ts';
import { toLink, type Link } from './link.ts';
import type { LinkList } from './schemas.ts';

const insert = sql<never, { link: string }>(
  'insert_link',
  (p) => `
    INSERT INTO payment_links (id, merchant_id, token, title, description, prices, open_amount,
      price_currency, fields, max_uses, stock, expiration_minutes, success_url, thank_you,
      expires_at, created_at)
    SELECT id, merchant_id, token, title, description, prices, open_amount,
      price_currency, fields, max_uses, stock, expiration_minutes, success_url, thank_you,
      expires_at, created_at
    FROM json_to_record(${p.link}::json) AS l (
      id text, merchant_id text, token text, title text, description text, prices json, open_amount json,
      price_currency text, fields json, max_uses integer, stock integer, expiration_minutes integer,
      success_url text, thank_you text, expires_at timestamptz, created_at timestamptz)`,
);

/** Stores a new link. */
export async function insertLink(tx: Tx, link: Link): Promise<void> {
  await run(tx, insert, { link: JSON.stringify(link) });
}

/** Writes down who created or closed a link, in the transaction that does, last. */
export async function noteLink(
  ctx: Context,
  tx: Tx,
  command: string,
  { id: link_id, merchant_id }: Link,
): Promise<void> {
  await recordChange(ctx, tx, command, { merchant_id, link_id });
}

const ofMerchant = sql<Link, { merchantId: string; id: string }>(
  'link_of_merchant',
  (p) => `SELECT * FROM payment_links WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
);

/** A merchant's link. Throws ApiError link_not_found. */
export async function readLink(connection: Connection, merchantId: string, id: string): Promise<Link> {
  return foundOr(
    'link_not_found',
    isId('lnk', id) ? await runOne(connection, ofMerchant, { merchantId, id }) : null,
  );
}

const archive = sql<Link, { merchantId: string; id: string; now: Date }>(
  'archive_link',
  (p) => `
    UPDATE payment_links SET archived_at = coalesce(archived_at, ${p.now})
    WHERE id = ${p.id} AND merchant_id = ${p.merchantId} RETURNING *`,
);

/**
 * Closes a link for good, and writes down who did; again it is as it was. Throws ApiError link_not_found.
 */
export async function closeLink(ctx: Context, tx: Tx, merchantId: string, id: string): Promise<Link> {
  const now = ctx.now();
  const found = isId('lnk', id) ? await runOne(tx, archive, { merchantId, id, now }) : null;
  const link = foundOr('link_not_found', found);
  if (link.archived_at?.getTime() === now.getTime()) await noteLink(ctx, tx, 'payment link archived', link);
  return link;
}

/** A link as its page needs it. */
export interface ShownLink extends Link {
  readonly merchant_name: string;
  readonly merchant_mode: Mode;
  readonly settlement_currency: string;
  readonly is_suspended: boolean;
  readonly appearance: StoredAppearance | null;
}

const byToken = sql<ShownLink, { token: string }>(
  'link_of_token',
  (p) => `
    SELECT l.*, m.name AS merchant_name, m.mode AS merchant_mode, m.settlement_currency,
      m.suspended_at IS NOT NULL AS is_suspended, ${STORED_APPEARANCE} AS appearance
    FROM payment_links l JOIN merchants m ON m.id = l.merchant_id
      LEFT JOIN merchant_faces f ON f.merchant_id = m.id
    WHERE l.token = ${p.token}`,
);

/** The link that a public token opens; null: there is none. */
export async function findLink(connection: Connection, token: string): Promise<ShownLink | null> {
  return isToken(token) ? runOne(connection, byToken, { token }) : null;
}

/** Above every id: "~" is the last printable character of ASCII. */
const AFTER_ALL = '~';

// Served by payment_links_of_merchant.
const pageOfLinks = sql<Link, { merchantId: string; before: string; limit: number }>(
  'page_of_links',
  (p) => `
    SELECT * FROM payment_links WHERE merchant_id = ${p.merchantId} AND id < ${p.before}
    ORDER BY id DESC LIMIT ${p.limit}`,
);

/** One page of a merchant's links, newest first. Throws ValidationError for a cursor of another list. */
export async function listLinks(
  connection: Connection,
  merchantId: string,
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  { publicUrl, now }: { publicUrl: string; now: Date },
): Promise<LinkList> {
  const before = parseCursor(cursor, { id: idPattern('lnk') })?.id ?? AFTER_ALL;
  const rows = await run(connection, pageOfLinks, { merchantId, before, limit: limit + 1 });
  const { shown, pagination } = pageOf(rows, limit, ({ id }) => [id]);
  return { data: shown.map((link) => toLink(link, publicUrl, now)), pagination };
}

const totals = sql<LinkTotals, { merchantId: string; id: string; most: number }>(
  'totals_of_link',
  (p) => `
    SELECT count(*)::int AS payments, coalesce(sum(amount_received), 0)::text AS received,
      coalesce(sum(amount_refunded), 0)::text AS refunded
    FROM (
      SELECT amount_received, amount_refunded FROM payments
      WHERE merchant_id = ${p.merchantId} AND order_id = ${p.id} AND link_id = ${p.id}
        AND settled_at IS NOT NULL
      LIMIT ${p.most}
    ) settled`,
);

/** Beyond this, only so many are summed. */
export const MOST_SUMMED = 10_000;

/** What a link has taken, of its payments that were settled, in the settlement coin. */
export interface LinkTotals {
  readonly payments: number;
  readonly received: string;
  readonly refunded: string;
}

/** Sums what a link has taken, of at most `MOST_SUMMED` payments, by the index of orders. */
export async function readTotals(
  connection: Connection,
  { merchant_id: merchantId, id }: Link,
): Promise<LinkTotals> {
  const none = { payments: 0, received: '0', refunded: '0' };
  return (await runOne(connection, totals, { merchantId, id, most: MOST_SUMMED })) ?? none;
}
