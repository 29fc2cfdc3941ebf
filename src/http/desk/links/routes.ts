import { ApiError, ValidationError } from '../../../domain/api/errors.ts';
import { getValidator } from '../../../domain/api/validator.ts';
import { editLink } from '../../../domain/links/edit.ts';
import { toLink, type Link } from '../../../domain/links/link.ts';
import { newLink } from '../../../domain/links/new-link.ts';
import { CreateLinkBody, UpdateLinkBody, type ListLinksQuery } from '../../../domain/links/schemas.ts';
import {
  closeLink,
  insertLink,
  listLinks,
  noteLink,
  readLink,
  readTotals,
} from '../../../domain/links/store.ts';
import { findMerchant } from '../../../domain/merchants/api-keys.ts';
import { acting, DESK_PER_MINUTE, type AtMerchant, type DeskReply, type DeskRoute } from '../shell/route.ts';
import { changeOf, creationOf } from './entered.ts';
import { linkPage } from './link-page.ts';
import { linksPage, linksPath, NEW_FIELDS, type NewFields } from './list-page.ts';

const PATH = '/dashboard/:merchant/links';

/** The payment links of a merchant: what `/v1/links` does, as pages and forms. */
export const linkPageRoutes: readonly DeskRoute[] = [
  {
    name: 'payment links',
    method: 'get',
    path: PATH,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) =>
      showAll(
        visit,
        enteredBy(() => ''),
        null,
      ),
  },
  {
    name: 'create payment link',
    method: 'post',
    path: PATH,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    handle: create,
  },
  {
    name: 'payment link',
    method: 'get',
    path: `${PATH}/:link`,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => orMissing(async () => showOne(visit, await own(visit), null)),
  },
  {
    name: 'change payment link',
    method: 'post',
    path: `${PATH}/:link`,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => orMissing(async () => change(visit, await own(visit))),
  },
  {
    name: 'archive payment link',
    method: 'post',
    path: `${PATH}/:link/archive`,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) =>
      orMissing(async () => {
        const { ctx, merchant, params } = visit;
        const { id } = await ctx.db.transaction((tx) =>
          closeLink(acting(visit), tx, merchant.merchant_id, params.link ?? ''),
        );
        return { to: `${linksPath(visit)}/${id}?said=saved` };
      }),
  },
];

const own = ({ ctx, merchant, params }: AtMerchant): Promise<Link> =>
  readLink(ctx.db, merchant.merchant_id, params.link ?? '');

async function orMissing(work: () => Promise<DeskReply>): Promise<DeskReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'link_not_found') return 'missing';
    throw error;
  }
}

const enteredBy = (read: (name: string) => string): NewFields =>
  Object.fromEntries(NEW_FIELDS.map((name) => [name, read(name).trim()])) as NewFields;

async function create(visit: AtMerchant): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const entered = enteredBy(visit.field);
  try {
    const check = getValidator({ allowPrivate: ctx.config.allowPrivateNetworks });
    const body = check.compile(CreateLinkBody, 'body')(creationOf(visit, entered));
    const link = newLink(body, ctx.config, merchant.merchant_id, ctx.now());
    await ctx.db.transaction(async (tx) => {
      await insertLink(tx, link);
      await noteLink(acting(visit), tx, 'payment link created', link);
    });
    return { to: `${linksPath(visit)}/${link.id}?said=created` };
  } catch (error) {
    if (error instanceof ValidationError) return showAll(visit, entered, error.message);
    throw error;
  }
}

async function change(visit: AtMerchant, link: Link): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  try {
    const shown = toLink(link, ctx.config.publicUrl, ctx.now());
    const body = getValidator({ allowPrivate: ctx.config.allowPrivateNetworks }).compile(
      UpdateLinkBody,
      'body',
    )(changeOf(visit, shown));
    const named = { merchantId: merchant.merchant_id, id: link.id };
    await ctx.db.transaction((tx) => editLink(acting(visit), tx, named, body));
    return { to: `${linksPath(visit)}/${link.id}?said=saved` };
  } catch (error) {
    if (error instanceof ValidationError) return showOne(visit, link, error.message);
    throw error;
  }
}

const coinOf = async ({ ctx, merchant }: AtMerchant): Promise<string> =>
  (await findMerchant(ctx.db, merchant.merchant_id))?.settlementCurrency ?? '';

async function showAll(visit: AtMerchant, entered: NewFields, fault: string | null): Promise<DeskReply> {
  const { ctx, merchant, query } = visit;
  const cursor = query.get('cursor');
  const asked: ListLinksQuery = cursor === null ? {} : { cursor };
  const at = { publicUrl: ctx.config.publicUrl, now: ctx.now() };
  const list = await listLinks(ctx.db, merchant.merchant_id, asked, at).catch((error: unknown) => {
    if (error instanceof ValidationError) return null;
    throw error;
  });
  if (list === null) return 'missing';
  const { data: links, pagination } = list;
  return linksPage(visit, { links, next: pagination.next_cursor, coin: await coinOf(visit), entered, fault });
}

async function showOne(visit: AtMerchant, link: Link, fault: string | null): Promise<DeskReply> {
  const { ctx } = visit;
  const shown = toLink(link, ctx.config.publicUrl, ctx.now());
  const totals = await readTotals(ctx.db, link);
  return linkPage(visit, { link: shown, totals, coin: await coinOf(visit), fault });
}
