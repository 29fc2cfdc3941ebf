import { getValidator } from '../../../../domain/api/validator.ts';
import { countRange } from '../../../../domain/webhooks/deliveries/range/count.ts';
import { redeliverRange } from '../../../../domain/webhooks/deliveries/range/redeliver-range.ts';
import { RedeliverBody, type RedeliverReport } from '../../../../domain/webhooks/deliveries/schemas.ts';
import { listRegistrations } from '../../../../domain/webhooks/endpoints/registration.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, callerOf, claimOf } from '../../verbs.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { FIELDS, replayPage, replayPath } from './page.ts';

const check = getValidator({ allowPrivate: false }).compile(RedeliverBody, 'range');

/** Sends a range of events again, after a page that says how many they are. */
export const replayRoutes: readonly DeskRoute[] = [
  {
    name: 'replay',
    method: 'get',
    path: `${DEVELOPERS}/replay`,
    access: 'member',
    right: 'webhooks:write',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, query } = visit;
      if ((query.get('from_date') ?? '') === '') return show(visit, { counted: null, fault: null });
      const counted = await attempt(visit, () =>
        countRange(
          ctx.db,
          merchant.merchant_id,
          rangeOf((name) => query.get(name)),
          ctx.now(),
        ),
      );
      if ('fault' in counted) return show(visit, { counted: null, fault: counted.fault });
      return show(visit, { counted: counted.done, fault: null });
    },
  },
  {
    name: 'replay range',
    method: 'post',
    path: `${DEVELOPERS}/replay`,
    access: 'member',
    right: 'webhooks:write',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const replayed = await attempt(visit, () =>
        redeliverRange(acting(visit), callerOf(visit), rangeOf(visit.field), claimOf(visit, 'replay')),
      );
      if ('fault' in replayed) return show(visit, { counted: null, fault: replayed.fault });
      const { count, done_by } = JSON.parse(replayed.done.text) as RedeliverReport;
      const by = done_by === null ? '' : `&by=${encodeURIComponent(done_by)}`;
      return { to: `${replayPath(visit)}?done=${count}${by}` };
    },
  },
];

/** A form sends its empty fields too. */
function rangeOf(read: (name: string) => string | null): RedeliverBody {
  const given = FIELDS.flatMap((name) => {
    const value = (read(name) ?? '').trim();
    return value === '' ? [] : [[name, value] as const];
  });
  return check(Object.fromEntries(given));
}

async function show(
  visit: AtMerchant,
  shown: Pick<Parameters<typeof replayPage>[1], 'counted' | 'fault'>,
): Promise<DeskReply> {
  const registered = await listRegistrations(visit.ctx.db, visit.merchant.merchant_id);
  return replayPage(visit, { ...shown, registered: registered.map(({ id, url }) => [id, url] as const) });
}
