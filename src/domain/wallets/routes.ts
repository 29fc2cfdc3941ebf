import { PageQuery } from '../api/schemas.ts';
import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { readCurrent } from '../../platform/replica.ts';
import { listWalletsOf } from './list.ts';
import { WalletList } from './schemas.ts';

export const walletEndpoints = [
  endpoint({
    operationId: 'listWallets',
    method: 'get',
    path: '/v1/wallets',
    summary: "Lists the merchant's wallets, newest first: where the money of live payments goes.",
    description:
      'Also those that are not confirmed yet, and those that were used before. The service holds no key of any, ' +
      'and shows no public key as a whole. A wallet is set by the operator alone, with a command: no request can.',
    auth: 'required',
    permissions: ['wallets:read'],
    perMinute: DEFAULT_PER_MINUTE,
    query: PageQuery,
    errors: [],
    response: { status: 200, schema: WalletList },
    handle: async ({ ctx, caller, query }) =>
      reply(200, await readCurrent(ctx, (db) => listWalletsOf(db, ctx.config, caller.merchantId, query))),
  }),
];
