import { editLink } from '../../../domain/links/edit.ts';
import { toLink, type Link } from '../../../domain/links/link.ts';
import { newLink } from '../../../domain/links/new-link.ts';
import type { PageQuery } from '../../../domain/api/schemas.ts';
import { CreateLinkBody, UpdateLinkBody } from '../../../domain/links/schemas.ts';
import {
  closeLink,
  insertLink,
  listLinks,
  noteLink,
  readLink,
  readTotals,
} from '../../../domain/links/store.ts';
import { acting, DESK_PER_MINUTE, type AtMerchant, type DeskReply, type DeskRoute } from '../shell/route.ts';
import { attempt, checked, readCaller } from '../verbs.ts';
import { changeOf, creationOf } from './entered.ts';
import { linkPage } from './link-page.ts';
import { linksPage, linksPath } from './list-page.ts';
import { enteredBy, type NewFields } from './new-form.ts';

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
    handle: async (visit) => showOne(visit, await own(visit), null),
  },
  {
    name: 'change payment link',
    method: 'post',
    path: `${PATH}/:link`,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) => change(visit, await own(visit)),
  },
  {
    name: 'archive payment link',
    method: 'post',
    path: `${PATH}/:link/archive`,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, params } = visit;
      const { id } = await ctx.db.transaction((tx) =>
        closeLink(acting(visit), tx, merchant.merchant_id, params.link ?? ''),
      );
      return { to: `${linksPath(visit)}/${id}?said=saved` };
    },
  },
];

const own = ({ ctx, merchant, params }: AtMerchant): Promise<Link> =>
  readLink(ctx.db, merchant.merchant_id, params.link ?? '');

async function create(visit: AtMerchant): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const entered = enteredBy(visit.field);
  const made = await attempt(visit, async () => {
    const body = checked(visit, CreateLinkBody, creationOf(visit, entered));
    const link = newLink(body, ctx.config, merchant.merchant_id, ctx.now());
    await ctx.db.transaction(async (tx) => {
      await insertLink(tx, link);
      await noteLink(acting(visit), tx, 'payment link created', link);
    });
    return link.id;
  });
  if ('fault' in made) return showAll(visit, entered, made.fault);
  return { to: `${linksPath(visit)}/${made.done}?said=created` };
}

async function change(visit: AtMerchant, link: Link): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const changed = await attempt(visit, () => {
    const shown = toLink(link, ctx.config.publicUrl, ctx.now());
    const body = checked(visit, UpdateLinkBody, changeOf(visit, shown));
    const named = { merchantId: merchant.merchant_id, id: link.id };
    return ctx.db.transaction((tx) => editLink(acting(visit), tx, named, body));
  });
  if ('fault' in changed) return showOne(visit, link, changed.fault);
  return { to: `${linksPath(visit)}/${link.id}?said=saved` };
}

const coinOf = async (visit: AtMerchant): Promise<string> => (await readCaller(visit)).settlementCurrency;

async function showAll(visit: AtMerchant, entered: NewFields, fault: string | null): Promise<DeskReply> {
  const { ctx, merchant, query } = visit;
  const cursor = query.get('cursor');
  const asked: PageQuery = cursor === null ? {} : { cursor };
  const at = { publicUrl: ctx.config.publicUrl, now: ctx.now() };
  const list = await attempt(visit, () => listLinks(ctx.db, merchant.merchant_id, asked, at));
  if ('fault' in list) return 'missing';
  const { data: links, pagination } = list.done;
  return linksPage(visit, { links, next: pagination.next_cursor, coin: await coinOf(visit), entered, fault });
}

async function showOne(visit: AtMerchant, link: Link, fault: string | null): Promise<DeskReply> {
  const { ctx } = visit;
  const shown = toLink(link, ctx.config.publicUrl, ctx.now());
  const totals = await readTotals(ctx.db, link);
  return linkPage(visit, { link: shown, totals, coin: await coinOf(visit), fault });
}
