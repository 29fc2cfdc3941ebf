import { PageQuery } from '../api/schemas.ts';
import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { once } from '../idempotency/claim.ts';
import { editLink } from './edit.ts';
import { toLink } from './link.ts';
import { newLink } from './new-link.ts';
import { CreateLinkBody, LinkList, LinkResource, UpdateLinkBody } from './schemas.ts';
import { closeLink, insertLink, listLinks, noteLink, readLink } from './store.ts';

export const linkEndpoints = [
  endpoint({
    operationId: 'createLink',
    method: 'post',
    path: '/v1/links',
    summary: 'Creates a payment link: a page on which customers create payments themselves.',
    description:
      'Give customers `url`, or print `code_url`. Each payment has the link as its `order_id` and as ' +
      '`metadata.link_id`, beside the `option` and the answers that the customer gave, and the same events as every other. ' +
      'A payment holds an item of `stock` and `max_uses` from its creation on, and gives it back when it ends ' +
      'unpaid or is sent back in full.',
    auth: 'required',
    permissions: ['payments:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: CreateLinkBody,
    errors: [],
    response: { status: 201, schema: LinkResource },
    handle({ ctx, caller, body, claim }) {
      const now = ctx.now();
      const link = newLink(body, ctx.config, caller.merchantId, now);
      return once(ctx.db, claim, now, async (tx) => {
        await insertLink(tx, link);
        await noteLink(ctx, tx, 'payment link created', link);
        return reply(201, toLink(link, ctx.config.publicUrl, now));
      });
    },
  }),
  endpoint({
    operationId: 'listLinks',
    method: 'get',
    path: '/v1/links',
    summary: "Lists the merchant's payment links, newest first.",
    description: 'Archived ones too. `GET /v1/payments?order_id=` with the id of a link lists its payments.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: PageQuery,
    errors: [],
    response: { status: 200, schema: LinkList },
    handle: async ({ ctx, caller, query }) =>
      reply(
        200,
        await listLinks(ctx.db, caller.merchantId, query, {
          publicUrl: ctx.config.publicUrl,
          now: ctx.now(),
        }),
      ),
  }),
  endpoint({
    operationId: 'getLink',
    method: 'get',
    path: '/v1/links/:id',
    summary: 'Returns a payment link as it is now.',
    description: 'With how many of its payments are open or paid, and whether it takes another one.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['link_not_found'],
    response: { status: 200, schema: LinkResource },
    async handle({ ctx, caller, params }) {
      const link = await readLink(ctx.db, caller.merchantId, params.id ?? '');
      return reply(200, toLink(link, ctx.config.publicUrl, ctx.now()));
    },
  }),
  endpoint({
    operationId: 'updateLink',
    method: 'post',
    path: '/v1/links/:id',
    summary: 'Changes what the body names of a payment link, and leaves the rest.',
    description:
      'Title, description, prices (`closed` ones are not offered), counts, end, and whether it sells. No count can be ' +
      'set below what is taken: use `stock_change` to restock, which nobody who buys meanwhile falsifies. Payments ' +
      'that exist keep their price, and a page that was opened before asks the customer to look again. An archived ' +
      'link stays closed.',
    auth: 'required',
    permissions: ['payments:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: UpdateLinkBody,
    errors: ['link_not_found'],
    response: { status: 200, schema: LinkResource },
    handle({ ctx, caller, params, body, claim }) {
      const now = ctx.now();
      const { merchantId } = caller;
      return once(ctx.db, claim, now, async (tx) => {
        const link = await editLink(ctx, tx, { merchantId, id: params.id ?? '' }, body);
        return reply(200, toLink(link, ctx.config.publicUrl, now));
      });
    },
  }),
  endpoint({
    operationId: 'archiveLink',
    method: 'post',
    path: '/v1/links/:id/archive',
    summary: 'Closes a payment link for good.',
    description:
      'Its page says so, and takes no new payment; those that exist go on. A link that is archived already is ' +
      'returned as it is.',
    auth: 'required',
    permissions: ['payments:write'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: ['link_not_found'],
    response: { status: 200, schema: LinkResource },
    handle({ ctx, caller, params, claim }) {
      const now = ctx.now();
      return once(ctx.db, claim, now, async (tx) => {
        const link = await closeLink(ctx, tx, caller.merchantId, params.id ?? '');
        return reply(200, toLink(link, ctx.config.publicUrl, now));
      });
    },
  }),
];
