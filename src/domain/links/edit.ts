import { ValidationError } from '../api/errors.ts';
import { recordChange } from '../audit/record.ts';
import type { Context } from '../../platform/context.ts';
import { runOne, sql, type Tx } from '../../platform/postgres/db.ts';
import { isId } from '../../platform/values/ids.ts';
import { checkPrices, checkEnd } from './new-link.ts';
import type { Link } from './link.ts';
import { MAX_COUNT, type UpdateLinkBody } from './schemas.ts';
import { readLink } from './store.ts';

const lockLink = sql<never, { merchantId: string; id: string }>(
  'lock_link_of_merchant',
  (p) => `
    SELECT FROM payment_links WHERE id = ${p.id} AND merchant_id = ${p.merchantId} FOR NO KEY UPDATE`,
);

const update = sql<Link, { id: string; change: string }>(
  'update_link',
  (p) => `
    UPDATE payment_links l SET title = c.title, description = c.description, prices = c.prices,
      stock = c.stock, max_uses = c.max_uses, expires_at = c.expires_at, paused_at = c.paused_at
    FROM json_to_record(${p.change}::json) AS c (
      title text, description text, prices json, stock integer, max_uses integer,
      expires_at timestamptz, paused_at timestamptz)
    WHERE l.id = ${p.id} RETURNING l.*`,
);

/** What can be changed of a link. */
const CHANGED = ['title', 'description', 'prices', 'stock', 'max_uses', 'expires_at', 'paused_at'] as const;

/**
 * Changes a merchant's link, and writes down who did, with what was before. Its payments keep what they cost.
 * Under the lock of the link's row, for which a buyer waits as well: no count can be set below what was taken
 * meanwhile. Throws ApiError link_not_found, and ValidationError for what no schema says.
 */
export async function editLink(
  ctx: Context,
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  body: UpdateLinkBody,
): Promise<Link> {
  if (isId('lnk', id)) await runOne(tx, lockLink, { merchantId, id });
  const before = await readLink(tx, merchantId, id);
  const wanted = changedLink(before, body, ctx.now());
  const after = (await runOne(tx, update, { id, change: JSON.stringify(wanted) })) ?? wanted;
  const details = { link_id: id, before: shownOf(before), after: shownOf(after) };
  await recordChange(ctx, tx, 'payment link changed', { merchant_id: merchantId, ...details });
  return after;
}

const shownOf = (link: Link) => Object.fromEntries(CHANGED.map((name) => [name, link[name]]));

function changedLink(link: Link, body: UpdateLinkBody, now: Date): Link {
  const { title, description, prices, expires_at, is_active } = body;
  if (prices !== undefined) checkNewPrices(link, prices);
  if (expires_at !== undefined && expires_at !== null) checkEnd(expires_at, now);
  return {
    ...link,
    title: title ?? link.title,
    description: description === undefined ? link.description : description,
    prices: prices ?? link.prices,
    stock: stockOf(link, body),
    max_uses: countOf(link, 'max_uses', body.max_uses),
    ...(expires_at === undefined ? {} : { expires_at: expires_at === null ? null : new Date(expires_at) }),
    ...(is_active === undefined ? {} : { paused_at: is_active ? null : (link.paused_at ?? now) }),
  };
}

function checkNewPrices(link: Link, prices: NonNullable<Link['prices']>): void {
  if (link.prices === null)
    throw new ValidationError('prices', 'not', 'cannot be set: customers choose the amount');
  checkPrices(prices, link.price_currency);
}

function stockOf(link: Link, { stock, stock_change: change }: UpdateLinkBody): number | null {
  if (change === undefined) return countOf(link, 'stock', stock);
  if (stock !== undefined) throw new ValidationError('stock_change', 'not', 'cannot be combined with stock');
  if (link.stock === null) throw new ValidationError('stock_change', 'not', 'needs a stock: set one first');
  const [wanted, least] = [link.stock + change, Math.max(1, link.taken)];
  if (wanted < Math.min(least, link.stock))
    throw new ValidationError(
      'stock_change',
      'minimum',
      `must leave ${least}, of which ${link.taken} are taken`,
    );
  // As a stock that is set.
  if (change > 0 && wanted > MAX_COUNT)
    throw new ValidationError('stock_change', 'maximum', `must leave ${MAX_COUNT} or less`);
  return wanted;
}

/** A count may be set to what is taken, but not below. */
function countOf(link: Link, name: 'stock' | 'max_uses', wanted: number | null | undefined): number | null {
  const before = link[name];
  if (wanted === undefined || wanted === null) return wanted === null ? null : before;
  if (wanted < link.taken && wanted < (before ?? Infinity))
    throw new ValidationError(name, 'minimum', `must be ${link.taken} or more: so many are taken`);
  return wanted;
}
